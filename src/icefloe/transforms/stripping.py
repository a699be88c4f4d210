"""Stripping: a graph without what its outputs do not need to be right: other nodes, checks, summaries, device pins.

`extract` keeps what the outputs need and changes nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable

from icefloe.analysis import roles
from icefloe.analysis.graph_argument import listed, takes_graphs
from icefloe.graph.graph import Graph
from icefloe.proto import NodeDef
from icefloe.transforms.finishing import feed_instead, finish, kept_nodes, needed_nodes, output_names, tensor_name
from icefloe.transforms.node_edits import Nodes, each_body, node_of, set_inputs
from icefloe.transforms.reports import PassReport, Transformed
from icefloe.transforms.subgraphs import remove_training_nodes

# Notes of other tools that a runner has no use for.
_NOTES = (
    "_output_shapes",
    "_class",
    "_XlaCompile",
    "_XlaScope",
    "_XlaSeparateCompiledGradients",
    "_user_specified_name",
)


@takes_graphs()
def extract(
    graph: Graph, outputs: Iterable[str] | None = None, inputs: Iterable[str] = (), *, check: bool = True
) -> Transformed:
    """Return the part of `graph` between `inputs` and `outputs`.

    outputs: names of tensors, by default those of signatures or the likeliest one. inputs: names of tensors that are to
    be fed: a Placeholder takes the place of what makes each.

    Raises: KeyError or ValueError for a name that the graph does not have; InvalidArgumentError if it has no outputs.
    """
    wanted = output_names(graph, outputs)
    nodes = Nodes(graph)
    fed = feed_instead(nodes, graph, [tensor_name(graph, name) for name in listed(inputs)])
    removed = nodes.keep(needed_nodes(nodes, wanted))
    functions = nodes.prune_library()
    passes = [PassReport("cut to the outputs", removed=removed, notes=_functions(functions))]
    return finish(graph, nodes, wanted, passes, check=check, names=fed)


def _functions(count: int) -> tuple[str, ...]:
    return (f"{count} functions are not used any more",) if count else ()


@takes_graphs()
def strip(
    graph: Graph,
    outputs: Iterable[str] | None = None,
    inputs: Iterable[str] = (),
    *,
    training: bool = True,
    checks: bool = True,
    summaries: bool = True,
    devices: bool = False,
    notes: bool = False,
    check: bool = True,
) -> Transformed:
    """Return `graph` without what its outputs do not need.

    outputs, inputs: as for `extract`. training: take out Identity, StopGradient and CheckNumerics nodes. checks: do not
    wait for assertions. summaries: do not wait for summaries. devices: take out device pins. notes: take out recorded
    shapes, colocation and other notes.

    Raises: as `extract`; InternalError if the new graph gives other values.
    """
    wanted = output_names(graph, outputs)
    nodes = Nodes(graph)
    fed = feed_instead(nodes, graph, [tensor_name(graph, name) for name in listed(inputs)])
    passes = []
    if checks or summaries:
        chosen = {role for role, on in ((roles.CHECK, checks), (roles.SUMMARY, summaries)) if on}
        passes.append(_stop_waiting(graph, nodes, chosen, {node_of(name) for name in wanted}))
    passes.append(PassReport("cut to the outputs", removed=nodes.keep(needed_nodes(nodes, wanted))))
    if training:
        before = len(nodes)
        kept = kept_nodes(graph, wanted)
        nodes = Nodes(remove_training_nodes(nodes.to_graph_def(), kept))
        passes.append(PassReport("training nodes", removed=before - len(nodes)))
    if devices:
        passes.append(clear_devices(nodes))
    if notes:
        passes.append(clear_notes(nodes))
    nodes.prune_library()
    return finish(graph, nodes, wanted, passes, check=check, names=fed)


def _stop_waiting(graph: Graph, nodes: Nodes, chosen: set[str], wanted: set[str]) -> PassReport:
    """Let no node wait for nodes of these roles, unless they are wanted."""
    found = roles.roles(graph, roles.consumers(graph))
    idle = {op.name for op in graph.get_operations() if found[op._id] in chosen} - wanted
    changed = 0
    for node in nodes:
        if node.name in idle:
            continue
        inputs = [text for text in node.input if not (text.startswith("^") and text[1:] in idle)]
        if len(inputs) != len(node.input):
            set_inputs(node, inputs)
            changed += 1
    return PassReport("checks and summaries", changed=changed)


def clear_devices(nodes: Nodes) -> PassReport:
    """Take the device pins out of a graph and its functions."""

    def clear(node: NodeDef) -> bool:
        pinned = bool(node.device)
        node.device = ""
        return pinned

    return PassReport("device pins", changed=each_body(nodes, clear))


def clear_notes(nodes: Nodes) -> PassReport:
    """Take attrs out that say nothing about what a node computes."""

    def clear(node: NodeDef) -> bool:
        attrs = node.attr
        found = [name for name in _NOTES if name in attrs]
        for name in found:
            del attrs[name]
        return bool(found)

    return PassReport("notes", changed=each_body(nodes, clear))
