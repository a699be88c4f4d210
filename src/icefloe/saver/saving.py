"""Saving without the graph's own save nodes, where a session's ops may not write files: the path is the caller's, not
the graph's.

The tensors that the save nodes would have written are fetched in one run, and written in their order as one shard.
"""

from __future__ import annotations

from typing import Any

from icefloe import errors
from icefloe.checkpoint.slices import parse_spec
from icefloe.checkpoint.writer import BundleWriter
from icefloe.graph.operation import Operation
from icefloe.saver.restore_plan import ancestors, texts


def may_write(sess: Any, path: str) -> bool:
    """Whether the ops of a session may write below `path`; so they may where the session does not say."""
    manager = getattr(sess, "_manager", None)
    if manager is None:
        return True
    try:
        manager.check_file(path, "write")
    except errors.PermissionDeniedError:
        return False
    return True


def _contents(node: Operation) -> tuple[list[str], list[str], list[Any]]:
    names, specs = texts(node.inputs[1]), texts(node.inputs[2])
    tensors = list(node.inputs[3:])
    if names is None or specs is None or not len(names) == len(specs) == len(tensors):
        raise errors.PermissionDeniedError(
            "the names to save are not constants, and the session may not write files", op=node
        )
    return names, specs, tensors


def save_values(sess: Any, save_tensor_name: str, prefix: str) -> None:
    """Write what the save nodes behind `save_tensor_name` would write, under `prefix`.

    Raises: PermissionDeniedError for a Saver of the V1 format, or one whose names the graph computes; else as a run
    and a `BundleWriter`.
    """
    op = sess.graph.get_tensor_by_name(save_tensor_name).op
    nodes = list(ancestors(op, frozenset(("SaveV2", "SaveSlices", "Save"))))
    if not nodes or any(node.type != "SaveV2" for node in nodes):
        raise errors.PermissionDeniedError(
            "only Savers of the V2 format save in a session that may not write files", path=prefix
        )
    names: list[str] = []
    specs: list[str] = []
    tensors: list[Any] = []
    for node in nodes:
        for whole, part in zip((names, specs, tensors), _contents(node), strict=True):
            whole.extend(part)
    values = sess.run(tensors)
    with BundleWriter(prefix) as writer:
        for name, spec, value in zip(names, specs, values, strict=True):
            if spec:
                shape, chosen = parse_spec(spec)
                writer.add_slice(name, shape, chosen, value)
            else:
                writer.add(name, value)
