"""A checkpoint without what only training needs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from icefloe import errors
from icefloe.checkpoint.editing import objects, slots
from icefloe.checkpoint.editing.patterns import Patterns
from icefloe.checkpoint.editing.reports import EditReport, Progress
from icefloe.checkpoint.editing.stored import OBJECT_GRAPH, Contents, contents_of
from icefloe.checkpoint.editing.stream import Output, Plan, copied
from icefloe.checkpoint.editing.targets import target_prefix
from icefloe.checkpoint.opening import open_checkpoint
from icefloe.checkpoint.reader import BundleReader
from icefloe.proto import TrackableObjectGraph

Path = str | os.PathLike[str]
Ema = Literal["keep", "use", "drop"]


@dataclass(kw_only=True)
class SlimReport(EditReport):
    """removed: name -> why: "optimizer slot", "optimizer state", "step", "moving average" or "asked for".
    removed_bytes: their size.   averaged: variables that got the value of their moving average.   fallbacks:
    variables that keep their own, as they have no average that fits.   unmatched: patterns that no tensor matches.
    """

    removed: dict[str, str] = field(default_factory=dict)
    removed_bytes: int = 0
    averaged: list[str] = field(default_factory=list)
    fallbacks: list[str] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)


def slim(
    src: Path,
    dst: Path | None = None,
    *,
    ema: Ema = "keep",
    keep_optimizer: bool = False,
    keep_step: bool = False,
    keep: Iterable[str] | str = (),
    drop: Iterable[str] | str = (),
    verify: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> SlimReport:
    """Write the checkpoint `src` without the optimizer's slots, its state and the step, under `dst` or in place.

    What goes is told by names, see `slots`, and in an object-based checkpoint by its objects, which are left out of
    the object graph too. keep_optimizer, keep_step: leave these. ema: "use" gives each variable the value of its
    ExponentialMovingAverage and removes that; "drop" removes it. keep, drop: patterns, see `patterns`; what `keep`
    matches stays in any case, what `drop` matches goes, with its slots.

    Raises: InvalidArgumentError if nothing would be left.
    """
    if ema not in ("keep", "use", "drop"):
        raise errors.InvalidArgumentError(f"ema: expected 'keep', 'use' or 'drop', got {ema!r}")
    with open_checkpoint(src) as reader:
        contents = contents_of(reader)
        graph = objects.read_objects(reader)
        report = SlimReport(source=reader.prefix, dry_run=dry_run)
        target = target_prefix(reader.prefix, dst, is_bundle=isinstance(reader, BundleReader))
        full = objects.full_names(graph)
        kept, dropped = Patterns(keep, full), Patterns(drop, full)
        training = slots.find_training(contents.tensors, full, graph)
        report.removed = _removed(contents, training, kept, dropped, ema, keep_optimizer, keep_step)
        report.unmatched = kept.unmatched + dropped.unmatched
        plan = Plan(target, [], contents.shards)
        replaced = _averages(contents, training, report) if ema == "use" else {}
        for name, tensor in contents.tensors.items():
            if name in replaced:
                plan.outputs.append(replaced[name])
            elif name not in report.removed:
                plan.outputs.append(copied(tensor))
        known = {o.name for o in plan.outputs}
        plan.outputs += [o for name, o in replaced.items() if name not in known]
        report.removed_bytes = sum(contents[name].stored_bytes for name in report.removed)
        if not any(o.name != OBJECT_GRAPH for o in plan.outputs):
            raise errors.InvalidArgumentError("nothing would be left", path=reader.prefix)
        if graph is not None and report.removed:
            prune_to(plan, graph, contents)
        plan.order_as(contents)
        plan.carry_out(report, progress, verify=verify)
        return report


def prune_to(plan: Plan, graph: TrackableObjectGraph, contents: Contents) -> None:
    """Leave out of the object graph, and of the plan's tensor that holds it, what the plan does not write."""
    names = {o.name for o in plan.outputs}
    objects.prune_objects(graph, names.__contains__)
    number = next((i for i, o in enumerate(plan.outputs) if o.name == OBJECT_GRAPH), None)
    if number is not None:
        plan.outputs[number] = objects.as_output(graph, contents[OBJECT_GRAPH].pieces[0].entry.shard)


def _removed(
    contents: Contents,
    training: slots.Training,
    kept: Patterns,
    dropped: Patterns,
    ema: Ema,
    keep_optimizer: bool,
    keep_step: bool,
) -> dict[str, str]:
    unwanted = set() if keep_optimizer else {slots.SLOT, slots.STATE}
    unwanted |= set() if keep_step else {slots.STEP}
    unwanted |= set() if ema == "keep" else {slots.AVERAGE}
    out: dict[str, str] = {}
    for name in contents.tensors:
        asked = dropped.matches(name)
        reason = training.reasons.get(name)
        if kept.matches(name) or name == OBJECT_GRAPH:
            continue
        if asked:
            out[name] = "asked for"
        elif reason in unwanted:
            out[name] = str(reason)
    for name in [n for n in out if out[n] == "asked for"]:
        for slot in training.slots_of.get(name, ()):
            if not kept.matches(slot):
                out.setdefault(slot, slots.SLOT)
    return out


def _averages(contents: Contents, training: slots.Training, report: SlimReport) -> dict[str, Output]:
    """Return, by name of the variable, the moving average that takes its place."""
    out: dict[str, Output] = {}
    for name, shadow_name in training.averages.items():
        shadow, variable = contents[shadow_name], contents.tensors.get(name)
        if report.removed.get(name) == "asked for":
            continue
        if variable is not None and (variable.shape, variable.dtype) != (shadow.shape, shadow.dtype):
            continue
        out[name] = copied(shadow, name)
    report.averaged = sorted(out)
    gone = report.removed.keys() | out.keys() | training.reasons.keys()
    report.fallbacks = sorted(
        name for name, t in contents.tensors.items() if name not in gone and (t.is_float or name in training.averages)
    )
    return out
