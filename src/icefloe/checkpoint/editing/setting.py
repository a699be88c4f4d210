"""Tensors with other values, and new ones."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint.arguments import as_mapping, as_text
from icefloe.checkpoint.editing import objects
from icefloe.checkpoint.editing.reports import EditReport, Progress
from icefloe.checkpoint.editing.stored import OBJECT_GRAPH, WINDOW, Contents, Tensor, contents_of
from icefloe.checkpoint.editing.stream import Computed, Output, OutputPiece, Plan, copied, from_array
from icefloe.checkpoint.editing.targets import target_prefix
from icefloe.checkpoint.opening import open_checkpoint
from icefloe.checkpoint.reader import BundleReader
from icefloe.checkpoint.slices import volume
from icefloe.checkpoint.values import to_tensor
from icefloe.datatypes import DType
from icefloe.near_names import near_names, question

Path = str | os.PathLike[str]
_SUFFIX = "/.ATTRIBUTES/VARIABLE_VALUE"


@dataclass(kw_only=True)
class SetReport(EditReport):
    """changed: names of tensors that have another value now.   added: new ones."""

    changed: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)


def set_values(
    src: Path,
    values: Mapping[str, Any],
    dst: Path | None = None,
    *,
    only_existing: bool = False,
    reshape: bool = False,
    dtype: Any = None,
    verify: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> SetReport:
    """Write the checkpoint `src` with `values` for the tensors of these names, under `dst` or in place.

    A value is what `save_checkpoint` takes. It gets the dtype of the tensor that it replaces, and must have its
    shape, or be a scalar, which fills it; reshape: it may have any shape. A partitioned tensor stays partitioned. A
    name that is not there is added, with `dtype` where that is given; only_existing: it is an error. A tensor of an
    object-based checkpoint also goes by its path or its variable's full name; none can be added to it.

    Raises: NotFoundError for a name that must be there, InvalidArgumentError for a value that does not fit.
    """
    values = as_mapping(values, "from names to values")
    with open_checkpoint(src) as reader:
        contents = contents_of(reader)
        report = SetReport(source=reader.prefix, dry_run=dry_run)
        target = target_prefix(reader.prefix, dst, is_bundle=isinstance(reader, BundleReader))
        graph = objects.read_objects(reader)
        full = {name: key for key, name in objects.full_names(graph).items()}
        new: dict[str, Output] = {}
        for given, value in values.items():
            name = _resolved(contents, given, full)
            if name in new:
                raise errors.InvalidArgumentError(f"tensor {name!r} is given two values")
            tensor = contents.tensors.get(name)
            if tensor is None and (only_existing or graph is not None):
                error = reader.missing(name)
                if graph is not None and not only_existing:
                    error.message += "; a new tensor belongs to no object of an object-based checkpoint"
                raise error
            if tensor is None:
                new[name] = _added(name, value, dtype)
                report.added.append(name)
            else:
                new[name] = _changed(tensor, value, reshape)
                report.changed.append(name)
        plan = Plan(target, [new.get(n) or copied(t) for n, t in contents.tensors.items()], contents.shards)
        plan.outputs += [new[name] for name in report.added]
        plan.order_as(contents)
        plan.carry_out(report, progress, verify=verify)
        return report


def _resolved(contents: Contents, name: str, full: Mapping[str, str]) -> str:
    for candidate in (name, name + _SUFFIX, full.get(name, "")):
        if candidate in contents.tensors and (candidate != OBJECT_GRAPH or name == OBJECT_GRAPH):
            return candidate
    return name


def _added(name: str, value: Any, dtype: Any) -> Output:
    if dtype is None:
        return from_array(name, *to_tensor(name, value))
    found, array = _as_dtype(name, *_given(name, value), _dtype(dtype))
    return from_array(name, found, array)


def _dtype(dtype: Any) -> DType:
    try:
        return datatypes.as_dtype(dtype)
    except TypeError as e:
        raise errors.InvalidArgumentError(str(e)) from None


def _changed(tensor: Tensor, value: Any, reshape: bool) -> Output:
    dtype, array = _as_dtype(tensor.name, *_given(tensor.name, value), tensor.dtype)
    if array.shape != tensor.shape:
        if array.shape == () and not reshape:
            return _filled(tensor, array)
        if not reshape:
            raise errors.InvalidArgumentError(
                f"tensor {tensor.name!r}: expected shape {list(tensor.shape)}, got {list(array.shape)}",
                hint="`reshape` (--reshape) lets it have another shape.",
            )
        return from_array(tensor.name, dtype, array, tensor.pieces[0].entry.shard)
    pieces = []
    for piece in tensor.pieces:
        part = array if piece.chosen is None else np.ascontiguousarray(array[piece.chosen.index(tensor.shape)])
        pieces.append(OutputPiece(piece.shape, _in_memory(part), piece.chosen, piece.entry.shard, piece.place))
    return Output(tensor.name, dtype, tensor.shape, tuple(pieces), tensor.shard)


def _in_memory(array: np.ndarray) -> Computed:
    return Computed(lambda: (array.reshape(-1),))


def _filled(tensor: Tensor, scalar: np.ndarray) -> Output:
    def windows(size: int) -> Iterator[np.ndarray]:
        step = max(WINDOW // max(scalar.itemsize, 1), 1)
        for start in range(0, size, step):
            yield np.broadcast_to(scalar, (min(step, size - start),))

    def computed(shape: tuple[int, ...]) -> Computed:
        return Computed(lambda: windows(volume(shape)))

    pieces = tuple(OutputPiece(p.shape, computed(p.shape), p.chosen, p.entry.shard, p.place) for p in tensor.pieces)
    return Output(tensor.name, tensor.dtype, tensor.shape, pieces, tensor.shard)


def _given(name: str, value: Any) -> tuple[DType, np.ndarray]:
    """As `to_tensor`, but numbers of Python keep all their digits."""
    with np.errstate(over="ignore"):
        found, array = to_tensor(name, value)
    if found == datatypes.float32 and not hasattr(value, "dtype"):
        return datatypes.float64, np.asarray(value, np.float64)
    return found, array


def _as_dtype(name: str, found: DType, array: np.ndarray, wanted: DType) -> tuple[DType, np.ndarray]:
    """Return the value in another dtype. Raises: InvalidArgumentError if it cannot be, or loses more than precision."""
    if found == wanted:
        return wanted, array
    if found.numpy.hasobject or wanted.numpy.hasobject or found.is_quantized or wanted.is_quantized:
        if not array.size and array.dtype != object:
            return wanted, np.empty(array.shape, wanted.numpy)
        raise errors.InvalidArgumentError(f"tensor {name!r}: expected {wanted.name}, got {found.name}")
    if found.is_complex and not wanted.is_complex:
        raise errors.InvalidArgumentError(f"tensor {name!r}: {found.name} values are not {wanted.name} ones")
    if not array.size or found.is_bool:
        return wanted, array.astype(wanted.numpy)
    if wanted.is_bool or wanted.is_integer:
        wide = array.astype(np.float64) if found.is_floating else array
        if not np.isfinite(wide).all() or (found.is_floating and (wide != np.trunc(wide)).any()):
            raise errors.InvalidArgumentError(f"tensor {name!r}: {found.name} values are not {wanted.name} ones")
        least, most = (0, 1) if wanted.is_bool else (int(wanted.min), int(wanted.max))
        if int(wide.min()) < least or int(wide.max()) > most:
            raise errors.InvalidArgumentError(
                f"tensor {name!r}: values out of the range of {wanted.name}, {least} to {most}"
            )
        return wanted, wide.astype(wanted.numpy)
    with np.errstate(all="ignore"):
        result = array.astype(wanted.numpy)
        if (np.isfinite(array.astype(np.complex128)) & ~np.isfinite(result.astype(np.complex128))).any():
            raise errors.InvalidArgumentError(f"tensor {name!r}: values out of the range of {wanted.name}")
    return wanted, result


def read_value(text: str) -> Any:
    """Return the value that a text stands for.

        0.5   [1, 2]   true   "text"       JSON; other text is a string
        @file.npy                          the array in it
        @file.npz:NAME                     one of its arrays
        @PREFIX:NAME                       a tensor of a checkpoint

    Raises: NotFoundError if there is no such file or name, InvalidArgumentError if a file is no array or a text no
    value.
    """
    if as_text(text, "the text of a value").startswith("@"):
        return _from_file(text[1:])
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        special = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
        return special.get(text.strip().lower(), text)
    if value is None or isinstance(value, dict):
        raise errors.InvalidArgumentError(f"{text!r} is no value of a tensor")
    return value


def _from_file(place: str) -> Any:
    if place.endswith(".npy"):
        return _load(place)
    for end in (i for i, c in enumerate(place) if c == ":"):
        path, name = place[:end], place[end + 1 :]
        if path.endswith(".npz") and name:
            arrays = _load(path)
            with arrays:
                if name not in arrays.files:
                    raise errors.NotFoundError(
                        f"no array {name!r}", path=path, hint=question(near_names(name, arrays.files))
                    )
                return _array(arrays, name, path)
    path, mark, name = place.partition(":")
    while mark:
        try:
            with open_checkpoint(path) as reader:
                return reader.read(name)
        except errors.NotFoundError:
            following, more, rest = name.partition(":")
            if not more or os.path.exists(path + ".index"):
                raise
            path, name = f"{path}:{following}", rest
    raise errors.InvalidArgumentError(f"@{place}: expected a .npy, a .npz with :NAME, or a checkpoint with :NAME")


def _load(path: str) -> Any:
    try:
        return np.load(os.path.expanduser(path), allow_pickle=False)
    except FileNotFoundError:
        raise errors.NotFoundError(f"{path}; No such file or directory") from None
    except Exception as e:  # numpy raises whatever its parsers do
        raise errors.InvalidArgumentError(f"no array can be read: {e}", path=path) from None


def _array(arrays: Any, name: str, path: str) -> Any:
    try:
        note = arrays[f"{name}!dtype"] if f"{name}!dtype" in arrays.files else None
        return arrays[name] if note is None else arrays[name].view(datatypes.as_dtype(note.item().decode()).numpy)
    except Exception as e:
        raise errors.InvalidArgumentError(f"no array can be read: {e}", path=path) from None
