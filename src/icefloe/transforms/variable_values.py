"""Values of a graph's variables, from a checkpoint or a session, only those that are asked for.

What a checkpoint calls a variable is found in the graph's own restore nodes where it has some, so that partitions and
names that differ are right; else the variable's name is the key.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.checkpoint import open_checkpoint
from icefloe.checkpoint.slices import parse_spec
from icefloe.graph.build import apply_op
from icefloe.graph.graph import Graph
from icefloe.saver.changed_names import ChangedNames
from icefloe.saver.graph_variables import known_saver_def
from icefloe.saver.restore_plan import restore_plan
from icefloe.saver.restore_report import Wanted
from icefloe.saver.variable_nodes import variables_of


def from_checkpoint(graph: Graph, checkpoint: str | os.PathLike[str], names: Iterable[str]) -> dict[str, np.ndarray]:
    """Return the value of each variable node of `names` as the checkpoint holds it.

    Raises: NotFoundError that lists all that are missing, with names that may be meant.
    """
    keys = _keys(graph)
    values: dict[str, np.ndarray] = {}
    missing: list[str] = []
    with open_checkpoint(checkpoint) as reader:
        near: ChangedNames | None = None
        for name in names:
            wanted = keys.get(name)
            key = name if wanted is None else wanted.key
            if key not in reader and name in reader:
                key, wanted = name, None
            if key not in reader:
                if near is None:
                    near = ChangedNames({stored: entry.shape for stored, entry in reader.entries.items()})
                found = near.find(key)
                missing.append(key + (f" (did you mean {' or '.join(found)}?)" if found else ""))
                continue
            value = reader[key]
            if wanted is not None and wanted.spec:
                full_shape, piece = parse_spec(wanted.spec)
                value = value[piece.index(full_shape)]
            values[name] = value
        if missing:
            listed = "\n  ".join(missing[:50])
            raise errors.NotFoundError(
                f"the checkpoint lacks {len(missing)} of the variables that are needed:\n  {listed}", path=reader.prefix
            )
    return values


def _keys(graph: Graph) -> dict[str, Wanted]:
    """Return for each variable node what the graph's restore nodes read into it."""
    saver_def = known_saver_def(graph)
    if saver_def is None or not saver_def.restore_op_name:
        return {}
    try:
        plan = restore_plan(graph, saver_def.restore_op_name)
    except (KeyError, errors.OpError):
        return {}
    return {w.variable: w for w in plan.wanted if w.variable}


def from_session(session: Any, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Return the value that each variable node of `names` has in a session.

    Raises: FailedPreconditionError for one without a value.
    """
    wanted = set(names)
    with session.graph.as_default():
        tensors = {v.name: v.value for v in variables_of(session.graph) if v.name in wanted and v.value is not None}
    missing = wanted - tensors.keys()
    if missing:
        with session.graph.as_default(), session.graph.control_dependencies(None):
            for name in missing:
                op = session.graph.get_operation_by_name(name)
                if op.type == "VarHandleOp":
                    tensors[name] = apply_op("ReadVariableOp", op.outputs[0], dtype=op.get_attr("dtype"))
                else:
                    tensors[name] = op.outputs[0]
    listed = list(tensors)
    return dict(zip(listed, session.run([tensors[name] for name in listed]))) if listed else {}
