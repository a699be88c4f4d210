"""Passes over a bound plan that make a run shorter without changing what it gives.

    resolve_handles   the cell of a variable is looked up once, not in every run
    fold_constants    what depends on constants only is computed once
    forward           ops that only hand a value on disappear: their output is their input's slot
    drop_unread       pure steps that only a control edge asked for disappear, as they do in TensorFlow
    fuse              a convolution takes over its bias, normalization and activation; see `fusing`

None touches what is fed, stateful or random, nor the targets of a run; a failure is lost only with a value that nobody
reads. Steps are in an order that respects all edges, and dropping steps keeps that order. `ownership` then says which
inputs a kernel may keep without a copy.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from icefloe import opdefs
from icefloe.runtime import effects
from icefloe.runtime.bind import Binding, flat_call
from icefloe.runtime.steps import Step

# A folded value larger than this is computed in each run rather than kept.
MAX_FOLDED_BYTES = 10 << 20

FORWARDS = frozenset(
    (
        "Identity",
        "StopGradient",
        "Snapshot",
        "PreventGradient",
        "PlaceholderWithDefault",
        "LoopCond",
        "NextIteration",
    )
)


@dataclass(frozen=True, slots=True)
class Draft:
    """Bound steps on their way through the passes.

    cells: as in `Plan`. constants: values of slots that are the same in every run. fetches: slots read in the end.
    targets: ids of nodes that run even if nobody reads what they make.
    """

    cells: frozenset[int]
    steps: tuple[Step, ...]
    bindings: tuple[Binding, ...]
    constants: dict[int, Any]
    fetches: tuple[int, ...]
    targets: frozenset[int] = frozenset()


def optimize(draft: Draft) -> Draft:
    """Return the draft after all passes."""
    for apply in PASSES:
        draft = apply(draft)
    return draft


def resolve_handles(draft: Draft) -> Draft:
    """Turn the handles of variables into constants."""
    if effects.HANDLES.isdisjoint([step.node.type for step in draft.steps]):
        return draft
    return _evaluate(draft, lambda step, binding: step.node.type in effects.HANDLES, limit=None)


def fold_constants(draft: Draft) -> Draft:
    """Compute what is pure and has only constant inputs. What fails or is large is left to the run."""
    return _evaluate(draft, lambda step, binding: binding.is_pure, limit=MAX_FOLDED_BYTES)


def _evaluate(draft: Draft, applies: Any, limit: int | None) -> Draft:
    constants = dict(draft.constants)
    steps, bindings = [], []
    with np.errstate(all="ignore"):
        for step, binding in zip(draft.steps, draft.bindings):
            if constants.keys() >= set(step.inputs) and applies(step, binding) and not step.is_guarded:
                values = _values(step, binding, constants, limit)
                if values is not None:
                    for value in values:
                        if isinstance(value, np.ndarray):
                            value.flags.writeable = False  # it is shared by all runs
                    constants.update(zip(step.outputs, values))
                    continue
            steps.append(step)
            bindings.append(binding)
    return replace(draft, steps=tuple(steps), bindings=tuple(bindings), constants=constants)


def _values(step: Step, binding: Binding, constants: dict[int, Any], limit: int | None) -> Sequence[Any] | None:
    try:
        made = flat_call(binding)(*[constants[slot] for slot in step.inputs])
    except Exception:
        # Whatever it is, the run meets it again and reports it with its place.
        return None
    values = (made,) if binding.bare else tuple(made)
    if len(values) != len(step.outputs):
        return None
    # The attr of a Const is kept as it is by its node; no size makes a copy of it worthwhile.
    if limit is not None and step.inputs and any(_size(value) > limit for value in values):
        return None
    return values


def _size(value: Any) -> int:
    if not isinstance(value, np.ndarray):
        return 0
    if value.dtype != object:
        return value.nbytes
    return sum(len(item) for item in value.flat if isinstance(item, bytes)) + value.nbytes


def forward(draft: Draft) -> Draft:
    """Drop ops that hand their only input on, and read their input where their output was read."""
    same: dict[int, int] = {}
    steps, bindings = [], []
    for step, binding in zip(draft.steps, draft.bindings):
        if same and not same.keys().isdisjoint(step.inputs):
            step = replace(step, inputs=tuple([same.get(slot, slot) for slot in step.inputs]))
        if (
            step.node.type in FORWARDS
            and step.loop is None
            and not step.is_guarded
            and step.inputs[0] not in draft.cells
        ):
            same[step.outputs[0]] = step.inputs[0]
            continue
        steps.append(step)
        bindings.append(binding)
    fetches = tuple([same.get(slot, slot) for slot in draft.fetches])
    return replace(draft, steps=tuple(steps), bindings=tuple(bindings), fetches=fetches)


def drop_unread(draft: Draft) -> Draft:
    """Drop pure steps whose outputs nobody reads: a control edge alone asked for them."""
    read = set(draft.fetches)
    for step in draft.steps:
        read.update(step.inputs)
        read.update(step.watch)
    if all(_is_wanted(step, binding, read, draft) for step, binding in zip(draft.steps, draft.bindings)):
        return draft
    read = set(draft.fetches)
    kept = []
    for step, binding in zip(reversed(draft.steps), reversed(draft.bindings)):
        if _is_wanted(step, binding, read, draft):
            read.update(step.inputs)
            read.update(step.watch)
            kept.append((step, binding))
    kept.reverse()
    return replace(draft, steps=tuple([k[0] for k in kept]), bindings=tuple([k[1] for k in kept]))


def _is_wanted(step: Step, binding: Binding, read: set[int], draft: Draft) -> bool:
    return (
        not binding.is_pure
        or _has_effect(step.node.type)
        or step.is_guarded
        or step.loop is not None
        or not read.isdisjoint(step.outputs)
        or id(step.node) in draft.targets
    )


# They are there to fail, whoever reads their outputs.
_CHECKS = frozenset(("CheckNumerics", "CheckNumericsV2", "EnsureShape"))


@functools.cache
def _has_effect(op_type: str) -> bool:
    """Whether an op that is not marked as stateful does something all the same: by a reference, or by failing."""
    definition = opdefs.find(op_type)
    if definition is None or op_type in _CHECKS:
        return True
    return any(arg.is_ref for arg in (*definition.input_arg, *definition.output_arg))


def fuse(draft: Draft) -> Draft:
    """Let products and convolutions take over what is done to their outcome alone."""
    if not any(step.node.type in _FUSED for step in draft.steps):
        return draft
    from icefloe.runtime import fusing

    return fusing.fuse(draft)


_FUSED = frozenset(("Conv2D", "DepthwiseConv2dNative", "MatMul"))

PASSES = (resolve_handles, fold_constants, forward, drop_unread, fuse)


def ownership(draft: Draft) -> dict[int, tuple[bool, ...]]:
    """Return, for each position of a step whose kernel asks, which of its inputs it may keep without a copy.

    An input may be kept if this run made its memory, nothing reads that memory afterwards through any slot, and it is
    neither fed nor fetched nor constant nor stored.
    """
    if not any(binding.wants_fresh for binding in draft.bindings):
        return {}
    # Slots with the same root may share memory; only roots made by this run are in `last`.
    root: dict[int, int] = {}
    last: dict[int, int] = {}
    for position, (step, binding) in enumerate(zip(draft.steps, draft.bindings)):
        for slot in step.inputs:
            if slot in root and root[slot] in last:
                last[root[slot]] = position
        for slot in step.outputs:
            if slot in draft.cells:
                continue
            if binding.returns == "fresh":
                root[slot] = slot
                last[slot] = position
            elif isinstance(binding.returns, tuple):
                source = step.inputs[binding.returns[1]]
                if source in root:
                    root[slot] = root[source]
    fetched = {root[slot] for slot in draft.fetches if slot in root}
    found = {}
    for position, (step, binding) in enumerate(zip(draft.steps, draft.bindings)):
        if binding.wants_fresh:
            roots = [root.get(slot) for slot in step.inputs]
            found[position] = tuple(
                [r is not None and r not in fetched and last[r] == position and roots.count(r) == 1 for r in roots]
            )
    return found
