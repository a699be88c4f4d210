"""The object graph of an object-based checkpoint, changed so that it fits the tensors of an edit.

TensorFlow restores by walking from node 0 along the names of children and reading, at a node, the tensor that its
attribute's `checkpoint_key` names. A key is the path of names, each escaped, and `/.ATTRIBUTES/` and the attribute.
Source: tensorflow/core/protobuf/trackable_object_graph.proto.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from google.protobuf.message import DecodeError

from icefloe import datatypes, errors
from icefloe.checkpoint.editing.stored import OBJECT_GRAPH
from icefloe.checkpoint.editing.stream import Output, from_array
from icefloe.checkpoint.reading import CheckpointReader
from icefloe.proto import TrackableObjectGraph

_ATTRIBUTES = ".ATTRIBUTES"
_SLOT = ".OPTIMIZER_SLOT"


def read_objects(reader: CheckpointReader) -> TrackableObjectGraph | None:
    """Return the object graph of a checkpoint, None if it has none. Raises: DataLossError if it is damaged."""
    if OBJECT_GRAPH not in reader.entries:
        return None
    value = reader.read(OBJECT_GRAPH)
    if value.shape != () or not value.dtype.hasobject:
        raise errors.DataLossError("the object graph is no scalar string", path=reader.prefix)
    try:
        graph = TrackableObjectGraph.FromString(value.item())
    except DecodeError as e:
        raise errors.DataLossError(f"the object graph cannot be read: {e}", path=reader.prefix) from None
    count = len(graph.nodes)
    for node in graph.nodes:
        ids = [c.node_id for c in node.children]
        for slot in node.slot_variables:
            ids += (slot.original_variable_node_id, slot.slot_variable_node_id)
        if any(not 0 <= i < count for i in ids):
            raise errors.DataLossError(f"the object graph names a node that it has not: {ids}", path=reader.prefix)
    return graph


def as_output(graph: TrackableObjectGraph, shard: int | None = 0) -> Output:
    """Return the tensor that holds an object graph."""
    value = np.empty((), object)
    value[()] = graph.SerializeToString(deterministic=True)
    return from_array(OBJECT_GRAPH, datatypes.string, value, shard)


def full_names(graph: TrackableObjectGraph | None) -> dict[str, str]:
    """Return, by key of a tensor, the full name of its variable, where there is one."""
    if graph is None:
        return {}
    return {a.checkpoint_key: a.full_name for node in graph.nodes for a in node.attributes if a.full_name}


def _escaped(name: str) -> str:
    return name.replace(".", "..").replace("/", ".S")


def _unescaped(part: str) -> str:
    return re.sub(r"\.([S.])", lambda m: "/" if m[1] == "S" else ".", part)


def _path(key: str) -> list[str] | None:
    """Return the components of the path in a key, None where it is no path of children."""
    path, mark, _ = key.rpartition(f"/{_ATTRIBUTES}/")
    parts = path.split("/")
    if not mark or not path or _SLOT in parts:
        return None
    return [_escaped(_unescaped(part)) for part in parts]  # a dot that somebody did not write twice is a dot


class _Edges:
    """The children of each node of a graph by their escaped names."""

    def __init__(self, graph: TrackableObjectGraph) -> None:
        self.graph = graph
        self.children = [{_escaped(c.local_name): c.node_id for c in node.children} for node in graph.nodes]

    def walk(self, path: Iterable[str]) -> int | None:
        """Return the node that a path from the root leads to."""
        node: int | None = 0 if self.children else None
        for part in path:
            if node is None:
                return None
            node = self.children[node].get(part)
        return node

    def add(self, parent: int, part: str, child: int | None = None) -> int:
        """Add an edge to `child`, or to a new node where that is None; return the node it leads to."""
        if child is None:
            child = len(self.children)
            self.graph.nodes.add().has_checkpoint_values.value = True
            self.children.append({})
        self.graph.nodes[parent].children.add(node_id=child, local_name=_unescaped(part))
        self.children[parent][part] = child
        return child

    def remove(self, parent: int, part: str) -> None:
        children = self.graph.nodes[parent].children
        _replace(children, [c for c in children if _escaped(c.local_name) != part])
        del self.children[parent][part]


def rename_objects(graph: TrackableObjectGraph, new_key: Callable[[str], str], new_name: Callable[[str], str]) -> None:
    """Change keys and full names, and the names of children so that the paths are those of the new keys.

    An edge of which all keys below it say the same new name gets that name; else the objects are hung elsewhere, as
    high up as all of their variables move together.

    Raises: InvalidArgumentError if two objects would have one path.
    """
    wanted: list[tuple[int, list[str], list[str]]] = []
    edges = _Edges(graph)
    for number, node in enumerate(graph.nodes):
        for attribute in node.attributes:
            old, new = attribute.checkpoint_key, new_key(attribute.checkpoint_key)
            attribute.checkpoint_key = new
            if attribute.full_name:
                attribute.full_name = new_name(attribute.full_name)
            before, after = _path(old), _path(new)
            if before is not None and after is not None and edges.walk(before) == number:
                wanted.append((number, before, after))
    changes = _relabel(edges, wanted)
    wanted = [(number, _relabelled(edges, changes, before), after) for number, before, after in wanted]
    edges = _Edges(graph)
    leading = _leading_to_values(graph)
    moved = _moves(edges, wanted)
    for moving, path, _ in moved:
        parent = edges.walk(path[:-1])
        if parent is not None and edges.children[parent].get(path[-1]) == moving:
            edges.remove(parent, path[-1])
    for moving, _, path in moved:
        _connect(edges, moving, path)
    if moved:
        prune_objects(graph, lambda key: True, leading)


def _moves(
    edges: _Edges, wanted: list[tuple[int, list[str], list[str]]]
) -> list[tuple[int, Sequence[str], Sequence[str]]]:
    """Return `(node, path before, path after)` of what has to be hung elsewhere: of each variable that is not where it
    should be the first node on its path whose variables all move together.
    """
    ends: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for _, before, after in wanted:
        for i in range(1, len(before) + 1):
            rest = before[i:]
            start = after[: len(after) - len(rest)]
            together = len(after) > len(rest) and after[len(start) :] == rest
            ends.setdefault(tuple(before[:i]), set()).add(tuple(start) if together else ())
    moves: dict[tuple[str, ...], tuple[str, ...]] = {}
    for number, before, after in wanted:
        if edges.walk(after) == number:
            continue
        for i in range(1, len(before) + 1):
            path = tuple(before[:i])
            (end, *others) = ends[path]
            if end and not others:
                moves[path] = end
                break
        else:
            moves[tuple(before)] = tuple(after)
    found = [(edges.walk(path), path, end) for path, end in moves.items()]
    return [(node, path, end) for node, path, end in found if node is not None]


def _relabel(edges: _Edges, wanted: list[tuple[int, list[str], list[str]]]) -> dict[int, dict[str, str]]:
    """Give edges of which all keys below say the same new name that name; return, by node, old name -> new name."""
    labels: dict[tuple[int, str], set[str]] = {}
    for _, before, after in wanted:
        node = 0
        for i, part in enumerate(before):
            labels.setdefault((node, part), set()).add(after[i] if len(before) == len(after) else "")
            node = edges.children[node][part]
    changes: dict[int, dict[str, str]] = {}
    for (node, part), found in labels.items():
        (label, *others) = found
        if label not in ("", part) and not others:
            changes.setdefault(node, {})[part] = label
    for number, new in list(changes.items()):
        result = [new.get(part, part) for part in edges.children[number]]
        if len(set(result)) != len(result):
            del changes[number]
            continue
        for child in edges.graph.nodes[number].children:
            part = _escaped(child.local_name)
            if part in new:
                child.local_name = _unescaped(new[part])
    return changes


def _relabelled(edges: _Edges, changes: dict[int, dict[str, str]], path: list[str]) -> list[str]:
    """Return a path as it is called after `changes`; `edges` are those before."""
    node = 0
    out = []
    for part in path:
        out.append(changes.get(node, {}).get(part, part))
        node = edges.children[node][part]
    return out


def _connect(edges: _Edges, number: int, path: Sequence[str]) -> None:
    """Let `path` lead to a node."""
    node = 0
    for part in path[:-1]:
        following = edges.children[node].get(part)
        node = edges.add(node, part) if following is None else following
    taken = edges.children[node].get(path[-1])
    if taken is None:
        edges.add(node, path[-1], number)
    elif taken != number:
        raise errors.InvalidArgumentError(f"two objects would have the path {'/'.join(path)!r}")


def _replace(field: object, items: list) -> None:
    copies = [type(item).FromString(item.SerializeToString()) for item in items]
    del field[:]  # type: ignore[attr-defined]
    field.extend(copies)  # type: ignore[attr-defined]


def prune_objects(graph: TrackableObjectGraph, kept: Callable[[str], bool], before: set[int] | None = None) -> None:
    """Leave out the attributes whose key is not `kept`, then the nodes and slot variables that led to some and lead to
    none any more.

    What led to nothing from the start stays. before: the nodes that led to some, where edges were taken away since.
    """
    reached = _reachable(graph)
    before = _leading_to_values(graph) if before is None else before
    for node in graph.nodes:
        _replace(node.attributes, [a for a in node.attributes if kept(a.checkpoint_key)])
    for node in graph.nodes:
        _keep_slots(node, lambda ids: all(graph.nodes[i].attributes for i in ids))
    _renumber(graph, reached - (before - _leading_to_values(graph)))


def _leading_to_values(graph: TrackableObjectGraph) -> set[int]:
    """Return the nodes that have an attribute, or from which children or slot variables lead to one that has."""
    parents: dict[int, list[int]] = {}
    for number, node in enumerate(graph.nodes):
        for child in node.children:
            parents.setdefault(child.node_id, []).append(number)
        for slot in node.slot_variables:
            parents.setdefault(slot.slot_variable_node_id, []).append(number)
    found: set[int] = set()
    waiting = [i for i, n in enumerate(graph.nodes) if n.attributes or n.HasField("registered_saver")]
    while waiting:
        number = waiting.pop()
        if number not in found:
            found.add(number)
            waiting += parents.get(number, ())
    return found


def _keep_slots(node: TrackableObjectGraph.TrackableObject, wanted: Callable[[set[int]], bool]) -> None:
    slots = node.slot_variables
    if slots:
        _replace(slots, [s for s in slots if wanted({s.original_variable_node_id, s.slot_variable_node_id})])


def _reachable(graph: TrackableObjectGraph) -> set[int]:
    found: set[int] = set()
    waiting = [0] if graph.nodes else []
    while waiting:
        number = waiting.pop()
        if number in found:
            continue
        found.add(number)
        node = graph.nodes[number]
        waiting += [c.node_id for c in node.children]
        for slot in node.slot_variables:
            waiting += (slot.original_variable_node_id, slot.slot_variable_node_id)
    return found


def _renumber(graph: TrackableObjectGraph, kept: set[int]) -> None:
    """Keep the nodes `kept` that can still be reached, in their order, node 0 first."""
    kept = (kept & _reachable(graph)) | ({0} if graph.nodes else set())
    numbers = {old: new for new, old in enumerate(sorted(kept))}
    nodes = []
    for old in sorted(kept):
        node = graph.nodes[old]
        _replace(node.children, [c for c in node.children if c.node_id in numbers])
        _keep_slots(node, lambda slot_nodes: slot_nodes <= numbers.keys())
        for child in node.children:
            child.node_id = numbers[child.node_id]
        for slot in node.slot_variables:
            slot.original_variable_node_id = numbers[slot.original_variable_node_id]
            slot.slot_variable_node_id = numbers[slot.slot_variable_node_id]
        nodes.append(node)
    _replace(graph.nodes, nodes)


def graft(
    into: TrackableObjectGraph,
    other: TrackableObjectGraph,
    scope: str,
    new_key: Callable[[str], str],
    prefer: str | None = None,
) -> None:
    """Add the objects of `other` to `into` below the path `scope`, "" for its root, with `new_key` for their keys.

    prefer: whose objects to take where both have a child of one name, "first" those of `into`, "last" those of
    `other`; both counters of saves are the first's in any case.

    Raises: InvalidArgumentError if both have a child of the same name and `prefer` is None.
    """
    if not into.nodes:
        into.nodes.add().has_checkpoint_values.value = True
    root = 0
    for part in filter(None, scope.split("/")):
        following = next((c.node_id for c in into.nodes[root].children if c.local_name == part), None)
        if following is None:
            following = len(into.nodes)
            into.nodes.add().has_checkpoint_values.value = True
            into.nodes[root].children.add(node_id=following, local_name=part)
        root = following
    shift = len(into.nodes) - 1  # node 0 of `other` becomes `root`
    for number, node in enumerate(other.nodes):
        copy = TrackableObjectGraph.TrackableObject.FromString(node.SerializeToString())
        for child in copy.children:
            child.node_id = root if child.node_id == 0 else child.node_id + shift
        for slot in copy.slot_variables:
            slot.original_variable_node_id += shift
            slot.slot_variable_node_id += shift
        for attribute in copy.attributes:
            attribute.checkpoint_key = new_key(attribute.checkpoint_key)
        if number:
            into.nodes.append(copy)
        else:
            _join_roots(into.nodes[root], copy, prefer)


def _join_roots(
    root: TrackableObjectGraph.TrackableObject, other: TrackableObjectGraph.TrackableObject, prefer: str | None
) -> None:
    names = {c.local_name for c in root.children}
    both = [c.local_name for c in other.children if c.local_name in names and c.local_name != "save_counter"]
    if both and prefer is None:
        raise errors.InvalidArgumentError(
            f"both checkpoints have objects {', '.join(map(repr, both[:10]))}", hint="Put them under scopes."
        )
    if prefer == "last":
        _replace(root.children, [c for c in root.children if c.local_name not in both])
        names = {c.local_name for c in root.children}
    for child in other.children:
        if child.local_name not in names:
            root.children.add(node_id=child.node_id, local_name=child.local_name)
    root.attributes.extend(other.attributes)
    root.slot_variables.extend(other.slot_variables)
