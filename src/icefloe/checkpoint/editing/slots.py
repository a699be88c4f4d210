"""Which tensors of a checkpoint belong to training alone, told by the names that optimizers give.

    w/Adam, w/Adam_1, train/w/Momentum     TF1: the variable, then the optimizer's name
    w/adam_m, w/lamb_v, w/vr               BERT, LAMB, Adafactor
    training/Adam/w/m, Adam/v/w            Keras: the variable inside of the optimizer's scope
    beta1_power, train/beta2_power_1, Adam/learning_rate, training/SGD/iter
    w/.OPTIMIZER_SLOT/optimizer/m/...      objects: the graph says which

A slot is one only if its variable is in the checkpoint too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from icefloe.checkpoint.editing.stored import Tensor
from icefloe.proto import TrackableObjectGraph

SLOT, STATE, STEP, AVERAGE = "optimizer slot", "optimizer state", "step", "moving average"

_OPTIMIZER = (
    "Adam|AdamW|LazyAdam|AdaMax|Adamax|Nadam|NAdam|RAdam|RectifiedAdam|Momentum|SGD|MomentumW|SGDW|RMSProp|RMSprop|"
    "Adagrad|AdagradDA|Adadelta|Ftrl|FTRL|ProximalAdagrad|ProximalGradientDescent|LARS|LARSOptimizer|LAMB|Lamb|"
    "LAMBOptimizer|LAMBMod|Adafactor|AddSign|PowerSign|Yogi|Lion|MultistepAdam|AdamWeightDecay|"
    "AdamWeightDecayOptimizer|GradientDescent|DPAdam|Shampoo|VariationalSGD|ElasticAverage|ModelAverage|CocobOptimizer|"
    "YellowFin|adam|adamw|sgd|rmsprop|adagrad|adadelta|adamax|nadam|ftrl|lamb|lion|adafactor"
)
_STRONG = re.compile(rf"(?:{_OPTIMIZER})(?:_\d+)?")
_WEAK = re.compile(
    r"(?:adam|lamb|lars|adamw)_[mv]|m|v|vhat|momentum|momentums?|velocity|velocities|rms|mg|accumulator|accum|linear|"
    r"accum_grad|accum_var|accumulated_grad|accumulated_var|average|squared_average|grad_accum|accum_grads?|grad_acc|"
    r"gradient_accumulator|vr|vc|slot_vr|slot_vc|slot_v|slot_m"
)
_FACTORED = re.compile(r"(?:slot_)?v[rc]|Adafactor(?:_\d+)?")
_POWER = re.compile(r"(?:.*/)?(?:beta_?[12]_power|beta_?[12]power)(?:_\d+)?")
_HYPER = re.compile(
    r"iter|iterations|learning_rate|learning_rate_power|lr|decay|beta|beta_?[12]|rho|l[12]_regularization_strength|"
    r"l2_shrinkage_regularization_strength|momentum|epsilon|momentum_cache|m_schedule|weight_decay|"
    r"initial_accumulator_value|loss_scale|current_loss_scale|good_steps"
)
_COUNTERS = frozenset(("iter", "iterations", "_iterations"))
_EMA = re.compile(r"(.+)/ExponentialMovingAverage(?:_\d+)?")
_EMA_STATE = re.compile(r"(.+)/ExponentialMovingAverage(?:_\d+)?/(?:biased|local_step)")
_STEP = re.compile(r"(?:.*/)?global_step")


def _bare(name: str) -> str:
    return name.removesuffix(":0")


@dataclass(frozen=True, slots=True)
class Training:
    """reasons: name of a tensor of training -> one of SLOT, STATE, STEP, AVERAGE.   averages: variable -> its moving
    average.   slots_of: variable -> its slots.
    """

    reasons: dict[str, str]
    averages: dict[str, str]
    slots_of: dict[str, list[str]]


def find_training(
    tensors: Mapping[str, Tensor], full_names: Mapping[str, str], graph: TrackableObjectGraph | None = None
) -> Training:
    """Return what of `tensors` belongs to training. full_names: key -> full name, of an object-based checkpoint."""
    labels = {key: _bare(full_names.get(key, key)) for key in tensors}
    by_label = {label: key for key, label in labels.items()}
    out = Training({}, {}, {})
    for key, label in labels.items():
        tensor = tensors[key]
        scalar = tensor.shape == ()
        average = _EMA.fullmatch(label)
        base = None if average else _slot_base(label, tensor, tensors, by_label)
        if average is not None:
            out.reasons[key] = AVERAGE
            out.averages[_averaged(average[1], tensor, tensors, by_label)] = key
        elif _EMA_STATE.fullmatch(label):
            out.reasons[key] = AVERAGE
        elif base is not None:
            out.reasons[key] = SLOT
            out.slots_of.setdefault(base, []).append(key)
        elif scalar and tensor.dtype.is_integer and (_STEP.fullmatch(label) or _is_counter(label)):
            out.reasons[key] = STEP
        elif scalar and (_POWER.fullmatch(label) or _is_hyper(label)):
            out.reasons[key] = STATE
    if graph is not None:
        _from_objects(graph, tensors, out)
    return out


def _averaged(label: str, average: Tensor, tensors: Mapping[str, Tensor], by_label: Mapping[str, str]) -> str:
    """Return the key of the variable that is averaged; `label` itself where the checkpoint does not have it."""
    for name in _in_open_scopes(label):
        if name in by_label and (name == label or tensors[by_label[name]].shape == average.shape):
            return by_label[name]
    return label


def _in_open_scopes(label: str) -> list[str]:
    """Return the names that a variable may have whose slot is at `label`: a scope that was open when the slot was made
    stands before them.
    """
    parts = label.split("/")
    return ["/".join(parts[i:]) for i in range(len(parts))]


def _slot_base(label: str, tensor: Tensor, tensors: Mapping[str, Tensor], by_label: Mapping[str, str]) -> str | None:
    """Return the key of the variable whose slot this is, or None."""
    parent, _, last = label.rpartition("/")
    if parent and _STRONG.fullmatch(last):
        for name in _in_open_scopes(parent):
            base = by_label.get(name)
            if base is not None and _fits(tensors[base], tensor, last):
                return base
        return None
    whole = label.split("/")
    for i, part in enumerate(whole[:-1]):
        if not _STRONG.fullmatch(part):
            continue
        inside = whole[i + 1 :]
        for name, slot in (("/".join(inside[:-1]), inside[-1]), ("/".join(inside[1:]), inside[0])):
            base = by_label.get(name)
            if base is not None and _WEAK.fullmatch(slot) and _fits(tensors[base], tensor, slot):
                return base
    if parent and _WEAK.fullmatch(last):
        base = by_label.get(parent)
        if base is not None and _fits(tensors[base], tensor, last):
            return base
    return None


def _fits(base: Tensor, slot: Tensor, name: str) -> bool:
    if base.name == slot.name or not (slot.dtype.is_floating or slot.dtype.is_complex):
        return False
    return base.shape == slot.shape or _FACTORED.fullmatch(name) is not None


def _is_hyper(label: str) -> bool:
    scope, _, last = label.rpartition("/")
    return _HYPER.fullmatch(last) is not None and any(_STRONG.fullmatch(part) for part in scope.split("/"))


def _is_counter(label: str) -> bool:
    return label.rpartition("/")[2] in _COUNTERS and _is_hyper(label)


def _from_objects(graph: TrackableObjectGraph, tensors: Mapping[str, Tensor], out: Training) -> None:
    optimizers = {i for i in range(len(graph.nodes)) if _is_optimizer(graph, i)}
    for node in graph.nodes:
        for slot in node.slot_variables:
            base = _keys(graph, slot.original_variable_node_id)
            for key in _keys(graph, slot.slot_variable_node_id):
                if key in tensors:
                    out.reasons[key] = SLOT
                    for name in base:
                        if key not in out.slots_of.setdefault(name, []):
                            out.slots_of[name].append(key)
    for key in tensors:
        if "/.OPTIMIZER_SLOT/" in key:
            out.reasons[key] = SLOT
    others = _reached(graph, [0], optimizers) if graph.nodes else set()
    for number in _reached(graph, optimizers, set()) - others:
        for key in _keys(graph, number):
            if key in tensors and out.reasons.get(key) != SLOT:
                last = key.partition("/.ATTRIBUTES/")[0].rpartition("/")[2]
                counter = last in _COUNTERS or graph_name(graph, number).rpartition("/")[2] in _COUNTERS
                out.reasons[key] = STEP if counter else STATE


def graph_name(graph: TrackableObjectGraph, number: int) -> str:
    """Return the full name of the variable of a node, "" if there is none."""
    return next((_bare(a.full_name) for a in graph.nodes[number].attributes), "")


def _keys(graph: TrackableObjectGraph, number: int) -> list[str]:
    return [a.checkpoint_key for a in graph.nodes[number].attributes]


def _is_optimizer(graph: TrackableObjectGraph, number: int, depth: int = 0) -> bool:
    node = graph.nodes[number]
    children = {c.local_name: c.node_id for c in node.children}
    if node.slot_variables or {"_iterations", "_variables"} <= children.keys():
        return True
    if {"beta1_power", "beta2_power"} <= children.keys():
        return True
    if "iter" in children and children.keys() & {"learning_rate", "decay", "beta_1", "momentum", "rho"}:
        return True
    inner = [children[n] for n in ("inner_optimizer", "base_optimizer", "_optimizer") if n in children]
    return depth < 3 and any(_is_optimizer(graph, i, depth + 1) for i in inner)


def _reached(graph: TrackableObjectGraph, start: Iterable[int], avoided: set[int]) -> set[int]:
    found: set[int] = set()
    waiting = list(start)
    while waiting:
        number = waiting.pop()
        if number in found or number in avoided:
            continue
        found.add(number)
        waiting += [c.node_id for c in graph.nodes[number].children]
    return found
