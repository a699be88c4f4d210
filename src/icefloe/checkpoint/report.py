"""One HTML page about a checkpoint: sizes by scope, statistics and histograms of its tensors, and how another one
differs.

The page is a single file that loads nothing. What it shows is in a block of JSON, which no name can end, and its
scripts make elements of text only; a content security policy allows no other script.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import os
from dataclasses import asdict, dataclass
from importlib import resources
from string import Template
from typing import Any

from icefloe import _version, datatypes, errors
from icefloe.checkpoint import files
from icefloe.checkpoint.arguments import as_whole, check_progress
from icefloe.checkpoint.checking.diff import Difference, TensorDiff, diff
from icefloe.checkpoint.checking.stats import Stats, TensorStats, stats
from icefloe.checkpoint.checking.sums import Progress
from icefloe.checkpoint.opening import open_checkpoint
from icefloe.checkpoint.single_file import new_file

Path = str | os.PathLike[str]
_SCRIPTS = ("data.js", "treemap.js", "heat.js", "table.js", "main.js")
# What bounds the page: rows, those with a histogram, characters of a name and of an error.
MAX_ROWS = 50_000
MAX_HISTOGRAMS = 10_000
_MAX_NAME = 400
_MAX_ERROR = 300
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_STATUSES = ("equal", "close", "added", "removed", "reshaped", "retyped", "changed", "unreadable")


@dataclass(slots=True)
class PageReport:
    """What `report` wrote.

    source, other: the checkpoints.   output: the page, of `page_bytes`.   tensors, bytes: of the source.
    differing: how many tensors differ, None without another checkpoint.   nan, inf: elements.   damaged: names.
    left_out: how many of the smallest tensors the page has in its totals only.
    """

    source: str
    other: str | None
    output: str
    tensors: int
    bytes: int
    page_bytes: int
    differing: int | None
    nan: int
    inf: int
    damaged: list[str]
    left_out: int

    def as_data(self) -> dict[str, Any]:
        """Return it as plain dicts and lists."""
        return asdict(self)


def report(
    path: Path, output: Path, other: Path | None = None, *, bins: int = 32, progress: Progress | None = None
) -> PageReport:
    """Write an HTML page about the checkpoint at `path` to `output`; a former file stays until it is complete.

    other: a checkpoint to compare with; its differences get a heat map.   bins: of the histograms, 0 to 128.
    progress: called with bytes done; the data are read twice where there are histograms, and once more to compare.

    The page has at most 50,000 tensors, the largest, and 10,000 histograms: about 13 MB.

    Raises: as `open_checkpoint`, of both; what the file system says.
    """
    bins, progress = as_whole(bins, "bins"), check_progress(progress)
    if not 0 <= bins <= 128:
        raise errors.InvalidArgumentError(f"expected 0 to 128 bins, got {bins}")
    target = files.path_of(output)
    if not os.path.basename(target) or files.is_directory(target):
        raise errors.InvalidArgumentError(f"{target!r} is a directory; give the name of the page to write")
    found = stats(path, bins=bins, progress=progress)
    with open_checkpoint(path) as reader:
        kind = reader.format
    compared = None if other is None else diff(path, other, progress=progress)
    data = _data(found, compared, kind)
    page = _page(data)
    with new_file(target) as write:
        write(page)
    return PageReport(
        source=found.prefix,
        other=None if compared is None else compared.b,
        output=target,
        tensors=len(found.tensors),
        bytes=found.bytes,
        page_bytes=len(page),
        differing=None if compared is None else len(compared.differing),
        nan=found.nan,
        inf=found.inf,
        damaged=[t.name for t in found.errors],
        left_out=data["left_out"],
    )


def _data(found: Stats, compared: Difference | None, kind: str) -> dict[str, Any]:
    differences = {} if compared is None else {d.name: d for d in compared.tensors if d.name is not None}
    tensors = sorted(found.tensors, key=lambda t: -t.bytes)[:MAX_ROWS]
    with_bins = {t.name for t in tensors[:MAX_HISTOGRAMS]}
    dtypes: dict[str, int] = {}
    rows = [
        _row(t, dtypes, differences.get(t.name), t.name in with_bins) for t in sorted(tensors, key=lambda t: t.name)
    ]
    if compared is not None:
        added = compared.of("added")
        rows += [_added(d, dtypes) for d in added[: max(MAX_ROWS - len(rows), 0)]]
        rows.sort(key=lambda row: str(row[0]))
    return {
        "prefix": found.prefix,
        "other": None if compared is None else compared.b,
        "format": f"{kind} checkpoint",
        "version": _version.__version__,
        "dtypes": list(dtypes),
        "statuses": _STATUSES,
        "rows": rows,
        "left_out": len(found.tensors) - len(tensors),
        "totals": {
            "tensors": len(found.tensors),
            "elements": found.elements,
            "bytes": found.bytes,
            "nan": found.nan,
            "inf": found.inf,
            "damaged": len(found.errors),
            "differing": 0 if compared is None else len(compared.differing),
        },
    }


def _row(t: TensorStats, dtypes: dict[str, int], difference: TensorDiff | None, with_bins: bool) -> list[Any]:
    return [
        _cut(t.name, _MAX_NAME),
        dtypes.setdefault(t.dtype, len(dtypes)),
        _shape(t.shape),
        t.elements,
        t.bytes,
        *(_number(v) for v in (t.min, t.max, t.mean, t.std)),
        t.nan,
        t.inf,
        t.zeros,
        _heights(t.histogram) if with_bins else "",
        None if t.error is None else _cut(t.error, _MAX_ERROR),
        None if difference is None else _difference(difference),
    ]


def _added(d: TensorDiff, dtypes: dict[str, int]) -> list[Any]:
    """Return the row of a tensor that only the other checkpoint has."""
    dtype = d.other_dtype or "?"
    size = 0 if dtype == "?" else datatypes.as_dtype(dtype).size
    number = dtypes.setdefault(dtype, len(dtypes))
    head = [_cut(d.other or "", _MAX_NAME), number, _shape(d.other_shape or ()), d.elements, d.elements * size]
    return [*head, None, None, None, None, 0, 0, 0, "", None, _difference(d)]


def _difference(d: TensorDiff) -> list[Any]:
    return [
        _STATUSES.index(d.status),
        _number(d.max_abs),
        _number(d.relative_norm),
        d.changed,
        None if d.other is None or d.other == d.name else _cut(d.other, _MAX_NAME),
        None if d.other_dtype == d.dtype else d.other_dtype,
        None if d.other_shape is None or d.other_shape == d.shape else _shape(d.other_shape),
    ]


def _cut(text: str, length: int) -> str:
    # Bytes that are no UTF-8 are shown as \xff.
    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if len(text) <= length:
        return text
    return f"{text[: length // 2]}…{text[-length // 2 :]}"


def _shape(shape: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, shape[:32]))}{',…' if len(shape) > 32 else ''}]"


def _number(value: float | int | None) -> float | int | None:
    """Return a number with six digits, or a whole one that JavaScript can hold; None for what JSON has no word for."""
    if value is None or not math.isfinite(value):
        return None
    if isinstance(value, int) and abs(value) < 1 << 53:
        return value
    return float(f"{value:.6g}")


def _heights(counts: list[int]) -> str:
    """Return a histogram as one character per bin, 0 to z of the highest; a bin that is not empty has at least 1."""
    largest = max(counts, default=0)
    if not largest:
        return ""
    top = len(_DIGITS) - 1
    return "".join(_DIGITS[max(1, round(n * top / largest)) if n else 0] for n in counts)


def _page(data: dict[str, Any]) -> bytes:
    folder = resources.files("icefloe.checkpoint") / "report_page"
    script = "".join((folder / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    style = (folder / "page.css").read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    )
    # Within a script element only "</script" and "<!--" mean anything, so no "<" is left.
    block = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    title = data["prefix"].encode("utf-8", "replace").decode("utf-8")
    page = Template((folder / "page.html").read_text(encoding="utf-8")).substitute(
        policy=html.escape(policy, quote=True),
        title=html.escape(f"{os.path.basename(title)} · checkpoint"),
        style=style,
        data=block,
        script=script,
    )
    return page.encode("utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode()}'"
