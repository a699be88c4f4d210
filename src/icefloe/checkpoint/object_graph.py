"""The object graph of a checkpoint that TensorFlow 2 saved by objects: which object holds which tensor, under which
names.

A tensor of such a checkpoint has a key, `model/dense/kernel/.ATTRIBUTES/VARIABLE_VALUE`; the object path that the key
begins with; other paths that lead to the same object; the variable's full name in its graph, `dense/kernel`; and, where
it is an optimizer's slot, an owner. Paths escape `.` as `..` and `/` as `.S` in a child's name.

Source: tensorflow/core/protobuf/trackable_object_graph.proto, tensorflow/python/checkpoint/trackable_view.py.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from icefloe import errors

if TYPE_CHECKING:
    from icefloe.proto import TrackableObjectGraph

KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
VALUE = "VARIABLE_VALUE"
ATTRIBUTES = "/.ATTRIBUTES/"
VALUE_SUFFIX = ATTRIBUTES + VALUE
# A graph may be a chain of thousands of objects, whose paths together would be far longer than the graph.
_MAX_PATH = 1024


@dataclass(frozen=True, slots=True)
class SlotOf:
    """Whose slot a variable is: the key, path and full name of the owner, the optimizer's path, the slot's name."""

    owner_key: str
    owner_path: str
    owner_name: str
    optimizer: str
    slot: str


@dataclass(frozen=True, slots=True)
class ObjectTensor:
    """What the graph says of one tensor.

    key: as stored. path: of the object, the key without its suffix. attribute: which of the object's tensors it is.
    full_name: the variable's name in its graph, "" where there is none. node: number of the object.
    """

    key: str
    path: str
    attribute: str
    full_name: str
    node: int
    slot: SlotOf | None = None


class ObjectGraph:
    """A view of a TrackableObjectGraph.

    tensors: key -> ObjectTensor, in the order of the graph. by_full_name: full name -> keys; several where the program
    gave one name to several variables. registered_savers: (saver, name it saved under, object path) of objects that are
    saved by functions of the program.

    Raises: DataLossError if the bytes are no such graph.
    """

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self._proto = _parse(raw)
        nodes = self._proto.nodes
        parents = self._parents()
        slots = self._slots(parents)
        self.tensors: dict[str, ObjectTensor] = {}
        self.registered_savers: list[tuple[str, str, str]] = []
        for number, node in enumerate(nodes):
            for item in node.attributes:
                key = item.checkpoint_key
                path = key.partition(ATTRIBUTES)[0] if ATTRIBUTES in key else self._path(number, parents)
                attribute = key.partition(ATTRIBUTES)[2] if ATTRIBUTES in key else item.name
                self.tensors.setdefault(
                    key, ObjectTensor(key, path, attribute, item.full_name, number, slots.get(number))
                )
            if node.registered_saver.name:
                saver = node.registered_saver
                self.registered_savers.append((saver.name, saver.object_name, self._path(number, parents)))

    @property
    def num_objects(self) -> int:
        return len(self._proto.nodes)

    @cached_property
    def by_full_name(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for item in self.tensors.values():
            if item.full_name:
                found.setdefault(item.full_name, []).append(item.key)
        # Of several tensors of one object, the name is that of its value.
        values = {name: [k for k in keys if self.tensors[k].attribute == VALUE] for name, keys in found.items()}
        return {name: tuple(values[name] or keys) for name, keys in found.items()}

    @cached_property
    def by_path(self) -> Mapping[str, tuple[str, ...]]:
        """Object path -> keys: the value's where there is one, else all that the object has."""
        found: dict[str, list[str]] = {}
        for item in self.tensors.values():
            found.setdefault(item.path, []).append(item.key)
        values = {path: [k for k in keys if self.tensors[k].attribute == VALUE] for path, keys in found.items()}
        return {path: tuple(values[path] or keys) for path, keys in found.items()}

    def keys_of(self, name: str) -> tuple[str, ...]:
        """Return the keys that `name`, a key, full name or any path to an object, may mean; none where it is none."""
        if name in self.tensors:
            return (name,)
        found = self.by_full_name.get(name) or self.by_path.get(name)
        if found:
            return found
        path, _, attribute = name.partition(ATTRIBUTES)
        return self._by_walk(path, attribute)

    def _by_walk(self, path: str, attribute: str) -> tuple[str, ...]:
        """Return the keys of the object that the child names in `path` lead to."""
        nodes = self._proto.nodes
        number = 0
        for name in path.split("/"):
            if number >= len(nodes):
                return ()
            local = name.replace(".S", "/").replace("..", ".")
            children = {child.local_name: child.node_id for child in nodes[number].children}
            found = children.get(local)
            if found is None or not 0 <= found < len(nodes):
                return ()
            number = found
        keys = [a.checkpoint_key for a in nodes[number].attributes if not attribute or a.name == attribute]
        values = [a.checkpoint_key for a in nodes[number].attributes if a.name == VALUE]
        return tuple(values if values and not attribute else keys)

    def _parents(self) -> dict[int, tuple[int, str]]:
        """Return, of each object that the root leads to, the first that leads there and under which name; breadth first
        as TensorFlow walks.
        """
        nodes = self._proto.nodes
        parents: dict[int, tuple[int, str]] = {0: (0, "")}
        waiting = deque([0] if len(nodes) else [])
        while waiting:
            number = waiting.popleft()
            for child in nodes[number].children:
                if child.node_id not in parents and 0 <= child.node_id < len(nodes):
                    parents[child.node_id] = (number, child.local_name)
                    waiting.append(child.node_id)
        return parents

    def _path(self, number: int, parents: Mapping[int, tuple[int, str]]) -> str:
        """Return the path to an object; "" for the root, and for one that is nowhere or absurdly deep."""
        parts: list[str] = []
        size = 0
        while number in parents and number != 0:
            number, name = parents[number]
            parts.append(name.replace(".", "..").replace("/", ".S"))
            size += len(parts[-1]) + 1
            if size > _MAX_PATH:
                return ""
        return "/".join(reversed(parts))

    def _slots(self, parents: Mapping[int, tuple[int, str]]) -> dict[int, SlotOf]:
        nodes = self._proto.nodes
        found: dict[int, SlotOf] = {}
        for number, node in enumerate(nodes):
            optimizer = self._path(number, parents) if node.slot_variables else ""
            for slot in node.slot_variables:
                owner = slot.original_variable_node_id
                if not (0 <= owner < len(nodes) and 0 <= slot.slot_variable_node_id < len(nodes)):
                    continue
                value = next((a for a in nodes[owner].attributes if a.name == VALUE), None)
                key = "" if value is None else value.checkpoint_key
                name = "" if value is None else value.full_name
                path = key.partition(ATTRIBUTES)[0] or self._path(owner, parents)
                found[slot.slot_variable_node_id] = SlotOf(key, path, name, optimizer, slot.slot_name)
        return found

    def __len__(self) -> int:
        return len(self.tensors)

    def __repr__(self) -> str:
        return f"<ObjectGraph of {self.num_objects} objects, {len(self.tensors)} tensors>"


def _parse(raw: bytes) -> TrackableObjectGraph:
    from google.protobuf.message import DecodeError

    from icefloe.proto import TrackableObjectGraph

    try:
        return TrackableObjectGraph.FromString(raw)
    except (DecodeError, ValueError, TypeError) as e:
        raise errors.DataLossError(f"the object graph of the checkpoint cannot be read: {e}") from None
