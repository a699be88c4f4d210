"""Restoring: compare, then assign. A checkpoint that does not fit leaves the session as it was.

One restore node reads all tensors before the first is assigned, so it is run as it stands. Where there are several,
one could fail after variables behind another have changed: then all values are read first and given to the assigns.
So it is done too where the session's ops may not read files, because the path is the caller's, not the graph's.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.checkpoint import object_graph, open_checkpoint
from icefloe.checkpoint.index import to_key
from icefloe.checkpoint.object_graph import ObjectTensor
from icefloe.checkpoint.reading import CheckpointReader
from icefloe.checkpoint.slices import parse_spec
from icefloe.datatypes import as_dtype
from icefloe.graph.graph import Graph
from icefloe.proto import SaverDef
from icefloe.saver import state
from icefloe.saver.restore_options import RestoreOptions
from icefloe.saver.restore_partly import EXCLUDED, NOT_CHOSEN, Decisions, restore_partly
from icefloe.saver.restore_plan import RestorePlan, restore_plan
from icefloe.saver.restore_report import Restored, RestoreReport, Stored, Wanted, compare

_LOG = logging.getLogger("icefloe")
_PLAIN = RestoreOptions()


# Keras names slots `Adam/m/dense/kernel`, since 2.11; before, their owners are in the object graph.
_KERAS_SLOT = re.compile(r"[^/]+/(m|v|vhat|velocity|momentum|rms|accumulator|linear|average_gradient)/(.+)")


def _stored(reader: CheckpointReader) -> dict[str, Stored]:
    """Return what the checkpoint holds; its object graph is no tensor that a program could want."""
    objects: Mapping[str, ObjectTensor] = {}
    with contextlib.suppress(errors.DataLossError):  # a damaged object graph keeps nobody from restoring by keys
        objects = {} if reader.object_graph is None else reader.object_graph.tensors
    return {
        name: Stored(entry.dtype, entry.shape, _name_of(objects.get(name)))
        for name, entry in reader.entries.items()
        if name != object_graph.KEY
    }


def _name_of(tensor: ObjectTensor | None) -> str:
    """Return what a program that saves by names would call a tensor, "" where that is not known."""
    if tensor is None:
        return ""
    if tensor.slot is not None and tensor.slot.owner_name:
        return f"{tensor.slot.owner_name}/{tensor.slot.slot}"
    slot = _KERAS_SLOT.fullmatch(tensor.full_name)
    return tensor.full_name if slot is None else f"{slot[2]}/{slot[1]}"


def match(plan: RestorePlan, reader: CheckpointReader) -> tuple[RestoreReport, dict[str, str]]:
    """Return how the plan fits the checkpoint, and the keys of those it wants by another of their names: in an
    object-based checkpoint by the variable's name, in one saved by name by the object's key.

    Raises: InvalidArgumentError if several tensors have a name.
    """
    stored = _stored(reader)
    report = compare(plan.wanted, stored, reader.prefix)
    if not any(reader.keys_of(w.key) for w in report.missing):
        return report, {}
    report = Decisions(plan.wanted, reader, stored, _PLAIN).report
    return report, {r.wanted.key: r.key for r in report.restored if r.key != r.wanted.key}


def _read(reader: CheckpointReader, wanted: Wanted, key: str) -> np.ndarray:
    if not wanted.spec:
        return reader.read(key)
    return reader.read_slice(key, parse_spec(wanted.spec)[1])


def _may_read(sess: Any, path: str) -> bool:
    manager = getattr(sess, "_manager", None)
    if manager is None:
        return True
    try:
        manager.check_file(path, "read")
    except errors.PermissionDeniedError:
        return False
    return True


def match_file(
    graph: Graph, saver_def: SaverDef, save_path: str, options: RestoreOptions = _PLAIN
) -> RestoreReport | None:
    """Return how the checkpoint `save_path` fits what `saver_def` restores; None where only running the graph can tell.

    Raises: ValueError if there is no checkpoint; as `Decisions`.
    """
    plan = restore_plan(graph, saver_def.restore_op_name)
    if not plan.complete:
        return None
    with open_checkpoint(state.resolve_checkpoint(save_path)) as reader:
        if options.is_plain:
            return match(plan, reader)[0]
        return Decisions(plan.wanted, reader, _stored(reader), options).report


def restore(sess: Any, saver_def: SaverDef, save_path: str, options: RestoreOptions = _PLAIN) -> RestoreReport | None:
    """Run the restore op of `saver_def` in `sess` with the checkpoint `save_path`, once it is known to fit; with
    options, those of its assignments that they ask for.

    Returns the report, None where the graph does not tell in advance what it will read.

    Raises: ValueError if there is no checkpoint; else as `Saver.restore`.
    """
    prefix = state.resolve_checkpoint(save_path)
    _LOG.info("Restoring parameters from %s", prefix)
    feed: dict[Any, Any] = {saver_def.filename_tensor_name: prefix}
    plan = restore_plan(sess.graph, saver_def.restore_op_name)
    if not plan.complete:
        if not options.is_plain:
            raise errors.InvalidArgumentError(
                "the graph computes the names that it restores: they must be known for a restore with options"
            )
        sess.run(saver_def.restore_op_name, feed)
        return None
    with open_checkpoint(prefix) as reader:
        if not options.is_plain:
            report = restore_partly(sess, plan, reader, _stored(reader), options)
            _tell(report)
            return report
        report, names = match(plan, reader)
        if not report.fits:
            raise report.error().add_context(hint=_way_out(report))
        if names:
            _LOG.warning("Restoring an object-based checkpoint by the names that its variables had in their graph.")
        if len(plan.names) > 1 or not _may_read(sess, prefix):
            for target in plan.targets:
                key = target.wanted.key
                feed[target.tensor] = _read(reader, target.wanted, names.get(key, key))
        else:
            for tensor, keys in plan.names:
                if names:
                    feed[tensor] = np.array([to_key(names.get(key, key)) for key in keys], object)
        sess.run(saver_def.restore_op_name, feed)
    restored = report.restored or tuple(Restored(w, w.key) for w in plan.wanted)
    return dataclasses.replace(report, restored=restored)


def _way_out(report: RestoreReport) -> str:
    """Return which options of `Saver.restore` would help."""
    ways = ["strict=False restores what fits"]
    if report.renames:
        ways.append("rename=error.report.renames takes the names that are likely meant")
    if report.dtype_mismatch:
        ways.append("cast=True converts dtypes")
    if report.shape_mismatch:
        ways.append("on_shape=... slices or pads")
    return f"{'; '.join(ways)}."


def _tell(report: RestoreReport) -> None:
    """Log what a restore with options has left out, unless it was told to."""
    others = {key: why for key, why in report.skipped.items() if why not in (NOT_CHOSEN, EXCLUDED)}
    if others:
        _LOG.info(
            "Restored %d tensors; %d were not: %s",
            len(report.restored),
            len(others),
            "; ".join(f"{key} ({why})" for key, why in list(others.items())[:20]),
        )
    if others and not report.restored:
        _LOG.warning("Nothing was restored from %s: %s", report.path, report.summary())
    if report.unmatched:
        _LOG.warning("These apply to nothing in the checkpoint or the graph: %s", ", ".join(report.unmatched))


def assign(sess: Any, saver_def: SaverDef, values: Mapping[str, Any]) -> RestoreReport:
    """Give variables of `sess` the `values`, by their names in a checkpoint; variables without a value stay.

    Raises: NotFoundError, InvalidArgumentError with a `report` if a name is unknown or a value does not fit; then
    nothing is assigned.
    """
    plan = restore_plan(sess.graph, saver_def.restore_op_name)
    arrays = {name: np.asarray(value) for name, value in values.items()}
    stored = {name: Stored(as_dtype(array.dtype), array.shape) for name, array in arrays.items()}
    known = {target.wanted.key: Stored(target.wanted.dtype.base_dtype, ()) for target in plan.targets}
    unknown = compare([Wanted(name, s.dtype, None) for name, s in stored.items() if name not in known], known)
    if unknown.missing:
        raise errors.NotFoundError(
            "the graph restores no variable of these names: "
            + ", ".join(
                w.key + (f" (did you mean {' or '.join(near)}?)" if (near := unknown.suggestions.get(w.key)) else "")
                for w in unknown.missing
            )
        )
    chosen = [target for target in plan.targets if target.wanted.key in arrays and target.assign is not None]
    report = compare([target.wanted for target in chosen], stored)
    if not report.fits:
        raise report.error()
    feed: dict[Any, Any] = {}
    for target in chosen:
        value = arrays[target.wanted.key]
        if target.wanted.spec:
            shape, part = parse_spec(target.wanted.spec)
            value = value[part.index(shape)]
        feed[target.tensor] = value
    sess.run([target.assign for target in chosen], feed)
    return report
