"""A plan as text: what of the graph a run needs, in which order, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.runtime import effects, optimize, prune
from icefloe.runtime.bind import Binding
from icefloe.runtime.loop_runner import LoopRunner
from icefloe.runtime.program import Program
from icefloe.runtime.steps import Step


def explain(program: Program) -> str:
    """Return the plan of a program, one line per node.

    Nodes that run are numbered. The others are there to say why they do not: a constant was computed when the plan was
    made, one that is passed only hands its input on, and what is merged is computed by another node's step.
    """
    plan = program.whole
    shown = list(_lines(program.steps, program.bindings, ""))
    runs: set[Operation] = set()
    for op, _ in shown:
        if op is not None:
            runs.add(op)
    lines = [
        f"{_number(len(plan.steps), 'node')} for {_number(len(plan.fetches), 'fetch', 'es')}, "
        f"{_number(len(plan.targets), 'target')} and {_number(len(plan.feeds), 'feed')}; "
        f"{len(runs)} run, on the {program.engine} engine"
    ]
    lines += [f"{'feed':>9}  {_typed(plan.tensors[slot])}" for slot in plan.feeds]
    gone = [step.node for step in plan.steps if step.node not in runs]
    constants: set[Operation] = set()
    for op in gone:
        fate = _fate(op, constants)
        if fate == "constant" or (fate == "passed" and _follows(op, constants)):
            constants.add(op)
        lines.append(f"{fate:>9}  {_called(op)}")
    lines += [text for _, text in shown]
    lines += [f"{'fetch':>9}  {_typed(plan.tensors[slot])}" for slot in plan.fetches]
    lines += [f"{'target':>9}  {op.name}" for op in plan.targets]
    return "\n".join(lines)


def placeholders(fetches: Sequence[Tensor], targets: Sequence[Operation], feeds: Sequence[Tensor]) -> list[Tensor]:
    """Return the outputs of the placeholders that a run of the fetches and targets needs besides the feeds."""
    found = prune.needed(fetches, targets, feeds)
    return [found[key].outputs[0] for key in sorted(found) if found[key].type in effects.PLACEHOLDERS]


def _lines(steps: Sequence[Step], bindings: Sequence[Binding], indent: str) -> Iterator[tuple[Operation | None, str]]:
    """Yield the lines of steps, each with the node it is about where that runs."""
    for number, (step, binding) in enumerate(zip(steps, bindings), 1):
        if step.loop is None:
            made = ", ".join(f"{t.dtype.name} {t.shape}" for t in step.node.outputs)
            maybe = "  (may be dead)" if step.watch else ""
            yield step.node, f"{number:>9}  {indent}{_called(step.node)}{' -> ' + made if made else ''}{maybe}"
            continue
        runner = binding.function
        assert isinstance(runner, LoopRunner)
        variables = _number(len(step.loop.variables), "variable")
        yield None, f"{number:>9}  {indent}loop {step.node.name} over {variables}, while"
        yield from _lines(*runner.condition, indent + "    ")
        yield None, f"{'':>9}  {indent}do"
        yield from _lines(*runner.body, indent + "    ")


def _fate(op: Operation, constants: set[Operation]) -> str:
    if op.type in effects.HANDLES:
        return "handle"
    if op.type in effects.LOOPS or op.type in effects.CONTROL_FLOW:
        return "loop"
    if op.type in optimize.FORWARDS:
        return "passed"
    return "constant" if op.type in _OF_STATIC_SHAPES or _follows(op, constants) else "merged"


# Ops that are computed with the plan where the shape of their input is known, whatever its values will be.
_OF_STATIC_SHAPES = frozenset(("Shape", "ShapeN", "Size", "Rank", "BroadcastGradientArgs"))


def _follows(op: Operation, constants: set[Operation]) -> bool:
    """Whether all inputs of `op` are outputs of `constants`."""
    return all(tensor.op in constants for tensor in op.inputs)


def _called(op: Operation) -> str:
    names = [tensor.name for tensor in op.inputs] + [f"^{control.name}" for control in op.control_inputs]
    return f"{op.name} = {op.type}({', '.join(names)})"


def _typed(tensor: Tensor) -> str:
    return f"{tensor.name} {tensor.dtype.name} {tensor.shape}"


def _number(count: int, name: str, plural: str = "s") -> str:
    return f"{count} {name}{'' if count == 1 else plural}"
