"""The objects below a root as TensorFlow numbers and names them, and how they fit those in a checkpoint.

Objects are numbered breadth first, slots of optimizers behind all others. An object's path is the first that leads to
it; its tensors are saved as `path/.ATTRIBUTES/name`, a slot as `variable/.OPTIMIZER_SLOT/optimizer/slot/.ATTRIBUTES/…`.

Source: tensorflow/python/checkpoint/{graph_view,save_util,util,restore}.py.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from icefloe.lib import messages
from icefloe.lib.variable import Variable
from icefloe.optimizers.optimizer import Optimizer
from icefloe.proto import TrackableObjectGraph
from icefloe.saver import trackable


def _escape(name: str) -> str:
    return name.replace(".", "..").replace("/", ".S")


@dataclass
class ObjectView:
    """The objects below a root.

    objects: by number, the root first. paths: of each. owned: of each, pairs of name and number. slots: of each, as
    (number of the variable, slot's name, number of the slot).
    """

    objects: list[Any] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    owned: list[list[tuple[str, int]]] = field(default_factory=list)
    slots: list[list[tuple[int, str, int]]] = field(default_factory=list)
    _numbers: dict[int, int] = field(default_factory=dict)

    def _add(self, value: Any, path: str) -> int:
        number = len(self.objects)
        self._numbers[id(value)] = number
        self.objects.append(value)
        self.paths.append(path)
        self.owned.append([])
        self.slots.append([])
        return number

    def number_of(self, value: Any) -> int | None:
        """Return the number of an object, None if it is not below the root."""
        return self._numbers.get(id(value))

    def key(self, number: int, attribute: str) -> str:
        """Return the key under which an attribute of an object is saved."""
        path = self.paths[number]
        return f"{path}/.ATTRIBUTES/{_escape(attribute)}" if path else f".ATTRIBUTES/{_escape(attribute)}"

    def to_proto(self) -> TrackableObjectGraph:
        """Return the objects as a TrackableObjectGraph message."""
        graph = TrackableObjectGraph()
        for number, value in enumerate(self.objects):
            node = graph.nodes.add()
            for name, child in self.owned[number]:
                node.children.add(node_id=child, local_name=name)
            for owner, name, slot in self.slots[number]:
                node.slot_variables.add(original_variable_node_id=owner, slot_name=name, slot_variable_node_id=slot)
            full_name = value.op.name if isinstance(value, Variable) else ""
            for attribute in trackable.attributes(value):
                key = self.key(number, attribute)
                node.attributes.add(name=attribute, full_name=full_name, checkpoint_key=key)
        self._mark_those_with_values(graph)
        return graph

    def _mark_those_with_values(self, graph: TrackableObjectGraph) -> None:
        """Say of each object whether it, or one that it owns, has something saved."""
        owners: list[list[int]] = [[] for _ in graph.nodes]
        for number, owned in enumerate(self.owned):
            for _, child in owned:
                owners[child].append(number)
        waiting = [i for i, node in enumerate(graph.nodes) if node.attributes or node.slot_variables]
        marked = set(waiting)
        while waiting:
            for owner in owners[waiting.pop()]:
                if owner not in marked:
                    marked.add(owner)
                    waiting.append(owner)
        for number, node in enumerate(graph.nodes):
            node.has_checkpoint_values.value = number in marked


def view_of(
    root: Any, *, with_slots: bool = True, children: Callable[[Any], list[tuple[str, Any]]] = trackable.children
) -> ObjectView:
    """Return the objects below `root`. children: gives what an object owns, as pairs of name and object.

    Raises: ValueError for a dict that cannot be saved.
    """
    view = ObjectView()
    waiting = deque([view._add(root, "")])
    while waiting:
        number = waiting.popleft()
        prefix = f"{view.paths[number]}/" if view.paths[number] else ""
        for name, child in children(view.objects[number]):
            found = view.number_of(child)
            if found is None:
                found = view._add(child, prefix + _escape(name))
                waiting.append(found)
            view.owned[number].append((name, found))
    if with_slots:
        _add_slots(view)
    return view


def _add_slots(view: ObjectView) -> None:
    count = len(view.objects)
    owners = [i for i in range(count) if isinstance(view.objects[i], Variable)]
    for number in range(count):
        optimizer = view.objects[number]
        if not isinstance(optimizer, Optimizer):
            continue
        for name in optimizer.get_slot_names():
            for owner in owners:
                slot = optimizer.get_slot(view.objects[owner], name)
                if slot is None:
                    continue
                found = view.number_of(slot)
                if found is None:
                    found = view._add(slot, f"{view.paths[owner]}/.OPTIMIZER_SLOT/{view.paths[number]}/{_escape(name)}")
                view.slots[number].append((owner, name, found))


def match(view: ObjectView, stored: TrackableObjectGraph) -> dict[int, int]:
    """Return which object below the root each object of a checkpoint is: stored number -> number in `view`."""
    nodes = stored.nodes
    if not nodes or not view.objects:
        return {}
    found = {0: 0}
    taken = {0: 0}
    waiting = deque([0])

    def pair(there: int, here: int) -> None:
        if not 0 <= there < len(nodes) or found.get(there, here) != here or taken.get(here, there) != there:
            messages.warning(
                "Inconsistent references when loading the checkpoint into this object graph. For example, in the saved "
                "checkpoint object, `model.layer.weight` and `model.layer_copy.weight` reference the same variable, "
                "while in the current object these are two different variables. The referenced variables are: "
                "(%s).",
                view.objects[here],
            )
            return
        if there not in found:
            found[there], taken[here] = here, there
            waiting.append(there)

    while waiting:
        there = waiting.popleft()
        names = {child.local_name: child.node_id for child in nodes[there].children}
        for name, here in view.owned[found[there]]:
            if name in names:
                pair(names[name], here)
    for there, node in enumerate(nodes):
        if there not in found or not node.slot_variables:
            continue
        here_slots = {(owner, name): slot for owner, name, slot in view.slots[found[there]]}
        for item in node.slot_variables:
            owner = found.get(item.original_variable_node_id)
            slot = None if owner is None else here_slots.get((owner, item.slot_name))
            if slot is not None:
                pair(item.slot_variable_node_id, slot)
    return found
