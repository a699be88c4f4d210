"""From a step to something that can be called: kernel, attrs and what a session gives to kernels.

A `Binding` says how a step's kernel is called with the values of the step's input slots. The engines differ in how they
make that call: `interpret` through one closure per step, `codegen` as a line of source.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from icefloe import datatypes, errors, opdefs
from icefloe.graph import registry
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.opdefs import kernel_types
from icefloe.proto import NameAttrList
from icefloe.resources import ResourceManager, Variable
from icefloe.runtime import effects, foreign_attrs
from icefloe.runtime.plan import Plan, Step

# What a kernel may ask for beside attrs.
_RUNTIME_NAMES = frozenset(("manager", "node", "signature", "fresh", "run"))


class Functions(Protocol):
    """The functions of a graph's library, as what runs them offers them to kernels.

    protects: whether kernels get inputs they cannot write to, see `aliasing`.
    """

    protects: bool

    def callable(
        self, function: NameAttrList, path: str, wanted: tuple[bool, ...] | None = None, *, lowered: bool = False
    ) -> Callable[..., list[Any]]:
        """Return `function` as a callable: (values, context of the run) -> values.

        path: that of the call, before the names of the function's nodes.
        wanted: which results are read; the others are None. All of them where it is None.
        lowered: run what wanted results and control results need, as if the body stood in the graph; else also all
        that is stateful.
        """
        ...

    def may_wait(self, function: NameAttrList) -> bool:
        """Return whether a call of `function` may have to wait for another step or thread."""
        ...

    def makes_variants(self, function: NameAttrList) -> bool:
        """Return whether a call of `function` may make lists, datasets or other variants."""
        ...

    def loop(
        self, op: Operation, condition: Callable[..., list[Any]], body: Callable[..., list[Any]]
    ) -> Callable[..., tuple[Any, ...]]:
        """Return the kernel of node `op`, a loop over two callables that `callable` made."""
        ...


@dataclass(frozen=True, slots=True)
class Scope:
    """What a plan is bound to.

    prefix: the path of calls to a function's body, in front of its nodes' names.
    threads: how many may share the work of an op, 0 for as many as there are cores.
    """

    manager: ResourceManager
    functions: Functions
    prefix: str = ""
    threads: int = 0

    def name(self, op: Operation) -> str:
        """Return the full name of a node."""
        return self.prefix + op.name


@dataclass(frozen=True, slots=True)
class Binding:
    """How to call a step's kernel.

    layout: the kernel's positional arguments: a position among the step's inputs, or a tuple of them for a list.
    reads: positions whose slot holds a variable's cell while the kernel wants its array.
    keywords: passed at each call. per_run: the call passes the run's context as `run` too.
    bare: the kernel returns its only output, not a tuple. returns: as in `registry.Kernel`.
    is_pure: the same inputs always give the same outputs and nothing else happens.
    waits: the kernel may have to wait for another step or thread: it is a generator function, see `registry.Kernel`.
    blocks: the kernel may block its thread until another step or thread has done something.
    """

    function: Callable[..., Any]
    layout: tuple[int | tuple[int, ...], ...]
    reads: frozenset[int] = frozenset()
    keywords: dict[str, Any] = field(default_factory=dict)
    per_run: bool = False
    bare: bool = True
    returns: registry.Returns = "fresh"
    is_pure: bool = False
    waits: bool = False
    wants_fresh: bool = False
    blocks: bool = False


def read_cell(value: Any) -> Any:
    """Return the array of a variable's cell as it is now; any other value as it is.

    Raises: FailedPreconditionError if the variable is uninitialized.
    """
    return value.read() if isinstance(value, Variable) else value


def _pass_initialized(cell: Any) -> Any:
    if isinstance(cell, Variable):
        cell.read()
    return cell


def layout(op: Operation, args: tuple[opdefs.Arg, ...]) -> tuple[int | tuple[int, ...], ...]:
    """Return how a kernel's arguments group the flat inputs (or outputs) of `op`."""
    if not any(arg.is_list for arg in args):
        return tuple(range(len(args)))
    found: list[int | tuple[int, ...]] = []
    at = 0
    for arg in args:
        if not arg.is_list:
            found.append(at)
            at += 1
            continue
        count = op.kernel_attr(arg.number_attr) if arg.number_attr else len(op.kernel_attr(arg.type_list_attr))
        found.append(tuple(range(at, at + count)))
        at += count
    return tuple(found)


def bind(step: Step, plan: Plan, scope: Scope, fresh: tuple[bool, ...] = ()) -> Binding:
    """Return the binding of a step.

    fresh: which inputs the kernel may keep without a copy; see `optimize.ownership`.

    Raises: UnimplementedError if the op has no kernel; what its kernel's factory raises. Both name the node.
    """
    op = step.node
    try:
        if not scope.functions.protects:
            return _bind(step, plan, scope, fresh)
        from icefloe.runtime import aliasing

        return aliasing.protected(_bind(step, plan, scope, fresh))
    except errors.OpError as error:
        raise error.add_context(node=scope.name(op), op=op) from error.__cause__


def _bind(step: Step, plan: Plan, scope: Scope, fresh: tuple[bool, ...]) -> Binding:
    op = step.node
    if (refused := foreign_attrs.refusal(op)) is not None:
        raise errors.InvalidArgumentError(refused)
    reads_nothing = not plan.cells or plan.cells.isdisjoint(step.inputs)
    if reads_nothing and (shared := _shared(op)) is not None:
        return shared
    signature = op.signature
    if op.type in effects.CELL_PASSES and op.type not in effects.CONTROL_FLOW and step.inputs[0] in plan.cells:
        checks = signature is None or not signature.allows_uninitialized_input
        return Binding(_pass_initialized if checks else _pass_on, (0,), returns=("view", 0))
    kernel = _kernel_of(op)
    if kernel is None:
        return _bind_call(op, step, plan, scope)
    assert signature is not None
    keywords, pure, blocks = _keywords(kernel, signature, step, plan, scope, fresh)
    function = kernel.function
    if kernel.factory:
        function, keywords = function(**keywords), {}
    elif op.type in effects.WHILES:
        function, keywords = scope.functions.loop(op, keywords["cond"], keywords["body"]), {}
    grouped = layout(op, signature.inputs)
    if kernel.takes_refs and op.type not in effects.CELL_PASSES:
        function = _with_cells(function, op, plan, signature, grouped)
    found = Binding(
        function,
        grouped,
        _NOTHING if reads_nothing else _reads(step, plan, signature if kernel.takes_refs else None, grouped),
        keywords,
        per_run=kernel.per_run,
        bare=signature.returns_bare,
        returns=kernel.returns,
        is_pure=pure,
        waits=kernel.waits,
        wants_fresh="fresh" in kernel.attrs,
        blocks=blocks,
    )
    if reads_nothing and pure and not kernel.attrs and not any(arg.is_list for arg in signature.inputs):
        _SHARED[op.type] = kernel, found
    return found


def _kernel_of(op: Operation) -> registry.Kernel | None:
    """Return the kernel of a node; None for the call of a function.

    Raises: UnimplementedError if there is neither, InvalidArgumentError if TensorFlow has no kernel for the node.
    """
    kernel = registry.find_kernel(op.type)
    if kernel is not None and (refusal := kernel_types.refusal(op.type, op.kernel_attr)) is not None:
        raise errors.InvalidArgumentError(refusal)
    if op.has_attr("_kernel") and (refusal := kernel_types.label_refusal(op.type, op.kernel_attr("_kernel"))):
        raise errors.InvalidArgumentError(refusal)
    if kernel is None and op.type not in op.graph.functions:
        known = op.signature is not None
        raise errors.UnimplementedError(
            f"op {op.type!r} has no kernel" if known else f"op {op.type!r} is not registered",
            hint="`icefloe graph ops` says what to feed instead; a Python function can compute it: "
            f"icefloe.{'register_kernel' if known else 'register_op'}.",
        )
    return kernel


def _keywords(
    kernel: registry.Kernel,
    signature: opdefs.Signature,
    step: Step,
    plan: Plan,
    scope: Scope,
    fresh: tuple[bool, ...],
) -> tuple[dict[str, Any], bool, bool]:
    """Return what is passed to a kernel or its factory by name; and whether the step is pure, and may block."""
    op = step.node
    keywords: dict[str, Any] = {}
    pure = not (signature.is_stateful or kernel.per_run or kernel.waits or kernel.blocks or kernel.takes_refs)
    blocks = kernel.blocks
    for name in kernel.attrs:
        if name in _RUNTIME_NAMES and name not in signature.attrs:
            pure = pure and name in ("node", "signature")
            keywords[name] = _runtime_value(name, op, scope, fresh)
            continue
        value = op.kernel_attr(name)
        blocks = blocks or any(map(scope.functions.may_wait, _functions(value)))
        keywords[name] = value = _with_functions(name, value, step, plan, scope)
        pure = pure and not _holds_callable(value)
    return keywords, pure and not _makes_handles(op), blocks


def _with_cells(
    function: Callable[..., Any],
    op: Operation,
    plan: Plan,
    signature: opdefs.Signature,
    grouped: tuple[int | tuple[int, ...], ...],
) -> Callable[..., Any]:
    """Return the kernel of an op that takes references such that it finds a variable where a plain value may come.

    That is where a reference is fed, or a graph's variable was made a constant. The variable is of this call only.
    """
    plain = {
        i: op.inputs[at]
        for i, (arg, at) in enumerate(zip(signature.inputs, grouped))
        if arg.is_ref and isinstance(at, int) and _may_be_plain(op.inputs[at], plan.fed)
    }
    if not plain:
        return function

    @functools.wraps(function, updated=())
    def call(*values: Any, **keywords: Any) -> Any:
        given = list(values)
        for i, tensor in plain.items():
            if not isinstance(given[i], Variable):
                given[i] = _temporary(tensor, given[i])
        return function(*given, **keywords)

    return call


def _may_be_plain(tensor: Tensor, fed: frozenset[int]) -> bool:
    """Return whether a reference may come from what is fed or no reference at all, through what hands it on."""
    left, seen = [tensor], set()
    while left:
        current = left.pop()
        if id(current) in fed or current.dtype is None or not current.dtype._is_ref_dtype:
            return True
        if id(current) not in seen and current.op.type in effects.CELL_PASSES:
            left += current.op.inputs
        seen.add(id(current))
    return False


def _temporary(tensor: Tensor, value: Any) -> Any:
    """Return a variable that holds a copy of `value`; what is no array as it is."""
    if tensor.dtype is None or not isinstance(value, (np.ndarray, np.generic)):
        return value
    made = Variable(tensor.dtype, np.shape(value), tensor.op.name)
    made.assign(value)
    return made


# Bindings that are the same for all nodes of an op, with the kernel they are of.
_SHARED: dict[str, tuple[registry.Kernel, Binding]] = {}
_NOTHING: frozenset[int] = frozenset()


def _shared(op: Operation) -> Binding | None:
    known = _SHARED.get(op.type)
    if known is None or registry.KERNELS.get(op.type) is not known[0] or _makes_handles(op):
        return None
    return None if kernel_types.refusal(op.type, op.kernel_attr) is not None else known[1]


def _makes_handles(op: Operation) -> bool:
    """Return whether an output is a resource or variant: what must be made anew in each run."""
    return any(t.dtype is datatypes.resource or t.dtype is datatypes.variant for t in op.outputs)


def _pass_on(value: Any) -> Any:
    return value


def _runtime_value(name: str, op: Operation, scope: Scope, fresh: tuple[bool, ...]) -> Any:
    if name == "manager":
        return scope.manager
    if name == "node":
        return scope.name(op)
    if name == "signature":
        return tuple([t.dtype for t in op.inputs]), tuple([t.dtype for t in op.outputs])
    if name == "fresh":
        return fresh or (False,) * len(op.inputs)
    raise errors.InternalError(f"the kernel of {op.type} takes `run` but is not per_run")


# Their branches are lowered where the node says so: what only unread outputs need does not run.
_BRANCHES = frozenset(("If", "StatelessIf", "Case", "StatelessCase"))
_LOWERING = "_lower_using_switch_merge"


def _with_functions(name: str, value: Any, step: Step, plan: Plan, scope: Scope) -> Any:
    """Return the value of attr `name` with callables for functions; of several, the path of each tells which it is."""
    functions = {name: value}
    if isinstance(value, tuple):
        functions = {f"{name}_{i}": v for i, v in enumerate(value)}
    if not functions or not all(isinstance(v, NameAttrList) for v in functions.values()):
        return value
    op, path = step.node, scope.name(step.node)
    if op.type == "SymbolicGradient":
        from icefloe.runtime.gradient_calls import gradient_of

        functions = {key: gradient_of(v) for key, v in functions.items()}
    lowered = op.has_attr(_LOWERING) and bool(op.kernel_attr(_LOWERING))
    wanted = None
    if lowered and op.type in _BRANCHES:
        wanted = tuple([slot in plan.used for slot in step.outputs])
    made = [
        scope.functions.callable(v, path if key == "f" else f"{path}/{key}", wanted, lowered=lowered)
        for key, v in functions.items()
    ]
    return tuple(made) if isinstance(value, tuple) else made[0]


def _functions(value: Any) -> tuple[NameAttrList, ...]:
    """Return the functions that an attr's value names."""
    values = value if isinstance(value, tuple) else (value,)
    return tuple([v for v in values if isinstance(v, NameAttrList)])


def _holds_callable(value: Any) -> bool:
    return callable(value) or (isinstance(value, tuple) and bool(value) and callable(value[0]))


def _reads(
    step: Step, plan: Plan, signature: opdefs.Signature | None, grouped: tuple[int | tuple[int, ...], ...]
) -> frozenset[int]:
    """Return the positions to be read; with a signature, its reference arguments are left as cells."""
    found = {i for i, slot in enumerate(step.inputs) if slot in plan.cells}
    if step.node.type in effects.CELL_PASSES:
        # The value goes on as it is; what steers it is read.
        steering = {"Switch": 1, "RefSwitch": 1, "RefSelect": 0}.get(step.node.type)
        return frozenset(found & {steering})
    if found and signature is not None:
        for arg, positions in zip(signature.inputs, grouped):
            if arg.is_ref:
                found.difference_update((positions,) if isinstance(positions, int) else positions)
    return frozenset(found)


def _bind_call(op: Operation, step: Step, plan: Plan, scope: Scope) -> Binding:
    """Bind a node whose op type is the name of a library function."""
    called = NameAttrList(name=op.type)
    for key, value in op.node_def.attr.items():
        called.attr[key].CopyFrom(value)
    call = scope.functions.callable(called, scope.name(op))
    flat = tuple(range(len(step.inputs)))
    return Binding(
        lambda *values, run: tuple(call(values, run)),
        flat,
        _reads(step, plan, None, flat),
        per_run=True,
        bare=False,
        returns="stored",
        blocks=scope.functions.may_wait(called),
    )


def flat_call(binding: Binding) -> Callable[..., Any]:
    """Return a function of the flat values of a step's inputs, and of `run=` where the kernel is per_run."""
    function = functools.partial(binding.function, **binding.keywords) if binding.keywords else binding.function
    if tuple not in map(type, binding.layout):
        if not binding.reads:
            return function
        reads = tuple([i in binding.reads for i in range(len(binding.layout))])

        def call_reading(*values: Any, **run: Any) -> Any:
            return function(*[read_cell(v) if r else v for v, r in zip(values, reads)], **run)

        return call_reading
    bounds = list(itertools.accumulate((1 if isinstance(e, int) else len(e) for e in binding.layout), initial=0))
    groups = tuple(
        [(at, None if isinstance(e, int) else end) for e, at, end in zip(binding.layout, bounds, bounds[1:])]
    )
    read_at = sorted(binding.reads)

    def call_grouped(*values: Any, **run: Any) -> Any:
        if read_at:
            given = list(values)
            for i in read_at:
                given[i] = read_cell(given[i])
            values = tuple(given)
        return function(*[values[at] if end is None else values[at:end] for at, end in groups], **run)

    return call_grouped
