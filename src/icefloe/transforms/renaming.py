"""Names of nodes changed, and two graphs joined."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np

from icefloe import errors
from icefloe.analysis.graph_argument import takes_graphs
from icefloe.analysis.graph_io import graph_io
from icefloe.analysis.roles import outputs as outputs_of
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import read_graph
from icefloe.proto import GraphDef
from icefloe.session import Session
from icefloe.transforms.comparing import RUN_OPTIONS, compare_arrays, hindrance, random_feed
from icefloe.transforms.finishing import finish, output_names, tensor_name
from icefloe.transforms.node_edits import Nodes, node_of, set_inputs
from icefloe.transforms.reports import Check, PassReport, Transformed, first_line

_NAME = re.compile(r"[A-Za-z0-9._][A-Za-z0-9_.\\/>-]*")


@takes_graphs()
def rename(
    graph: Graph,
    names: Mapping[str, str] | Callable[[str], str],
    outputs: Iterable[str] | None = None,
    *,
    check: bool = True,
) -> Transformed:
    """Return `graph` with other names of nodes.

    names: old name -> new name, or a function that returns the new name. Inputs, colocation and the names of outputs
    follow. outputs: names in `graph`, by default those of signatures or the likeliest one.

    Raises: KeyError for a name that the graph does not have; InvalidArgumentError if two nodes would have one name, or
    a name is none; InternalError if the new graph gives other values.
    """
    if not isinstance(names, Mapping) and not callable(names):
        raise TypeError(f"rename: expected a dict of old name -> new name, or a function, got {names!r}")
    nodes = Nodes(graph)
    if isinstance(names, Mapping):
        lost = [name for name in names if name not in nodes]
        if lost:
            raise KeyError(f"the graph has no nodes {', '.join(lost[:10])}")
        given = names
        change: Callable[[str], str] = lambda name: given.get(name, name)  # noqa: E731
    else:
        change = names
    new = {node.name: change(node.name) for node in nodes}
    _check_names(new)
    try:
        wanted = output_names(graph, outputs)
    except errors.InvalidArgumentError:
        if outputs is not None:
            raise
        wanted = []
    changed_nodes = Nodes(renamed(nodes, new))
    moved = {t.name: f"{new[op.name]}:{t.value_index}" for op in graph.get_operations() for t in outputs_of(op)}
    changed = sum(old != name for old, name in new.items())
    return finish(
        graph, changed_nodes, wanted, [PassReport("rename", changed=changed)], check=check and bool(wanted), names=moved
    )


def _check_names(new: Mapping[str, str]) -> None:
    owner: dict[str, str] = {}
    for old, name in new.items():
        if not _NAME.fullmatch(name):
            raise errors.InvalidArgumentError(f"{old!r} would be called {name!r}: that is no name of a node")
        if name in owner:
            raise errors.InvalidArgumentError(f"{owner[name]!r} and {old!r} would both be called {name!r}")
        owner[name] = old


def renamed(nodes: Nodes, new: Mapping[str, str]) -> GraphDef:
    """Return nodes under new names; `new` has all of them. Inputs and colocation follow."""
    definition = nodes.to_graph_def()
    for node in definition.node:
        node.name = new[node.name]
        set_inputs(node, [_moved(text, new) for text in node.input])
        if "_class" in node.attr:
            places = [p.decode("utf-8", "replace") for p in node.attr["_class"].list.s]
            del node.attr["_class"]
            moved = ["loc:@" + new.get(p.removeprefix("loc:@"), p.removeprefix("loc:@")) for p in places]
            node.attr["_class"].list.s.extend(p.encode() for p in moved)
    return definition


def _moved(text: str, new: Mapping[str, str]) -> str:
    if text.startswith("^"):
        return "^" + new[text[1:]]
    name, colon, index = text.partition(":")
    return new[name] + colon + index


@takes_graphs(2)
def stitch(
    first: Graph,
    second: Graph,
    joints: Mapping[str, str],
    outputs: Iterable[str] | None = None,
    *,
    prefix: str = "",
    check: bool = True,
) -> Transformed:
    """Return one graph in which outputs of `first` are the inputs of `second`.

    joints: tensor of `second`, usually a placeholder -> tensor of `first` that takes its place. prefix: name scope for
    the nodes of `second`. outputs: names in `second`, by default those of signatures or the likeliest one.

    The joined graph is compared with running one graph and then the other.

    Raises: KeyError or ValueError for a name that a graph does not have; InvalidArgumentError if the dtypes or shapes
    of a joint do not fit, or both graphs have a node of one name.
    """
    if not isinstance(joints, Mapping):
        raise TypeError(f"stitch: expected a dict of a tensor of the second graph -> one of the first, got {joints!r}")
    wanted = output_names(second, outputs)
    pairs = {tensor_name(second, old): tensor_name(first, new) for old, new in joints.items()}
    for old, new in pairs.items():
        a, b = second.get_tensor_by_name(old), first.get_tensor_by_name(new)
        if a.dtype.base_dtype != b.dtype.base_dtype or not a.shape.is_compatible_with(b.shape):
            raise errors.InvalidArgumentError(
                f"{new} of dtype {b.dtype.name} and shape {b.shape} does not fit {old}, {a.dtype.name} {a.shape}"
            )
    scope = prefix.rstrip("/") + "/" if prefix else ""
    left, right = Nodes(first), Nodes(second)
    right = Nodes(renamed(right, {node.name: scope + node.name for node in right}))
    replaced = {scope + node_of(old) for old in pairs}
    both = [node.name for node in right if node.name in left and node.name not in replaced]
    if both:
        listed = ", ".join(both[:5])
        raise errors.InvalidArgumentError(f"both graphs have nodes {listed}: give a prefix for the second one's")
    right.rewire(
        {(scope + old).removesuffix(":0"): new.removesuffix(":0") for old, new in pairs.items()},
        {
            scope + node_of(old): [node_of(new)]
            for old, new in pairs.items()
            if len(second.get_tensor_by_name(old).op.outputs) == 1
        },
    )
    right.remove(name for name in replaced if not _still_used(right, name))
    for node in right:
        left.add(node)
    for name, function in right.functions.items():
        if left.functions.setdefault(name, function) != function:
            raise errors.InvalidArgumentError(f"both graphs have a function {name!r}, of other bodies")
    definition = left.to_graph_def()
    joined = read_graph(definition)
    names = [pairs.get(name, scope + name) for name in wanted]
    report = PassReport("stitch", added=len(right), changed=len(pairs))
    done = finish(joined, left, names, [report], check=False)
    if not check:
        return done
    return replace(done, check=_compare(first, second, joined, pairs, wanted, names, scope))


def _still_used(nodes: Nodes, name: str) -> bool:
    return any(node_of(text) == name for node in nodes for text in node.input)


def _compare(
    first: Graph,
    second: Graph,
    joined: Graph,
    pairs: Mapping[str, str],
    wanted: list[str],
    names: list[str],
    scope: str,
) -> Check:
    """Compare the joined graph with running both graphs one after the other."""
    if problem := hindrance(joined, names):
        return Check("not checked", problem)
    rng = np.random.default_rng(0)
    try:
        feeds = {
            i.name: random_feed(joined.get_tensor_by_name(i.name), rng)
            for i in graph_io(joined).inputs
            if joined.get_tensor_by_name(i.name).op.type.startswith("Placeholder")
        }
        with Session(graph=read_graph(first.as_graph_def())) as session:
            own = {name: value for name, value in feeds.items() if name.partition(":")[0] in session.graph._by_name}
            middle = dict(zip(pairs, session.run(list(pairs.values()), own, options=RUN_OPTIONS)))
        with Session(graph=read_graph(second.as_graph_def())) as session:
            rest = {n[len(scope) :]: v for n, v in feeds.items() if n.startswith(scope) and n not in own}
            expected = session.run(wanted, {**rest, **middle}, options=RUN_OPTIONS)
        with Session(graph=joined) as session:
            found = session.run(names, feeds, options=RUN_OPTIONS)
    except (errors.OpError, ValueError, TypeError, KeyError) as error:
        return Check("not checked", f"the graphs do not run on random values: {first_line(error)}")
    return compare_arrays(names, expected, found, None)
