"""What has happened to the files of a damaged checkpoint, as far as the damage tells: a copy that was cut, a text-mode
transfer, a hole, the data file of another checkpoint, a page or pointer in place of the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from icefloe import errors
from icefloe.checkpoint import files, names
from icefloe.checkpoint.checking.survey import Stored, Survey
from icefloe.checkpoint.files import Source
from icefloe.checkpoint.locating.sniff import sniff
from icefloe.wire.magic import known_magic

_WINDOW = 4 << 20
# A tail of zero bytes shorter than this may be the values of a tensor.
_MIN_TAIL = 64
_PAGE = 4096
_MAX_SEARCHED = 64 << 20
_PLACEHOLDERS = ("git_lfs", "html", "xml", "gzip", "zip", "zstd", "bzip2", "xz", "empty")


@dataclass(frozen=True, slots=True)
class LineEnds:
    """How often LF and CR LF are in a file, and the bytes EF BF BD, which stand for what was no UTF-8."""

    lf: int
    crlf: int
    replaced: int


def windows(source: Source) -> Iterator[bytes]:
    """Yield the bytes of a file in pieces."""
    for pos in range(0, source.size, _WINDOW):
        yield source.read(pos, min(_WINDOW, source.size - pos))


def line_ends(source: Source) -> LineEnds:
    """Count line ends in a file."""
    lf = crlf = replaced = 0
    last = b""
    for window in windows(source):
        lf += window.count(b"\n")
        crlf += window.count(b"\r\n") + (last == b"\r" and window[:1] == b"\n")
        replaced += window.count(b"\xef\xbf\xbd")
        last = window[-1:]
    return LineEnds(lf, crlf, replaced)


def is_converted(ends: LineEnds, size: int, needed: int) -> bool:
    """Whether every LF of a file was written as CR LF: each has its CR, and without them it is as long as it should be.

    needed: bytes that the index needs.
    """
    return ends.lf == ends.crlf > 0 and (size - ends.crlf == needed or (ends.crlf >= 16 and size > needed))


def diagnose_index(scan_damage: bool, source: Source, undone: bool) -> list[str]:
    """Return what has happened to an index."""
    if undone:
        ends = line_ends(source)
        return [
            f"{source.path}: CR LF stands in place of each of {ends.crlf} LF: it went through a transfer in text mode"
        ]
    if not scan_damage:
        return []
    finding = sniff(source.path)
    if finding.kind in (*_PLACEHOLDERS, "text", "zeros", "state", "json", "graph", "meta_graph", "tar"):
        return [f"{source.path} is {finding.description}{_advice(finding.kind)}"]
    tail = _zero_tail(source)
    if source.size - tail >= _MIN_TAIL:
        return [f"{source.path}: bytes {tail} to {source.size} are zero: a download or copy that did not finish"]
    if _replaced(line_ends(source), source.size):
        return [f"{source.path}: bytes were replaced by EF BF BD: it was read and written as text, for good"]
    return []


def diagnose_shard(survey: Survey, shard: int, source: Source, stored: Sequence[Stored]) -> list[str]:
    """Return what has happened to a data file; `stored` is everything that should be in it."""
    bad = [s for s in stored if s.problem is not None]
    if not bad:
        return []
    finding = sniff(source.path)
    needed = max((s.entry.offset + s.entry.size for s in stored), default=0)
    if finding.kind in _PLACEHOLDERS and len(bad) == len(stored):
        return [f"{source.path} is {finding.description}{_advice(finding.kind)}"]
    packed = known_magic(source.read(0, min(64, source.size)))
    if packed is not None and packed[0] in _PLACEHOLDERS and len(bad) == len(stored) > 1:
        return [f"{source.path} begins as {packed[1]}{_advice(packed[0])}"]
    filled = [s for s in stored if s.entry.size]
    failed = [s for s in filled if s.problem is not None and s.problem.kind in ("checksum", "content", "short")]
    out = []
    tail = _zero_tail(source)
    in_tail = [s for s in failed if s.entry.offset + s.entry.size > tail]
    if source.size - tail >= _MIN_TAIL and in_tail:
        out.append(
            f"{source.path}: bytes {tail} to {source.size} are zero: a download or copy that did not finish; "
            f"{len(in_tail)} of {len(stored)} tensors and slices reach into them{_sparse(source)}"
        )
    elif 2 * len(failed) > len(filled):
        out += _diagnose_all(survey, source, filled, failed, needed)
    if not out and source.size < needed:
        out.append(
            f"{source.path}: cut at {source.size} of {needed} bytes: a download or copy that did not finish, or a full "
            "disk"
        )
    if not out:
        out += _holes(source, failed)
    return out


def diagnose_missing(path: str) -> list[str]:
    """Return which files of a directory may be the data file `path`, which is missing: under another prefix, or with
    what a browser or a download puts behind a name.
    """
    directory, base = os.path.split(path)
    wanted = names.parse(base)
    near = []
    for name in files.list_directory(directory):
        part = names.parse(name)
        moved = (
            part is not None
            and wanted is not None
            and (part.kind, part.token, part.shard, part.count) == ("data", None, wanted.shard, wanted.count)
        )
        if name != base and (moved or name.startswith(base)):
            near.append(name)
    if not near:
        return []
    more = f" and {len(near) - 3} more" if len(near) > 3 else ""
    return [f"{path} is missing, but beside it is {', '.join(near[:3])}{more}: was it renamed?"]


def _diagnose_all(
    survey: Survey, source: Source, filled: Sequence[Stored], failed: Sequence[Stored], needed: int
) -> list[str]:
    """Return what makes most checksums of a data file wrong at once."""
    ends = line_ends(source)
    if is_converted(ends, source.size, needed):
        return [
            f"{source.path}: CR LF stands in place of each of {ends.crlf} LF: it went through a transfer in text mode; "
            "`rescue` undoes that"
        ]
    if _replaced(ends, source.size):
        return [f"{source.path}: bytes were replaced by EF BF BD: it was read and written as text, for good"]
    missing = needed - source.size
    if missing > 0 and not ends.crlf and source.size >= 1 << 19 and missing < source.size >> 12:
        return [
            f"{source.path}: shorter by {missing} bytes and without a single CR LF: most likely it went through a "
            "transfer in text mode that wrote each CR LF as LF"
        ]
    whole = [s for s in filled if s.entry.offset + s.entry.size <= source.size]
    if len(whole) > 1 and all(s.problem is not None for s in whole):
        others = survey.count > 1 and any(
            s.problem is None and s.entry.size and s.entry.shard != filled[0].entry.shard for s in survey.stored
        )
        length = "its length fits, but" if source.size == needed else f"it has {source.size} bytes, not {needed}, and"
        whose = (
            "it belongs to another checkpoint than the index and the other shards"
            if others
            else "it and the index are of different checkpoints"
        )
        return [f"{source.path}: {length} not one of {len(whole)} checksums holds: {whose}"]
    return []


def _holes(source: Source, failed: Sequence[Stored]) -> list[str]:
    """Return which damaged tensors have whole pages of zero bytes in them."""
    pages = tensors = 0
    for stored in failed:
        entry = stored.entry
        if entry.size > _MAX_SEARCHED or entry.offset + entry.size > source.size:
            continue
        raw = source.read(entry.offset, entry.size)
        first = -entry.offset % _PAGE
        found = sum(not any(raw[pos : pos + _PAGE]) for pos in range(first, len(raw) - _PAGE + 1, _PAGE))
        pages += found
        tensors += found > 0
    if not pages:
        return []
    return [
        f"{source.path}: {pages} pages of zero bytes lie in {tensors} damaged tensors: parts of the file were never "
        f"written{_sparse(source)}"
    ]


def _zero_tail(source: Source) -> int:
    """Return where the zero bytes at the end of a file begin."""
    end = source.size
    while end:
        start = max(0, end - _WINDOW)
        rest = source.read(start, end - start).rstrip(b"\0")
        if rest:
            return start + len(rest)
        end = start
    return 0


def _sparse(source: Source) -> str:
    held = source.blocks
    return f" (the disk holds {held} of its {source.size} bytes)" if held is not None and held < source.size else ""


def _replaced(ends: LineEnds, size: int) -> bool:
    return ends.replaced > 16 and ends.replaced * 3 > size // 64


def _advice(kind: str) -> str:
    if kind == "git_lfs":
        return ": fetch the file with `git lfs pull`"
    if kind in ("html", "xml"):
        return ": most likely a page was saved in place of the file it links to"
    if kind in ("gzip", "zip", "zstd", "bzip2", "xz"):
        return ": unpack it first"
    return ""


def describe_failure(error: errors.OpError) -> str:
    """Return an error's text with its hint."""
    return f"{error.message} {error.hint}" if error.hint else error.message
