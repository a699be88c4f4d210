"""Downgrading: a graph that an older release of TensorFlow can read.

    old = icefloe.graphs.downgrade(graph, to="1.4")

A release refuses a node with an op or an attr that it does not know, be the attr at its default. So attrs that say no
more than their defaults, or only advise the runtime, are taken out, and ops are written as the older ones that compute
the same (`older_ops`, `older_layers`); conditionals and loops that are functions become Switch and Merge nodes before
there were such ops (`lowering`). What has no older form is an error that names all of it. Whether the release has
a kernel for a type is not known here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from icefloe import errors, opdefs
from icefloe.analysis.graph_argument import takes_graphs
from icefloe.analysis.oldest_version import needs
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import read_graph
from icefloe.opdefs import history
from icefloe.proto import NodeDef
from icefloe.transforms import inlining, lowering, older_layers
from icefloe.transforms.bodies import Body
from icefloe.transforms.finishing import finish, output_names
from icefloe.transforms.node_edits import Nodes, node_of
from icefloe.transforms.older_ops import RULES
from icefloe.transforms.reports import PassReport, Transformed, notes

assert older_layers  # it registers rules

_MOST_ROUNDS = 12


@takes_graphs()
def downgrade(
    graph: Graph, to: str = "1.15", outputs: Iterable[str] | None = None, *, check: bool = True
) -> Transformed:
    """Return `graph` written with the ops and attrs of an older release.

    to: the release, such as "1.15" or "2.3", from 1.0 on. outputs: names of tensors that are compared before and
    after, by default those of signatures or the likeliest one. They keep their names but for those of an IdentityN that
    the release does not have. All nodes are kept.

    Raises: ValueError for a release that is not known; InvalidArgumentError, which lists all of it, if something has no
    older form; InternalError if the new graph gives other values.
    """
    if not isinstance(to, str):  # 1.10 as a number would be 1.1
        raise TypeError(f"downgrade: expected a release as text, such as '1.15', got {to!r}")
    release = history.find(to)
    try:
        wanted = output_names(graph, outputs)
    except errors.InvalidArgumentError:
        if outputs is not None:
            raise
        wanted = []
    nodes = Nodes(graph)
    kept = {node_of(name) for name in wanted}
    passes = []
    if any(node.op in inlining.CALLS and (history.since(node.op) or 0) > release for node in nodes):
        passes.append(inlining.inline_calls(nodes, kept))
        nodes.prune_library()
    passes += _lowered(nodes, kept, release)
    passes += _Downgrade(nodes, release).run()
    nodes.prune_library()
    nodes.set_producer(history.producer(release))
    return finish(graph, nodes, wanted, passes, check=check and bool(wanted), names=_moved(nodes, wanted))


def _moved(nodes: Nodes, wanted: Iterable[str]) -> dict[str, str]:
    """Return the new names of tensors whose node, an IdentityN, has become an Identity for each."""
    found = {}
    for name in wanted:
        new = f"{node_of(name)}/output_{name.partition(':')[2] or 0}"
        if node_of(name) not in nodes and new in nodes:
            found[name] = f"{new}:0"
    return found


def _lowered(nodes: Nodes, kept: set[str], release: int) -> list[PassReport]:
    """Lower conditionals and loops that are functions where the release has none; functions are written out for it."""

    def is_new(op: str) -> bool:
        is_one = op in lowering.CONDITIONALS or op in lowering.LOOPS
        return is_one and (history.since(op.removeprefix("Stateless")) or 0) > release

    inner = [node for function in nodes.functions.values() for node in function.node_def]
    if not any(is_new(node.op) for node in (*nodes, *inner)):
        return []
    passes = [inlining.inline_calls(nodes, kept)]
    passes.append(lowering.lower(nodes, read_graph(nodes.to_graph_def()), kept, is_new))
    nodes.prune_library()
    return passes


class _Downgrade:
    def __init__(self, nodes: Nodes, release: int) -> None:
        self.nodes = nodes
        self.release = release
        self.rewritten: Counter[str] = Counter()
        self.cleared: Counter[str] = Counter()
        self.written: Counter[str] = Counter()
        self.problems: dict[tuple[str, str], list[str]] = {}

    def run(self) -> list[PassReport]:
        """Rewrite the graph and its functions. Raises: InvalidArgumentError with all that has no older form."""
        graph = read_graph(self.nodes.to_graph_def())
        before = len(self.nodes)
        self._body(Body(self.nodes, None, graph), "")
        for name, function in list(self.nodes.functions.items()):
            self._body(Body(self.nodes, function), f" of function {name!r}")
        if self.problems:
            raise errors.InvalidArgumentError(self._refusal())
        added = max(len(self.nodes) - before, 0)
        return [
            PassReport("attrs", changed=self.cleared.total(), notes=notes(_counted(self.cleared))),
            PassReport("defaults", changed=self.written.total(), notes=notes(_counted(self.written))),
            PassReport("older ops", added=added, changed=self.rewritten.total(), notes=notes(_counted(self.rewritten))),
        ]

    def _body(self, body: Body, where: str) -> None:
        for _ in range(_MOST_ROUNDS):
            changed = False
            found: dict[tuple[str, str], list[str]] = {}
            for node in body.nodes():
                problem = self._node(body, node)
                if problem is None:
                    changed = True
                elif problem:
                    found.setdefault((problem, where), []).append(node.name)
            if not changed:
                break
        self.problems.update(found)

    def _node(self, body: Body, node: NodeDef) -> str | None:
        """Make a node older: return "" where it is old enough, None once it was rewritten, else what is in the way."""
        if node.op in self.nodes.functions:
            return ""
        if history.since(node.op) is None:
            return f"{node.op}: no release has this op"
        self._clear_attrs(node)
        too_new = [(first, attr) for first, attr, _ in needs(node) if first > self.release]
        last = history.until(node.op)
        lost = [name for name in history.lost_attrs(node.op, self.release) if name not in node.attr]
        if not too_new and not lost and (last is None or last >= self.release):
            for name in history.new_defaults(node.op, self.release):
                self._write_default(node, name)
            return ""
        if lost or not too_new:
            return f"{node.op}: that release wants {', '.join(lost) or 'another op'}"
        # The op first: its older form does not have its attrs.
        first, attr = min(too_new, key=lambda pair: (pair[1] != "", -pair[0]))
        what = f"{node.op} is of {history.releases()[first]}"
        if attr:
            what = f"attr {attr!r} of {node.op}, as it is here, is of {history.releases()[first]}"
        rule = RULES.get(node.op)
        if rule is None or (attr and attr not in _ATTR_RULES.get(node.op, ())):
            return f"{what}; there is no older form"
        op = node.op
        reason = rule(body, node)
        if reason:
            return f"{what}; {reason}"
        self.rewritten[f"{op} to {node.op}" if node.op != op else f"{op} without {attr}" if attr else op] += 1
        return None

    def _clear_attrs(self, node: NodeDef) -> None:
        for first, attr, needless in list(needs(node)):
            if attr and first > self.release and needless:
                del node.attr[attr]
                self.cleared[f"{attr} of {node.op}"] += 1

    def _write_default(self, node: NodeDef, name: str) -> None:
        if name in node.attr:
            return
        definition = opdefs.find(node.op)
        for attr in definition.attr if definition is not None else ():
            if attr.name == name and attr.HasField("default_value"):
                node.attr[name].CopyFrom(attr.default_value)
                self.written[f"{name} of {node.op}"] += 1

    def _refusal(self) -> str:
        lines = []
        for (problem, where), names in sorted(self.problems.items()):
            shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
            lines.append(f"{problem}: {shown}{where}")
        count = sum(len(names) for names in self.problems.values())
        to = history.releases()[self.release]
        return f"TensorFlow {to} cannot have {count} of the nodes:\n  " + "\n  ".join(lines)


# Rules that an attr calls for, not the op: op -> attrs.
_ATTR_RULES = {
    "Conv2D": {"padding", "explicit_paddings"},
    "DepthwiseConv2dNative": {"padding", "explicit_paddings"},
    "MaxPool": {"padding", "explicit_paddings"},
    "ArgMax": {"output_type"},
    "ArgMin": {"output_type"},
}


def _counted(counts: Counter[str]) -> list[str]:
    return [f"{what}: {n}" for what, n in sorted(counts.items())]
