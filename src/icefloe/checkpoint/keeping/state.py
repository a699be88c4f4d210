"""Shows, mends and makes anew the state file of a directory of checkpoints."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from icefloe import errors
from icefloe.checkpoint import commit, files, names, state_file
from icefloe.checkpoint.locating.completeness import gap_in
from icefloe.checkpoint.locating.sniff import sniff

if TYPE_CHECKING:
    from icefloe.proto import CheckpointState


@dataclass(frozen=True, slots=True)
class Listed:
    """A checkpoint that a state file lists.

    stored: the path as it is in the file.   prefix: where it is, None where it is nowhere.
    problem: what keeps it from being read, or why the path is fit for one place only; None if nothing.
    step: the number at the end of its name, or None.
    """

    stored: str
    prefix: str | None
    problem: str | None
    step: int | None


@dataclass(slots=True)
class StateReport:
    """The answer of `state`.

    path: of the state file.   exists: whether there was one.   latest: prefix of the latest checkpoint, None where it
    is not there.   stored_latest: as the file has it.   checkpoints: those listed, oldest first.
    unlisted: complete checkpoints of the directory that it does not list.   problems: what is wrong with it.
    action: "shown", "fixed", "rebuilt" or "set".   changed: whether the file was written, or would have been.
    """

    path: str
    exists: bool
    latest: str | None = None
    stored_latest: str | None = None
    checkpoints: list[Listed] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    action: str = "shown"
    changed: bool = False


def state(
    directory: str | os.PathLike[str],
    *,
    fix: bool = False,
    rebuild: bool = False,
    latest: str | os.PathLike[str] | None = None,
    dry_run: bool = False,
) -> StateReport:
    """Return what the state file of a directory says and whether that is so; mend it where asked to.

        state("train_dir", fix=True)

    fix: find the checkpoints that it lists where they are now (the directory was moved or renamed, paths were
    written relative to another one) and store their paths relative to the directory; those that are gone are dropped.
    rebuild: list the complete checkpoints of the directory, V2 and V1, in the order of the numbers at their ends; those
    without a number only where there are no others.
    latest: make this checkpoint the latest one, a prefix or the name of one in the directory.
    dry_run: change nothing, say what would be.   directory: or the path of a state file, whatever its name.

    Raises: NotFoundError if there is nothing to show, mend or list; DataLossError if a file to be mended does not
    parse; InvalidArgumentError for a checkpoint that is not complete, or if more than one change is asked for.
    """
    if (fix, rebuild, latest is not None).count(True) > 1:
        raise errors.InvalidArgumentError("expected one of fix, rebuild and latest")
    folder, path = _place(os.fsdecode(directory))
    files.check_directory(folder)
    if rebuild:
        return _rebuild(folder, path, dry_run)
    out, found = _shown(folder, path)
    if latest is not None:
        return _set(folder, out, found, os.fsdecode(latest), dry_run)
    if fix:
        if found is None:
            if out.exists:
                raise errors.DataLossError(out.problems[0], hint="Make it anew with --rebuild.")
            raise errors.NotFoundError(f"there is no state file {path}", hint="Make one with --rebuild.")
        return _fix(folder, out, found, dry_run)
    if not out.exists and not out.unlisted:
        raise errors.NotFoundError("there is neither a state file nor a checkpoint", path=folder or ".")
    return out


def _place(path: str) -> tuple[str, str]:
    """Return the directory and the path of its state file."""
    path = path if os.path.lexists(path) else os.path.expanduser(path)
    if files.is_directory(path):
        return path, os.path.join(path, state_file.DEFAULT_NAME)
    if not files.is_file(path):
        if os.path.basename(path) == state_file.DEFAULT_NAME and files.is_directory(os.path.dirname(path) or "."):
            return os.path.dirname(path), path
        raise errors.NotFoundError("there is no such directory", path=path)
    finding = sniff(path)
    if finding.kind not in ("state", "text", "json", "empty", "unknown"):
        raise errors.InvalidArgumentError(f"not a state file: this is {finding.description}", path=path)
    return os.path.dirname(path), path


def _shown(folder: str, path: str) -> tuple[StateReport, CheckpointState | None]:
    out = StateReport(path, files.is_file(path))
    found = None
    if out.exists:
        try:
            found = state_file.parse_state(state_file.read_bytes(path), path)
        except errors.OpError as e:
            out.problems.append(str(e))
    else:
        out.problems.append(f"there is no state file {path}")
    if found is not None:
        out.stored_latest = found.model_checkpoint_path
        out.latest = state_file.locate_stored(folder, found.model_checkpoint_path)
        stored = list(dict.fromkeys([*found.all_model_checkpoint_paths, found.model_checkpoint_path]))
        out.checkpoints = [_listed(folder, one) for one in stored]
        out.problems += [f"{one.stored}: {one.problem}" for one in out.checkpoints if one.problem]
    known = {os.path.realpath(one.prefix) for one in out.checkpoints if one.prefix}
    out.unlisted = [p for p in _complete(folder) if os.path.realpath(p) not in known]
    return out, found


def _listed(folder: str, stored: str) -> Listed:
    prefix = state_file.locate_stored(folder, stored)
    literal = os.path.join(folder, stored)
    if prefix is None:
        problem: str | None = "it is not there"
    else:
        gap = gap_in(prefix)
        problem = None if gap is None else f"it is not complete: {gap.reason}"
        if problem is None and prefix != literal:
            problem = f"it is not there, but at {prefix}"
        elif problem is None and os.path.isabs(stored) and _inside(folder, stored):
            problem = "the path is absolute: it is wrong once the directory is moved"
    return Listed(stored, prefix, problem, state_file.step_of(stored))


def _inside(folder: str, path: str) -> bool:
    root = os.path.realpath(folder or ".")
    return os.path.realpath(os.path.dirname(path)).startswith(root)


def _complete(folder: str) -> list[str]:
    found = state_file.by_age([*state_file.scan(folder), *state_file.scan_v1(folder)])
    return [prefix for prefix in found if gap_in(prefix) is None]


def stored_path(folder: str, prefix: str) -> str:
    """Return a checkpoint's path as a state file in `folder` should have it: relative where it is below, so that the
    directory can be moved.
    """
    root, real = os.path.realpath(folder or "."), os.path.realpath(os.path.dirname(prefix) or ".")
    relative = os.path.relpath(real, root)
    if relative == os.pardir or relative.startswith(os.pardir + os.sep):
        return os.path.join(real, os.path.basename(prefix))
    return os.path.normpath(os.path.join(relative, os.path.basename(prefix)))


def _fix(folder: str, out: StateReport, found: CheckpointState, dry_run: bool) -> StateReport:
    times = dict(zip(found.all_model_checkpoint_paths, found.all_model_checkpoint_timestamps))
    kept = [one for one in out.checkpoints if one.prefix is not None and gap_in(one.prefix) is None]
    if not kept:
        raise errors.NotFoundError(
            f"none of the {len(out.checkpoints)} checkpoints that {out.path} lists is there and complete",
            hint="List what is there with --rebuild." if out.unlisted else None,
        )
    newest = next((one for one in kept if one.stored == found.model_checkpoint_path), kept[-1])
    kept = [one for one in kept if one is not newest] + [newest]
    return _write(
        folder,
        out,
        [one.prefix for one in kept if one.prefix],
        "fixed",
        dry_run,
        timestamps=[times[one.stored] for one in kept] if all(one.stored in times for one in kept) else [],
        last_preserved=found.last_preserved_timestamp or None,
    )


def _rebuild(folder: str, path: str, dry_run: bool) -> StateReport:
    there = state_file.by_age([*state_file.scan(folder), *state_file.scan_v1(folder)])
    gaps = {prefix: gap_in(prefix) for prefix in there}
    out = StateReport(path, files.is_file(path))
    out.problems = [f"{prefix} is not complete: {gap.reason}" for prefix, gap in gaps.items() if gap is not None]
    complete = [prefix for prefix, gap in gaps.items() if gap is None]
    if not complete:
        detail = "".join(f"; {text}" for text in out.problems[:3])
        raise errors.NotFoundError(f"there is no complete checkpoint to list{detail}", path=folder or ".")
    numbered = [prefix for prefix in complete if state_file.step_of(prefix) is not None]
    return _write(folder, out, numbered or complete, "rebuilt", dry_run)


def _set(folder: str, out: StateReport, found: CheckpointState | None, latest: str, dry_run: bool) -> StateReport:
    candidates = [latest, os.path.expanduser(latest)]
    if not os.path.isabs(latest):
        candidates.insert(0, os.path.join(folder, latest))
    parts = [part.prefix for c in candidates if (part := names.parse(c)) is not None and not part.is_temporary]
    candidates = [*(p for p in parts if commit.locate(p) is not None), *candidates]
    prefix = next((c for c in candidates if state_file.checkpoint_exists(c)), None)
    if prefix is None:
        near = ", ".join(os.path.basename(p) for p in _complete(folder)[-5:])
        raise errors.NotFoundError(
            f"there is no checkpoint {latest}",
            path=folder or ".",
            hint=f"In the directory are: {near}" if near else None,
        )
    gap = gap_in(prefix)
    if gap is not None:
        raise errors.InvalidArgumentError(f"{prefix} is not complete: {gap.reason}")
    kept = [
        one.prefix for one in out.checkpoints if one.prefix and os.path.realpath(one.prefix) != os.path.realpath(prefix)
    ]
    return _write(folder, out, [*kept, prefix], "set", dry_run)


def _write(
    folder: str,
    out: StateReport,
    prefixes: list[str],
    action: str,
    dry_run: bool,
    *,
    timestamps: list[float] | None = None,
    last_preserved: float | None = None,
) -> StateReport:
    """Write the state file with these checkpoints, the last one the latest, and return the report of what it says."""
    kept = [stored_path(folder, prefix) for prefix in prefixes]
    made = state_file.make_state(
        os.path.abspath(folder), kept[-1], kept, timestamps=timestamps or (), last_preserved_timestamp=last_preserved
    )
    try:
        former = state_file.parse_state(state_file.read_bytes(out.path), out.path)
    except errors.OpError:
        former = None
    changed = former is None or former != made
    if changed and not dry_run:
        state_file.write_state(out.path, made)
    report = StateReport(out.path, out.exists, prefixes[-1], kept[-1], action=action, changed=changed)
    report.checkpoints = [
        Listed(stored, prefix, None, state_file.step_of(stored)) for stored, prefix in zip(kept, prefixes)
    ]
    listed = {os.path.realpath(prefix) for prefix in prefixes}
    report.unlisted = [p for p in _complete(folder) if os.path.realpath(p) not in listed]
    report.problems = out.problems
    return report
