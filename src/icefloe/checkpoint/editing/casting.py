"""Tensors in another dtype, with what the conversion loses."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint.arguments import as_list, as_patterns
from icefloe.checkpoint.editing import objects
from icefloe.checkpoint.editing.patterns import Patterns
from icefloe.checkpoint.editing.reports import EditReport, Progress
from icefloe.checkpoint.editing.stored import Contents, Piece, Tensor, contents_of
from icefloe.checkpoint.editing.stream import Plan, copied, mapped
from icefloe.checkpoint.editing.targets import target_prefix
from icefloe.checkpoint.opening import open_checkpoint
from icefloe.checkpoint.reader import BundleReader
from icefloe.datatypes import DType

Path = str | os.PathLike[str]
_STEP = 256 << 10  # bytes converted at a time: the temporary arrays of counting stay in the cache


@dataclass
class Loss:
    """What a conversion did to a tensor: dtypes, elements, and how many of these

    overflow: were finite and are not, or lie outside the new range.   underflow: were not 0 and are.
    rounded: changed otherwise, by at most `max_error` of their magnitude.
    """

    before: str
    after: str
    elements: int = 0
    overflow: int = 0
    underflow: int = 0
    rounded: int = 0
    max_error: float = 0.0

    def add(self, other: Loss) -> None:
        """Count what was done to another part of the tensor."""
        self.elements += other.elements
        self.overflow += other.overflow
        self.underflow += other.underflow
        self.rounded += other.rounded
        self.max_error = max(self.max_error, other.max_error)


@dataclass(kw_only=True)
class CastReport(EditReport):
    """cast: name -> Loss.   unmatched: patterns that no tensor matches. A dry run reads the data to count."""

    cast: dict[str, Loss] = field(default_factory=dict)
    unmatched: list[str] = field(default_factory=list)

    @property
    def overflow(self) -> int:
        """`Loss.overflow` of all tensors together."""
        return sum(loss.overflow for loss in self.cast.values())

    @property
    def underflow(self) -> int:
        """`Loss.underflow` of all tensors together."""
        return sum(loss.underflow for loss in self.cast.values())

    @property
    def rounded(self) -> int:
        """`Loss.rounded` of all tensors together."""
        return sum(loss.rounded for loss in self.cast.values())

    def as_data(self) -> dict[str, Any]:
        return {**asdict(self), "overflow": self.overflow, "underflow": self.underflow, "rounded": self.rounded}


def cast(
    src: Path,
    dst: Path | None = None,
    dtype: Any = None,
    *,
    only: Iterable[str] | str = (),
    skip: Iterable[str] | str = (),
    source_dtypes: Iterable[Any] = (),
    ints: bool = False,
    saturate: bool = False,
    verify: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
    dask: Any = None,
) -> CastReport:
    """Write the checkpoint `src` with its floating-point tensors as `dtype`, under `dst` or in place.

    only, skip: patterns of names. source_dtypes: only tensors of these; `only` may hold names of dtypes too. ints:
    integers too, where `dtype` is floating point, and floating-point ones where it is an integer. saturate: what is
    too large becomes the largest finite value. Complex tensors become another complex dtype only. Rounding is to
    nearest even, towards zero for integers, as TensorFlow's Cast. dask: a scheduler whose workers do it, "threads",
    "processes", or the address of a cluster; the result then has a data file for each part.

    Raises: InvalidArgumentError for a dtype that is none of numbers.
    """
    to = _number_type(dtype)
    wanted = {_number_type(d) for d in as_list(source_dtypes, "source_dtypes")}
    conversion = _Wanted(to, as_patterns(only), as_patterns(skip), wanted, ints, saturate)
    if dask is None:
        return _cast(src, dst, conversion, verify=verify, dry_run=dry_run, progress=progress)
    from icefloe.checkpoint.distributed import edits, scheduling

    with open_checkpoint(src) as reader:
        source, count = scheduling.absolute(reader.prefix), len(reader.entries)
        target = scheduling.absolute(target_prefix(reader.prefix, dst, is_bundle=isinstance(reader, BundleReader)))
    reports = edits.edit(
        dask,
        _cast,
        target,
        count,
        dry_run=dry_run,
        progress=progress,
        src=source,
        wanted=conversion,
        verify=verify,
    )
    report = edits.joined(reports, target)
    for other in reports[1:]:
        for name, loss in other.cast.items():
            report.cast[name].add(loss)
    return report


@dataclass(frozen=True)
class _Wanted:
    """What to convert to what."""

    to: DType
    only: list[str]
    skip: list[str]
    sources: set[DType]
    ints: bool
    saturate: bool


def _dtype_named(text: str, contents: Contents) -> DType | None:
    """Return the dtype that a pattern names, None where it names a tensor or is a pattern."""
    if not text.isalnum() or text in contents.tensors:
        return None
    try:
        return datatypes.as_dtype(text)
    except TypeError:
        return None


def _cast(
    src: Path,
    output: Path | None,
    wanted: _Wanted,
    *,
    verify: bool,
    dry_run: bool,
    progress: Progress | None = None,
    part: tuple[int, int] | None = None,
) -> CastReport:
    to = wanted.to
    with open_checkpoint(src) as reader:
        contents = contents_of(reader)
        report = CastReport(source=reader.prefix, dry_run=dry_run)
        target = target_prefix(reader.prefix, output, is_bundle=isinstance(reader, BundleReader))
        full = objects.full_names(objects.read_objects(reader))
        dtypes = {text: found for text in wanted.only if (found := _dtype_named(text, contents)) is not None}
        sources = wanted.sources | set(dtypes.values())
        chosen, passed = Patterns([t for t in wanted.only if t not in dtypes], full), Patterns(wanted.skip, full)
        plan = Plan(target, [], contents.shards)
        for name, tensor in contents.tensors.items():
            matches = (not chosen or chosen.matches(name)) and not passed.matches(name)
            of_type = tensor.dtype != to and (not sources or tensor.dtype in sources)
            if matches and of_type and _convertible(tensor.dtype, to, wanted.ints):
                loss = report.cast[name] = Loss(tensor.dtype.name, to.name)
                plan.outputs.append(mapped(tensor, to, _Conversion(to, loss, wanted.saturate)))
            else:
                plan.outputs.append(copied(tensor))
        report.unmatched = chosen.unmatched + passed.unmatched
        plan.order_as(contents)
        plan.carry_out(report, progress, verify=verify, part=part)
        if dry_run:
            written = {output.name for output in plan.outputs}
            for name, loss in report.cast.items():
                if name in written:
                    _count(contents[name], _Conversion(to, loss, wanted.saturate))
        return report


def _count(tensor: Tensor, convert: _Conversion) -> None:
    for piece in tensor.pieces:
        for _ in convert(piece):
            pass


def _number_type(dtype: Any) -> DType:
    try:
        found = datatypes.as_dtype(dtype)
    except TypeError as e:
        raise errors.InvalidArgumentError(f"cast: {e}") from None
    if not (found.is_floating or found.is_integer or found.is_complex or found.is_bool) or found.is_quantized:
        raise errors.InvalidArgumentError(f"cast: {found.name} is no type of numbers to convert to or from")
    return found


def _convertible(before: DType, after: DType, ints: bool) -> bool:
    if before.is_quantized or before.numpy.hasobject:
        return False
    if before.is_complex or after.is_complex:
        return before.is_complex and after.is_complex
    if before.is_floating and after.is_floating:
        return True
    return ints and not before.is_bool and not after.is_bool


@dataclass(frozen=True)
class _Conversion:
    """Converts a piece in windows and adds to `loss` what they lose."""

    to: DType
    loss: Loss
    saturate: bool

    def __call__(self, piece: Piece) -> Iterator[np.ndarray]:
        for window in piece.windows():
            for start in range(0, window.size, _STEP // window.itemsize):
                yield self._converted(window[start : start + _STEP // window.itemsize])

    def _converted(self, before: np.ndarray) -> np.ndarray:
        source = before
        with np.errstate(all="ignore"):
            low, high = _range(self.to)
            if self.saturate:
                source = _clipped(before, self.to, low, high)
            after = source.astype(self.to.numpy)
            self._measure(before, after, low, high)
        return after

    def _measure(self, before: np.ndarray, after: np.ndarray, low: float, high: float) -> None:
        wide: Any = np.complex128 if before.dtype.kind == "c" else np.float64
        exact = _is_exact(before.dtype, self.to)
        self.loss.elements += before.size
        if exact:
            return
        if before.dtype.kind in "iu" and self.to.is_integer:
            outside = (before < int(low)) | (before > int(high))
            self.loss.overflow += int(outside.sum())
            return
        if not self.to.is_integer and self._measured_fast(before, after):
            return
        x, y = before.astype(wide), after.astype(wide)
        finite = np.isfinite(x)
        if self.to.is_integer:
            outside = ~((x > low - 1) & (x < high + 1))  # NaN too
        else:
            outside = finite & ~np.isfinite(y)
            if self.saturate:
                outside = finite & (abs(x) > high) & (abs(y) == high)
        under = finite & ~outside & (x != 0) & (y == 0)
        changed = finite & ~outside & ~under & (x != y)
        self.loss.overflow += int(outside.sum())
        self.loss.underflow += int(under.sum())
        count = int(changed.sum())
        if count:
            self._rounded(count, float((abs(y - x)[changed] / abs(x)[changed]).max()))

    def _measured_fast(self, before: np.ndarray, after: np.ndarray) -> bool:
        """Measure the usual case, in which all is finite and nothing becomes 0; return False in any other."""
        if self.saturate or before.dtype.kind != "f" or before.dtype.itemsize < 4:
            return False
        back = after.astype(before.dtype)
        # A sum of finite numbers may overflow; that takes the slow way, as infinities and NaN do.
        if not (np.isfinite(back.sum()) and np.isfinite(before.sum())):
            return False
        if np.count_nonzero(back) != np.count_nonzero(before):
            return False
        count = np.count_nonzero(back != before)
        if count:
            back -= before
            back /= before
            np.abs(back, out=back)
            self._rounded(int(count), float(np.fmax.reduce(back)))
        return True

    def _rounded(self, count: int, error: float) -> None:
        self.loss.rounded += count
        self.loss.max_error = max(self.loss.max_error, error)


def _range(dtype: DType) -> tuple[float, float]:
    """Return the least and the greatest finite value of a dtype, those of a part where it is complex."""
    if dtype.is_bool:
        return 0, 1
    if dtype.is_complex:
        info: Any = np.finfo(dtype.numpy)
    elif dtype.numpy.kind in "iu":
        info = np.iinfo(dtype.numpy)
    else:
        import ml_dtypes as narrow

        types: Any = narrow
        info = types.dtypes.iinfo(dtype.numpy) if dtype.is_integer else types.finfo(dtype.numpy)
    return (int(info.min), int(info.max)) if dtype.is_integer else (float(info.min), float(info.max))


def _clipped(before: np.ndarray, to: DType, low: float, high: float) -> np.ndarray:
    if before.dtype.kind == "c":
        return before
    if before.dtype.kind in "iu":
        info = np.iinfo(before.dtype)
        return np.clip(before, max(int(max(low, info.min)), info.min), min(int(min(high, info.max)), info.max))
    wide = before.astype(np.float64)
    clipped = np.clip(wide, low, high)
    # An infinity is no number that is too large, unless the new type has none.
    return np.where(np.isinf(wide), wide, clipped) if not to.is_integer else clipped


def _is_exact(before: np.dtype, to: DType) -> bool:
    """Whether every value of one dtype is one of the other."""
    if before.kind in "iufc" and to.numpy.kind in "iufc":
        return bool(np.can_cast(before, to.numpy, "safe"))
    return before.kind == "V" and before.itemsize <= 2 and to.name in ("float32", "float64")
