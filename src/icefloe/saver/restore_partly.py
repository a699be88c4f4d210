"""Restoring with options: of what the graph wants, that which is chosen and fits, under other names, in other shapes
and dtypes; what was skipped is listed with why.

All values are read before the first is assigned, so that a damaged checkpoint leaves the session as it was.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.checkpoint.reading import CheckpointReader
from icefloe.graph.operation import Operation
from icefloe.saver.graph_state import is_initialized, present_values, run_initializers, uninitialized
from icefloe.saver.restore_names import AVERAGE, Source, Sources
from icefloe.saver.restore_options import Chosen, RestoreOptions
from icefloe.saver.restore_plan import RestorePlan, Target
from icefloe.saver.restore_report import Mismatch, Restored, RestoreReport, Stored, Wanted, shape_fits, suggest
from icefloe.saver.restore_values import can_cast, can_fit, fitting, needs_present_value, read_value

NOT_CHOSEN = "not included"
EXCLUDED = "excluded"


@dataclasses.dataclass(slots=True)
class _Decision:
    """What serves a wanted tensor, and what is done to it; where nothing does, why."""

    wanted: Wanted
    source: Source | None = None
    how: tuple[str, ...] = ()
    cast: tuple[str, ...] = ()
    why: str = ""


class Decisions:
    """What is to be restored, decided by names, dtypes and shapes alone.

    report: what fits and what does not, as of a plain restore, with the options taken into account.

    Raises: NotFoundError if `include` matches nothing; InvalidArgumentError if a name means several tensors.
    """

    def __init__(
        self, wanted: Iterable[Wanted], reader: CheckpointReader, stored: Mapping[str, Stored], options: RestoreOptions
    ) -> None:
        self.wanted = list(wanted)
        self._keys = {w.key for w in self.wanted}
        self._stored = stored
        self._options = options
        self._sources = Sources(reader, self.wanted, options.rename, options.ema)
        self._by_tensor = self._decide_all()
        self.report = self._report(reader.prefix)

    def of(self, wanted: Wanted) -> _Decision:
        """Return what was decided for a tensor."""
        return self._by_tensor[wanted]

    def _decide_all(self) -> dict[Wanted, _Decision]:
        options = self._options
        included, excluded = Chosen(options.include, self.wanted), Chosen(options.exclude, self.wanted)
        is_flag = isinstance(options.cast, bool)
        cast = Chosen(None if is_flag else options.cast, self.wanted)
        out: dict[Wanted, _Decision] = {}
        for want in self.wanted:
            is_out = want in excluded
            if options.include is not None and want not in included:
                out[want] = _Decision(want, why=NOT_CHOSEN)
            elif is_out:
                out[want] = _Decision(want, why=EXCLUDED)
            else:
                out[want] = self._decide(want, bool(options.cast) if is_flag else want in cast)
        included.check_used()
        self.unmatched = (*self._sources.unmatched, *excluded.unmatched, *cast.unmatched)
        return out

    def _decide(self, want: Wanted, may_cast: bool) -> _Decision:
        source = self._find(want.key)
        if isinstance(source, str):
            return _Decision(want, why=source)
        if source is None:
            return _Decision(want, why="missing from the checkpoint")
        stored, dtype = self._stored[source.key], want.dtype.base_dtype
        if stored.dtype != dtype and not (may_cast and can_cast(stored.dtype, dtype)):
            return _Decision(want, source, why=f"stored as {stored.dtype.name}")
        if not shape_fits(want, stored) and not can_fit(want, stored, self._options.shape_rule):
            return _Decision(want, source, why=f"stored with shape {list(stored.shape)}")
        how = (*source.how, *fitting(want, stored, self._options.shape_rule))
        cast = (f"cast from {stored.dtype.name}",) if stored.dtype != dtype else ()
        return _Decision(want, source, how, cast)

    def _find(self, key: str) -> Source | str | None:
        """Return what serves a name, or why several tensors cannot, where that is no error."""
        try:
            return self._sources.find(key)
        except errors.InvalidArgumentError as error:
            if self._options.strict:
                raise
            return error.message

    def _report(self, path: str) -> RestoreReport:
        matched: list[Wanted] = []
        missing: dict[str, Wanted] = {}
        shapes: dict[str, Mismatch] = {}
        dtypes: dict[str, Mismatch] = {}
        used: set[str] = set()
        fallbacks: dict[str, None] = {}
        for decision in self._by_tensor.values():
            want, source = decision.wanted, decision.source
            if source is None:
                if decision.why not in (NOT_CHOSEN, EXCLUDED):
                    missing.setdefault(want.key, want)
                continue
            used.add(source.key)
            there = self._stored[source.key]
            if not decision.why:
                matched.append(want)
                if self._is_fallback(want, source):
                    fallbacks[want.key] = None
            elif there.dtype != want.dtype.base_dtype:
                dtypes.setdefault(want.key, Mismatch(want, there))
            else:
                shapes.setdefault(want.key, Mismatch(want, there))
        unexpected = tuple(name for name in sorted(self._stored) if name not in used)
        return RestoreReport(
            path,
            tuple(matched),
            tuple(missing.values()),
            tuple(shapes.values()),
            tuple(dtypes.values()),
            unexpected,
            suggest(missing.values(), self._stored, unexpected),
            restored=tuple(
                Restored(d.wanted, d.source.key, d.how + d.cast)
                for d in self._by_tensor.values()
                if d.source and not d.why
            ),
            skipped={d.wanted.key: d.why for d in self._by_tensor.values() if d.why},
            fallbacks=tuple(fallbacks),
            unmatched=tuple(self.unmatched),
        )

    def _is_fallback(self, want: Wanted, source: Source) -> bool:
        """Whether a variable got its own value where its moving average was asked for, or the other way round."""
        is_average = source.key.partition("/.ATTRIBUTES/")[0].endswith(AVERAGE) or any(AVERAGE in h for h in source.how)
        asked = want.key.endswith(AVERAGE)
        if self._options.ema == "use":
            is_slot = want.key.rpartition("/")[0] in self._keys
            return not is_average and want.dtype.base_dtype.is_floating and not is_slot
        return self._options.ema == "fallback" and asked != is_average

    def check(self) -> None:
        """Raise the one error that lists all that does not fit, where the options say that this is one."""
        options, report = self._options, self.report
        refused = dataclasses.replace(
            report,
            missing=report.missing if options.strict else (),
            dtype_mismatch=report.dtype_mismatch if options.strict else (),
            shape_mismatch=report.shape_mismatch if self._shapes_are_errors() else (),
        )
        if not refused.fits:
            error = refused.error()
            error.report = report
            raise error

    def _shapes_are_errors(self) -> bool:
        rule = self._options.shape_rule
        return rule == "error" or (self._options.strict and rule != "skip")


def restore_partly(
    sess: Any, plan: RestorePlan, reader: CheckpointReader, stored: Mapping[str, Stored], options: RestoreOptions
) -> RestoreReport:
    """Assign what is chosen and fits; return the report.

    Raises: as `Decisions` and its `check`; as the reader; InvalidArgumentError if a value cannot be cast. Then nothing
    has been assigned.
    """
    decisions = Decisions(plan.wanted, reader, stored, options)
    decisions.check()
    taken, skipped = _parted(plan, decisions)
    present = _present(sess, taken, decisions, stored, options)
    feed: dict[Any, Any] = {}
    restored: list[Restored] = []
    for target in taken:
        decision = decisions.of(target.wanted)
        assert decision.source is not None
        key, want, how = decision.source.key, target.wanted, decision.how
        feed[target.tensor], done = read_value(reader, key, want, stored[key], present.get(want))
        restored.append(Restored(want, key, how + done))
    if taken:
        sess.run(list(dict.fromkeys(op for target in taken for op in target.receivers)), feed)
    initialized = run_initializers(sess, _variables(skipped)) if options.init_missing else []
    return dataclasses.replace(
        decisions.report,
        restored=tuple(restored),
        skipped={t.wanted.key: decisions.of(t.wanted).why or why for t, why in skipped.items()},
        initialized=tuple(initialized),
        uninitialized=tuple(uninitialized(sess)),
    )


def _parted(plan: RestorePlan, decisions: Decisions) -> tuple[list[Target], dict[Target, str]]:
    """Return what can be assigned, and what is skipped: also what is assigned together with something skipped, such as
    the keys and values of a table.
    """
    skipped: dict[Target, str] = {t: decisions.of(t.wanted).why for t in plan.targets if decisions.of(t.wanted).why}
    targets_of: dict[Operation, list[Target]] = defaultdict(list)
    for target in plan.targets:
        for op in target.receivers:
            targets_of[op].append(target)
    waiting = list(skipped)
    while waiting:
        lacking = waiting.pop()
        for op in lacking.receivers:
            for target in targets_of[op]:
                if target not in skipped:
                    skipped[target] = f"{lacking.wanted.key}, which belongs to it, is not restored"
                    waiting.append(target)
    return [t for t in plan.targets if t not in skipped and t.receivers], skipped


def _variables(targets: Iterable[Target]) -> list[Operation]:
    return [target.assign.inputs[0].op for target in targets if target.assign is not None]


def _present(
    sess: Any, taken: list[Target], decisions: Decisions, stored: Mapping[str, Stored], options: RestoreOptions
) -> dict[Wanted, np.ndarray[Any, Any]]:
    """Return the values of variables of which a part is to stay, in the dtype that is stored."""
    keeping: dict[Wanted, Operation] = {}
    for target in taken:
        source = decisions.of(target.wanted).source
        assert source is not None
        if target.assign is not None and needs_present_value(target.wanted, stored[source.key], options.shape_rule):
            keeping[target.wanted] = target.assign.inputs[0].op
    if not keeping:
        return {}
    run_initializers(sess, [op for op in keeping.values() if not is_initialized(sess, op)])
    return dict(zip(keeping, present_values(sess, list(keeping.values())), strict=True))
