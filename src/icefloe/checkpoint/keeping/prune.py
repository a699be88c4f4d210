"""Deletes old checkpoints of a directory by rules, and nothing else."""

from __future__ import annotations

import csv
import fnmatch
import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from icefloe import errors
from icefloe.checkpoint import commit, files, names, state_file
from icefloe.checkpoint.arguments import as_number, as_patterns, as_whole
from icefloe.checkpoint.locating.completeness import gap_in
from icefloe.checkpoint.locating.sniff import sniff
from icefloe.checkpoint.opening import open_exact

_MAX_METRIC_FILE = 64 << 20
_SUFFIX = re.compile(r"-[0-9]+$")


@dataclass(slots=True)
class Candidate:
    """A checkpoint of the directory. written: seconds since 1970.   bytes: of all its files.
    metric: its value, where they are kept by one.   reasons: why it stays; without any it goes.
    """

    prefix: str
    step: int | None
    written: float
    bytes: int
    files: list[str]
    metric: float | None = None
    reasons: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Pruning:
    """The answer of `prune`: which checkpoints stay and which go, oldest first.

    dry_run: nothing was deleted.   foreign: checkpoints that are never touched: those without a number at the end of
    their names and those of other names than the state file lists.   failed: path -> why it could not be deleted.
    """

    directory: str
    dry_run: bool
    kept: list[Candidate] = field(default_factory=list)
    deleted: list[Candidate] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """Bytes in the files of those that go."""
        return sum(c.bytes for c in self.deleted)


def prune(
    directory: str | os.PathLike[str],
    *,
    keep: int = 5,
    every_hours: float | None = None,
    patterns: Sequence[str] = (),
    best: int = 0,
    metric: str | os.PathLike[str] | Mapping[str, float] | None = None,
    mode: Literal["max", "min"] = "max",
    dry_run: bool = True,
) -> Pruning:
    """Delete checkpoints of a directory, except those that a rule keeps; return what goes and what stays.

        prune("train_dir", keep=3, best=1, metric="eval/accuracy", dry_run=False)

    Checkpoints of different names before the number are series of their own; each keeps its newest `keep`. The one
    that the state file names as the latest always stays, and so does that of a state file of another name beside it.
    Of a checkpoint go its index, data, V1 and .meta files; the state files are written first, without them, so that
    they never name what is gone.

    every_hours: keep one per so many hours as well, by time of writing, the first of each span.
    patterns: keep those whose names match, `*` and `?` as in a shell.
    best: keep the best so many by `metric`: the name of a scalar tensor in the checkpoints; a .json file (an object) or
    .csv file (two columns) from a checkpoint's name or step to a number; or a mapping of that kind.
    mode: whether the largest or the smallest is the best.   dry_run: delete nothing.

    Raises: NotFoundError if the directory does not exist or a metric has no value for any checkpoint;
    InvalidArgumentError for numbers out of range. A file that cannot be deleted is in `failed`.
    """
    folder = os.fsdecode(directory)
    folder = folder if os.path.isdir(folder) else os.path.expanduser(folder)
    _check(folder, keep, every_hours, best, metric, mode)
    patterns = as_patterns(patterns)
    out = Pruning(folder, dry_run)
    state_path = os.path.join(folder, state_file.DEFAULT_NAME)
    latest, listed = _listed(folder, state_path)
    others = _other_states(folder)
    found = _candidates(folder, listed, out)
    whole = [one for one in found if not one.reasons]
    if best:
        assert metric is not None
        _keep_best(whole, best, metric, mode)
    for series in _series(whole).values():
        for one in series[-keep:] if keep else []:
            one.reasons.append(f"newest {keep}" if keep > 1 else "the newest")
        if every_hours is not None:
            _keep_every(series, every_hours)
    if latest is None and whole:
        latest = whole[-1].prefix
    for one in found:
        name = os.path.basename(one.prefix)
        if latest is not None and os.path.realpath(one.prefix) == os.path.realpath(latest):
            one.reasons.append("the latest")
        one.reasons += [f"matches {p}" for p in patterns if fnmatch.fnmatchcase(name, p)]
        one.reasons += [
            f"the latest of {state}" for state, path in others.items() if path == os.path.realpath(one.prefix)
        ]
        (out.kept if one.reasons else out.deleted).append(one)
    if not dry_run and out.deleted:
        for path in (state_path, *(os.path.join(folder, state) for state in others)):
            _write_state(folder, path, out)
        for one in out.deleted:
            _delete(one, out)
    return out


def _check(folder: str, keep: int, every_hours: float | None, best: int, metric: object, mode: str) -> None:
    if not files.is_directory(folder):
        raise errors.NotFoundError("there is no such directory", path=folder)
    files.check_directory(folder)
    keep, best = as_whole(keep, "keep"), as_whole(best, "best")
    if every_hours is not None:
        as_number(every_hours, "every_hours")
    if keep < 0 or best < 0:
        raise errors.InvalidArgumentError(f"expected to keep at least 0, got {min(keep, best)}")
    if every_hours is not None and not every_hours > 0:
        raise errors.InvalidArgumentError(f"expected a number of hours above 0, got {every_hours}")
    if mode not in ("max", "min"):
        raise errors.InvalidArgumentError(f"expected mode max or min, got {mode!r}")
    if best and metric is None:
        raise errors.InvalidArgumentError("to keep the best, a metric is needed: a scalar tensor or a file of numbers")


def _listed(folder: str, state_path: str) -> tuple[str | None, list[str]]:
    """Return the latest checkpoint by the state file, None where it is not there, and all that it lists and are there.

    Raises: DataLossError if it does not parse: it could not be kept true.
    """
    if not files.is_file(state_path):
        return None, []
    try:
        state = state_file.parse_state(state_file.read_bytes(state_path), state_path)
    except errors.OpError as e:
        raise e.add_context(hint=f"Make it anew with `icefloe ckpt state {folder} --rebuild`.") from None
    stored = [*state.all_model_checkpoint_paths, state.model_checkpoint_path]
    found = [place for one in stored if (place := state_file.locate_stored(folder, one)) is not None]
    return state_file.locate_stored(folder, state.model_checkpoint_path), found


def _other_states(folder: str) -> dict[str, str]:
    """Return the names of state files that Savers with a `latest_filename` wrote, each with the path of its latest
    checkpoint.
    """
    found = {}
    for name in files.list_directory(folder):
        path = os.path.join(folder, name)
        if name == state_file.DEFAULT_NAME or names.parse(name) is not None or not files.is_file(path):
            continue
        try:
            if sniff(path).kind != "state":
                continue
            named = state_file.parse_state(state_file.read_bytes(path), path).model_checkpoint_path
        except errors.OpError:  # gone, or not ours to read, or none that says anything
            continue
        place = state_file.locate_stored(folder, named)
        if place is not None:
            found[name] = os.path.realpath(place)
    return found


def _candidates(folder: str, listed: Sequence[str], out: Pruning) -> list[Candidate]:
    """Return the checkpoints of the directory that belong to a series, oldest first; those that are not complete have
    that as their reason to stay: they may be being written.
    """
    found = []
    known = {os.path.realpath(p) for p in listed}
    bases = {_base(p) for p in known}
    for prefix in state_file.by_age([*state_file.scan(folder), *state_file.scan_v1(folder)]):
        step, real = state_file.step_of(prefix), os.path.realpath(prefix)
        # A state file says which series are those of the run; without one, all that are numbered are.
        if real not in known and (step is None or (bases and _base(real) not in bases)):
            out.foreign.append(prefix)
            continue
        parts = files_of(prefix)
        written = state_file.checkpoint_mtimes([prefix])
        size = sum(one.size for path in parts if (one := files.identity(path)) is not None)
        gap = gap_in(prefix)
        reasons = [] if gap is None else [f"not complete: {gap.reason}"]
        found.append(Candidate(prefix, step, written[0] if written else 0.0, size, parts, reasons=reasons))
    return found


def files_of(prefix: str) -> list[str]:
    """Return the files of a checkpoint: index, data, V1 files, and the .meta, in the order in which they are to go."""
    location = commit.locate(prefix)
    if location is not None:
        found = commit.checkpoint_files(prefix)
        if location.index not in found:
            found.insert(0, location.index)
    else:
        found = state_file.v1_files(prefix)
    shard = names.parse_v1_shard(prefix)
    meta = names.meta_file(prefix if shard is None else shard[0])
    return [*found, *([meta] if files.is_file(meta) else [])]


def _base(prefix: str) -> str:
    """Return a prefix without its step."""
    shard = names.parse_v1_shard(prefix)
    return _SUFFIX.sub("", prefix if shard is None else shard[0])


def _series(found: Sequence[Candidate]) -> dict[str, list[Candidate]]:
    series: dict[str, list[Candidate]] = {}
    for one in found:
        series.setdefault(_base(one.prefix), []).append(one)
    return series


def _keep_every(series: Sequence[Candidate], hours: float) -> None:
    after = -math.inf
    for one in sorted(series, key=lambda c: (c.written, c.prefix)):
        if one.written >= after:
            one.reasons.append(f"one per {hours:g} h")
            after = one.written + hours * 3600


def _keep_best(
    found: Sequence[Candidate], best: int, metric: str | os.PathLike[str] | Mapping[str, float], mode: str
) -> None:
    values = _read_metric(metric)
    for one in found:
        if values is None:
            one.metric = _tensor_metric(one.prefix, os.fsdecode(metric))  # type: ignore[arg-type]
        else:
            keys = (os.path.basename(one.prefix), one.prefix, str(one.step))
            one.metric = next((values[k] for k in keys if k in values), None)
    ranked = [c for c in found if c.metric is not None and not math.isnan(c.metric)]
    if found and not ranked:
        raise errors.NotFoundError(f"no checkpoint of {len(found)} has a value of the metric {metric}")
    ranked.sort(key=lambda c: ((-1 if mode == "max" else 1) * (c.metric or 0.0), -(c.step or 0)))
    for place, one in enumerate(ranked[:best], 1):
        one.reasons.append(f"best {place}" if best > 1 else "the best")


def _read_metric(metric: str | os.PathLike[str] | Mapping[str, float]) -> dict[str, float] | None:
    """Return the numbers of a mapping or file, or None where `metric` is the name of a tensor."""
    if isinstance(metric, Mapping):
        try:
            return {str(k): float(v) for k, v in metric.items()}
        except (TypeError, ValueError) as e:
            raise errors.InvalidArgumentError(f"metric: expected numbers by names or steps: {e}") from None
    path = os.fsdecode(metric)
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in (".json", ".csv", ".tsv") or not files.is_file(path):
        if suffix in (".json", ".csv", ".tsv"):
            raise errors.NotFoundError("there is no such file of a metric", path=path)
        return None
    source = files.Source(path)
    try:
        if source.size > _MAX_METRIC_FILE:
            raise errors.InvalidArgumentError("a file of a metric is smaller than this", path=path)
        text = source.read(0, source.size).decode("utf-8-sig")
        if suffix == ".json":
            return {str(k): float(v) for k, v in json.loads(text).items()}
        rows = [row for row in csv.reader(text.splitlines(), delimiter="\t" if suffix == ".tsv" else ",") if row]
        if rows and not _is_number(rows[0][-1]):
            rows = rows[1:]
        return {row[0].strip(): float(row[1]) for row in rows}
    except (ValueError, TypeError, AttributeError, IndexError, RecursionError) as e:
        if isinstance(e, errors.OpError):
            raise
        raise errors.InvalidArgumentError(
            f"expected an object or two columns from names or steps to numbers: {e}", path=path
        ) from None
    finally:
        source.close()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _tensor_metric(prefix: str, name: str) -> float | None:
    try:
        with open_exact(prefix) as reader:
            if name not in reader:
                return None
            value = reader.read(name)
    except errors.OpError:  # a damaged checkpoint is not the best
        return None
    if value.size != 1 or (value.dtype.kind not in "biuf" and value.dtype.name != "bfloat16"):
        raise errors.InvalidArgumentError(
            f"the metric {name} is no number in {prefix}: {value.dtype} {list(value.shape)}"
        )
    return float(value.reshape(()).astype(float))


def _write_state(folder: str, state_path: str, out: Pruning) -> None:
    """Write the state file without what goes. Where there is none, none is made."""
    if not files.is_file(state_path):
        return
    state = state_file.parse_state(state_file.read_bytes(state_path), state_path)
    gone = {os.path.realpath(one.prefix) for one in out.deleted}
    times = list(state.all_model_checkpoint_timestamps)
    timed = len(times) == len(state.all_model_checkpoint_paths)
    kept: list[tuple[str, float]] = []
    for i, stored in enumerate(state.all_model_checkpoint_paths):
        place = state_file.locate_stored(folder, stored)
        if place is None or os.path.realpath(place) not in gone:
            kept.append((stored, times[i] if timed and times else 0.0))
    if len(kept) == len(state.all_model_checkpoint_paths):
        return
    state.all_model_checkpoint_paths[:] = [stored for stored, _ in kept]
    state.all_model_checkpoint_timestamps[:] = [time for _, time in kept] if timed and times else []
    state_file.write_state(state_path, state)


def _delete(one: Candidate, out: Pruning) -> None:
    """Delete the files of a checkpoint, its index first: then a reader finds none, not a half."""
    try:
        if commit.locate(one.prefix) is not None:
            commit.delete_checkpoint(one.prefix)
    except errors.OpError as e:
        out.failed[one.prefix] = str(e)
        return
    for path in one.files:
        try:
            files.remove(path)
        except errors.OpError as e:
            out.failed[path] = str(e)
