"""What a graph takes and gives: its inputs and the tensors that may be its results."""

from __future__ import annotations

from typing import Any

# Nodes that nobody uses without being results.
_NO_RESULTS = frozenset(
    ("Const", "VariableV2", "Variable", "VarHandleOp", "VarIsInitializedOp", "ReadVariableOp", "IsVariableInitialized")
)
_SAVES = frozenset(("SaveV2", "SaveSlices", "Save", "RestoreV2", "RestoreSlice", "Restore"))


def _saver_scopes(graph: Any) -> tuple[str, ...]:
    """Return the name scopes in which Savers keep their nodes."""
    names = (op.name for op in graph.get_operations() if op.type in _SAVES)
    return tuple({name.rpartition("/")[0] + "/" for name in names if "/" in name})


def inputs_of(graph: Any) -> list[Any]:
    """Return the tensors that a run feeds: placeholders."""
    savers = _saver_scopes(graph)
    return [
        op.outputs[0]
        for op in graph.get_operations()
        if op.type in ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault") and not op.name.startswith(savers)
    ]


def results_of(graph: Any) -> list[Any]:
    """Return the first outputs of nodes that no other node uses, without reads, assignments and save nodes."""
    savers = _saver_scopes(graph)
    found = []
    for op in graph.get_operations():
        if not op.outputs or op.type in _NO_RESULTS or "Assign" in op.type or op.name.startswith(savers):
            continue
        is_read = op.type == "Identity" and op.name.endswith("/read")
        if not is_read and not any(output.consumers() for output in op.outputs):
            found.append(op.outputs[0])
    return found
