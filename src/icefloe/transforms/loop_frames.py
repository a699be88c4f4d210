"""Which loops nodes are in: the path of frames from the outermost, as Enter nodes name them."""

from __future__ import annotations

from collections import deque

from icefloe.transforms.node_edits import Nodes, attr_of

ENTERS = frozenset(("Enter", "RefEnter"))
EXITS = frozenset(("Exit", "RefExit"))


def frames_of(nodes: Nodes) -> dict[str, tuple[str, ...]]:
    """Return for each node the frames that its outputs are in, () outside of loops.

    A node takes the frames of the first of its inputs that is known, so that back edges tell nothing.
    """
    users = nodes.consumers()
    found = {node.name: _after(nodes, node.name, ()) for node in nodes if not node.input}
    waiting = deque(found)
    while waiting:
        name = waiting.popleft()
        for user in users.get(name, ()):
            if user.name not in found:
                found[user.name] = _after(nodes, user.name, found[name])
                waiting.append(user.name)
    return found


def _after(nodes: Nodes, name: str, frames: tuple[str, ...]) -> tuple[str, ...]:
    node = nodes[name]
    if node.op in ENTERS:
        return (*frames, attr_of(node, "frame_name").s.decode("utf-8", "surrogateescape"))
    return frames[:-1] if node.op in EXITS else frames


def parallel_iterations(nodes: Nodes, frame: str) -> int:
    """Return what the ways into a loop say, which must agree."""
    for node in nodes:
        if node.op in ENTERS and attr_of(node, "frame_name").s.decode("utf-8", "surrogateescape") == frame:
            return attr_of(node, "parallel_iterations").i
    return 10
