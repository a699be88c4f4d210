"""Conditionals and loops that are functions written as the nodes of before: Switch, Merge, Enter, Exit, NextIteration.

    y = If(p, x; then, else)       Switch(x, p) -> the nodes of each branch -> Merge
    y = Case(k, x; f0, f1, f2)     the same, by k == 0, then by k == 1
    y = While(x; cond, body)       Enter -> Merge -> the nodes of cond -> LoopCond -> Switch -> Exit, and the nodes of
                                   body -> NextIteration -> Merge

What a function runs for its effects runs before the results of its branch or iteration are handed on. Calls inside are
inlined, conditionals and loops inside lowered. A variable of a loop that the body hands on as it is becomes a constant
Enter.

Source: tensorflow/core/common_runtime/lower_if_op.cc, lower_while_op.cc, lower_case_op.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import as_dtype
from icefloe.graph.graph import Graph
from icefloe.proto import DT_BOOL, DT_INT32, DT_STRING, NameAttrList, NodeDef
from icefloe.transforms.constant_variables import constant_node
from icefloe.transforms.inlining import Inliner, Placed, function_of, named
from icefloe.transforms.node_edits import Nodes, attr_of, control_inputs, data_inputs, node_of, set_inputs, tensor_key
from icefloe.transforms.reports import PassReport

CONDITIONALS = frozenset(("If", "StatelessIf", "Case", "StatelessCase"))
LOOPS = frozenset(("While", "StatelessWhile"))


def lower(nodes: Nodes, graph: Graph, keep: Collection[str], wanted: Callable[[str], bool]) -> PassReport:
    """Lower the conditionals and loops of the graph whose op is `wanted`; `nodes` is changed.

    graph: knows the shapes of the tensors. keep: names of nodes whose tensors keep their names. What has no lower form
    stays: a condition that is a string, a loop without variables.

    Raises: InvalidArgumentError if a function is inside of itself; NotFoundError if there is none of a name.
    """
    work = _Lowering(nodes, graph, keep)

    def is_next(node: NodeDef) -> bool:
        return function_of(node, nodes) is not None or (wanted(node.op) and _has_form(node))

    waiting = [node for node in nodes if wanted(node.op) and _has_form(node)]
    before = len(nodes)
    done = 0
    while waiting:
        node = waiting.pop()
        if function_of(node, nodes) is not None:
            inside = work.call(node)
        else:
            inside = work.loop(node) if node.op in LOOPS else work.conditional(node)
            done += 1
        waiting += filter(is_next, inside)
    return PassReport("lower conditionals and loops", removed=done, added=len(nodes) - before + done)


def _has_form(node: NodeDef) -> bool:
    if node.op in LOOPS:
        return bool(data_inputs(node))
    return node.op in CONDITIONALS and attr_of(node, "Tcond").type != DT_STRING


class _Lowering:
    def __init__(self, nodes: Nodes, graph: Graph, keep: Collection[str]) -> None:
        self.nodes = nodes
        self.graph = graph
        self.keep = keep
        self.inliner = Inliner(nodes)
        # The node of its branch or iteration, by the name of a node inside of one.
        self._pivots: dict[str, str] = {}
        # They give their value to the iteration that ends a loop too.
        self._constant_enters: set[str] = set()

    def _add(self, op: str, like: NodeDef, name: str, inputs: Sequence[str], **types: Any) -> str:
        """Add a node beside `like` and return its name; attrs are DataType numbers, strings, counts or flags."""
        node = NodeDef(name=self.nodes.unique(name), op=op, device=like.device)
        for key, value in types.items():
            if isinstance(value, bool):
                node.attr[key].b = value
            elif isinstance(value, str):
                node.attr[key].s = value.encode()
            elif key in ("N", "parallel_iterations"):
                node.attr[key].i = value
            else:
                node.attr[key].type = value
        set_inputs(node, inputs)
        self.nodes.add(node)
        return node.name

    def _constant(self, near: str, name: str, value: Any) -> str:
        """Add a constant in the loop that the tensor `near` is in."""
        node = constant_node(self.nodes.unique(name), value)
        set_inputs(node, ["^" + node_of(near)])
        return self.nodes.add(node).name

    def call(self, node: NodeDef) -> list[NodeDef]:
        """Inline a call inside of a branch or iteration and return the nodes of the function."""
        pivot = self._pivots[node.name]
        placed = self.inliner.inline(node, keeps_name=False).nodes
        self._tie(placed, pivot)
        return placed

    def _tie(self, placed: Sequence[NodeDef], pivot: str) -> None:
        """Put nodes that take nothing, or what all iterations have, behind the node of their branch or iteration."""
        for node in placed:
            if all(node_of(text) in self._constant_enters for text in data_inputs(node)):
                set_inputs(node, [*node.input, "^" + pivot])
            self._pivots[node.name] = pivot

    def _place(
        self, call: NodeDef, function: NameAttrList, given: Sequence[str], pivot: str, prefix: str
    ) -> tuple[list[NodeDef], list[str], list[str]]:
        """Put the nodes of a branch, condition or body into the graph; return them, their results, and the nodes that
        the results have waited for.

        pivot: the node behind which those come that take nothing.
        """
        placed = self.inliner.place(call, function.name, function.attr, given, (), prefix)
        self._tie(placed.nodes, pivot)
        for node in placed.nodes:
            self.nodes.add(node)
        runs = _not_needed(placed)
        results = placed.results
        if runs:
            results = [
                self._add("Identity", call, f"{prefix}result_{i}", [text, *runs], T=dtype.as_datatype_enum)
                for i, (text, dtype) in enumerate(zip(results, placed.dtypes))
            ]
        return placed.nodes, results, runs

    def _finish(self, node: NodeDef, results: Mapping[int, tuple[str, Any]], end: str) -> None:
        """Let what took the results of a node take these; `end`: what is to be waited for in its place."""
        tensors = [results[i][0] for i in sorted(results)]
        del self.nodes.by_name[node.name]
        if node.name in self.keep and tensors:
            self.nodes.add(named(node, tensors, [results[i][1] for i in sorted(results)], [end]))
        elif not tensors:
            self._add("NoOp", node, node.name, ["^" + end])
        else:
            moved = {tensor_key(f"{node.name}:{i}"): text for i, text in enumerate(tensors)}
            self.nodes.rewire(moved, {node.name: [end]})

    # Conditionals

    def conditional(self, node: NodeDef) -> list[NodeDef]:
        """Lower a conditional and return the nodes of its branches."""
        prefix = self.inliner.prefix(node.name)
        chooser, *rest = data_inputs(node)
        before = ["^" + name for name in control_inputs(node)]
        types = list(node.attr["Tin"].list.type)
        if node.op in ("If", "StatelessIf"):
            branches = [node.attr["then_branch"].func, node.attr["else_branch"].func]
            predicates = [self._predicate(node, chooser, prefix, before)]
        else:
            branches = list(node.attr["branches"].list.func)
            predicates = []
            for i in range(len(branches) - 1):
                case = self._constant(chooser, f"{prefix}number_{i}", np.int32(i))
                predicates.append(
                    self._add("Equal", node, f"{prefix}is_{i}", [chooser, case, *before], T=int(DT_INT32))
                )
        inside: list[NodeDef] = []
        outcomes: list[list[str]] = []
        ends: list[str] = []
        token = predicates[0] if predicates else chooser
        token_type = int(DT_BOOL) if predicates else int(DT_INT32)
        for i, branch in enumerate(branches):
            given = rest
            pivot = node_of(token)
            if i < len(predicates):
                split = [
                    self._add("Switch", node, f"{prefix}switch_{i}", [text, predicates[i], *before], T=number)
                    for text, number in zip(rest, types)
                ]
                given, rest = [f"{name}:1" for name in split], split
                turn = self._add("Switch", node, f"{prefix}turn_{i}", [token, predicates[i], *before], T=token_type)
                pivot = self._add("Identity", node, f"{prefix}pivot_{i}", [f"{turn}:1"], T=token_type)
                token = turn
            else:
                pivot = self._add("Identity", node, f"{prefix}pivot_{i}", [token, *before], T=token_type)
            nodes, results, runs = self._place(node, branch, given, pivot, f"{prefix}branch_{i}/")
            inside += nodes
            outcomes.append(results)
            ends.append(self._add("Identity", node, f"{prefix}end_{i}", [pivot, *runs], T=token_type))
        end = self._add("Merge", node, f"{prefix}end", ends, T=token_type, N=len(ends))
        merged = {}
        for i, number in enumerate(node.attr["Tout"].list.type):
            texts = [results[i] for results in outcomes]
            name = self._add("Merge", node, f"{prefix}merge_{i}", texts, T=number, N=len(texts))
            merged[i] = (name, as_dtype(number))
        self._finish(node, merged, end)
        return inside

    def _predicate(self, node: NodeDef, text: str, prefix: str, before: Sequence[str]) -> str:
        """Return a scalar that says whether the condition holds: a number that is not zero, what is not empty."""
        number = attr_of(node, "Tcond").type or int(DT_BOOL)
        if self._shape(text):  # of some dimensions
            text = self._add("Size", node, f"{prefix}size", [text, *before], T=number, out_type=int(DT_INT32))
            number = int(DT_INT32)
        if number == DT_BOOL:
            return text
        zero = self._constant(text, f"{prefix}zero", np.zeros((), as_dtype(number).as_numpy_dtype))
        return self._add("NotEqual", node, f"{prefix}holds", [text, zero, *before], T=number)

    def _shape(self, text: str) -> list[int | None] | None:
        try:
            shape = self.graph.get_tensor_by_name(text if ":" in text else f"{text}:0").shape
        except (KeyError, ValueError, errors.OpError):
            return None
        return None if shape.rank is None else list(shape.as_list())

    # Loops

    def loop(self, node: NodeDef) -> list[NodeDef]:
        """Lower a loop and return the nodes of its condition and body."""
        prefix = self.inliner.prefix(node.name)
        given = data_inputs(node)
        before = ["^" + name for name in control_inputs(node)]
        types = list(node.attr["T"].list.type)
        fixed = self._fixed(node)
        frame = {"frame_name": prefix + "frame", "parallel_iterations": attr_of(node, "parallel_iterations").i or 10}
        enters = [
            self._add("Enter", node, f"{prefix}enter_{i}", [t, *before], T=types[i], is_constant=i in fixed, **frame)
            for i, t in enumerate(given)
        ]
        self._constant_enters.update(enters[i] for i in fixed)
        # The other input is put in when there is one.
        merges = {
            i: self._add("Merge", node, f"{prefix}merge_{i}", [enter, enter], T=types[i], N=2)
            for i, enter in enumerate(enters)
            if i not in fixed
        }
        now = [merges.get(i, enter) for i, enter in enumerate(enters)]
        first = next(iter(merges))
        inside, results, _ = self._place(node, node.attr["cond"].func, now, merges[first], f"{prefix}cond/")
        goes_on = self._add("LoopCond", node, f"{prefix}goes_on", results)
        switches = {
            i: self._add("Switch", node, f"{prefix}switch_{i}", [merge, goes_on], T=types[i])
            for i, merge in merges.items()
        }
        current = [
            self._add("Identity", node, f"{prefix}now_{i}", [f"{switches[i]}:1"], T=types[i])
            if i in switches
            else enter
            for i, enter in enumerate(enters)
        ]
        nodes, results, _ = self._place(node, node.attr["body"].func, current, current[first], f"{prefix}body/")
        for i, merge in merges.items():
            following = self._add("NextIteration", node, f"{prefix}next_{i}", [results[i]], T=types[i])
            set_inputs(self.nodes[merge], [enters[i], following])
        exits = {
            i: (self._add("Exit", node, f"{prefix}exit_{i}", [switches[i]], T=types[i]), as_dtype(types[i]))
            if i in switches
            else (given[i], as_dtype(types[i]))
            for i in range(len(given))
        }
        self._finish(node, exits, exits[first][0])
        return inside + nodes

    def _fixed(self, node: NodeDef) -> set[int]:
        """Return the variables that the body hands on as they are; one at least is none of them."""
        body = self.nodes.functions.get(node.attr["body"].func.name)
        if body is None:
            raise errors.NotFoundError(f"function {node.attr['body'].func.name!r} is not in the library of the graph")
        arguments = [arg.name for arg in body.signature.input_arg]
        results = [arg.name for arg in body.signature.output_arg]
        found = {i for i, (a, r) in enumerate(zip(arguments, results)) if tensor_key(body.ret.get(r, "")) == a}
        return found if len(found) < len(data_inputs(node)) else found - {0}


def _not_needed(placed: Placed) -> list[str]:
    """Return as control inputs what runs for its effects, but for what the only result needs anyhow."""
    by_name = {node.name: node for node in placed.nodes}
    needed: set[str] = set()
    waiting = [node_of(text) for text in placed.results] if len(placed.results) == 1 else []
    waiting = [name for name in waiting if name in by_name]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += [node_of(text) for text in by_name[name].input if node_of(text) in by_name]
    return ["^" + name for name in placed.runs if name not in needed]
