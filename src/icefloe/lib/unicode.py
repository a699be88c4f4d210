"""Strings as characters and n-grams, in rows of a RaggedTensor.

Source: tensorflow/python/ops/ragged/ragged_string_ops.py (nodes and names).
"""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_shape import reshape
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.ragged_layout import expand_dims
from icefloe.lib.ragged_tensor import RaggedTensor, as_tensor_or_ragged

_REPLACEMENT = 65533


def bytes_split(input: Any, name: str | None = None) -> Any:
    """Return the bytes of each string as a row. Raises: ValueError if the rank is not known."""
    with name_scope(name, "StringsByteSplit", [input]):
        input = as_tensor_or_ragged(input, name="input")
        if isinstance(input, RaggedTensor):
            return input.with_flat_values(bytes_split(input.flat_values))
        rank = input.shape.ndims
        if rank is None:
            raise ValueError("input must have a statically-known rank.")
        if rank == 0:
            return bytes_split(stack([input]))[0]
        if rank > 1:
            return bytes_split(RaggedTensor.from_tensor(input))
        indices, values, shape = apply_op("StringSplit", input, "", skip_empty=False)
        return RaggedTensor.from_value_rowids(values, indices[:, 0], nrows=shape[0], validate=False)


def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: str | None = None,
) -> Any:
    """Return the string that the code points of each innermost row make.

    output_encoding: UTF-8, UTF-16-BE or UTF-32-BE. errors: replace, ignore or strict, for what is no code point.
    """
    with name_scope(name, "UnicodeEncode", [input]):
        points = as_tensor_or_ragged(input)
        ndims = points.shape.ndims
        if ndims is None:
            raise ValueError("Rank of input_tensor must be statically known.")
        how = (output_encoding, errors, replacement_char)
        if isinstance(points, RaggedTensor):
            if (points.flat_values.shape.ndims or 0) > 1:
                return points.with_flat_values(unicode_encode(points.flat_values, *how))
            if points.ragged_rank > 1:
                return points.with_values(unicode_encode(points.values, *how))
            return apply_op(
                "UnicodeEncode",
                points.values,
                points.row_splits,
                output_encoding=output_encoding,
                errors=errors,
                replacement_char=replacement_char,
            )
        if ndims == 2:
            return unicode_encode(RaggedTensor.from_tensor(points), *how)
        if ndims > 2:
            flat = reshape(points, stack([-1, shape_of(points)[-1]]))
            return reshape(unicode_encode(flat, *how), points.shape[:-1])
        if ndims == 0:
            raise ValueError("input_tensor's rank must be at least 1.")
        splits = stack([0, shape_of(points, out_type=datatypes.int32)[0]])
        row = RaggedTensor.from_row_splits(points, splits, validate=False)
        return reshape(unicode_encode(row, *how), [])


def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Return the code points of each string as a row.

    input_encoding: any that ICU knows. errors: replace, ignore or strict, for what is no character.
    """
    with name_scope(name, "UnicodeDecode", [input]):
        return _decoded("UnicodeDecode", input, input_encoding, errors, replacement_char, replace_control_characters)[0]


def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the code points of each string as a row, and at which byte each starts; see `unicode_decode`."""
    with name_scope(name, "UnicodeDecodeWithOffsets", [input]):
        points, offsets = _decoded(
            "UnicodeDecodeWithOffsets",
            input,
            input_encoding,
            errors,
            replacement_char,
            replace_control_characters,
        )
        return points, offsets


def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: str | None = None,
) -> Any:
    """Return the characters of each string as a row of strings; see `unicode_decode`."""
    with name_scope(name, "UnicodeSplit", [input]):
        points = _decoded("UnicodeDecode", input, input_encoding, errors, replacement_char, False)[0]
        return unicode_encode(expand_dims(points, -1), input_encoding, errors, replacement_char)


def unicode_split_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the characters of each string as a row of strings, and at which byte each starts."""
    with name_scope(name, "UnicodeSplitWithOffsets", [input]):
        points, offsets = _decoded("UnicodeDecodeWithOffsets", input, input_encoding, errors, replacement_char, False)
        return unicode_encode(expand_dims(points, -1), input_encoding, errors, replacement_char), offsets


def _decoded(op: str, input: Any, encoding: str, errors: str, replacement: int, control: bool) -> list[Any]:
    """Return the code points and, for the op with offsets, the offsets: tensors of a scalar, else RaggedTensors."""
    input = as_tensor_or_ragged(input, name="input")
    ndims = input.shape.ndims
    if ndims is None:
        raise ValueError("Rank of `input` must be statically known.")
    if ndims > 1:
        if not isinstance(input, RaggedTensor):
            input = RaggedTensor.from_tensor(input, ragged_rank=ndims - 1)
        elif input.ragged_rank < ndims - 1:
            inner = RaggedTensor.from_tensor(input.flat_values, ragged_rank=ndims - input.ragged_rank - 1)
            input = input.with_flat_values(inner)
    flat = reshape(input.flat_values if isinstance(input, RaggedTensor) else input, [-1])
    splits, *found = apply_op(
        op,
        flat,
        input_encoding=encoding,
        errors=errors,
        replacement_char=replacement,
        replace_control_characters=control,
    )
    if ndims == 0:
        return found
    rows = []
    for values in found:
        row = RaggedTensor.from_row_splits(values, splits, validate=False)
        rows.append(input.with_flat_values(row) if ndims > 1 else row)
    return rows


def ngrams(
    data: Any,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Return the n-grams of each innermost row of strings.

    ngram_width: a width or several. pad_values: a string, or one for the left and one for the right. padding_width:
    default one less than the n-gram. preserve_short_sequences: give a row that is too short as one n-gram.

    Raises: TypeError, ValueError if the arguments are not that.
    """
    with name_scope(name, "StringNGrams", [data]):
        left, right = _pads(pad_values)
        if padding_width is not None and padding_width < 1:
            raise ValueError("padding_width must be greater than 0.")
        if padding_width is not None and pad_values is None:
            raise ValueError("pad_values must be provided if padding_width is set.")
        data = as_tensor_or_ragged(data, name="data", dtype=datatypes.string)
        more = (separator, pad_values, padding_width, preserve_short_sequences, name)
        dense_shape = None
        if isinstance(data, Tensor):
            dense_shape = concat([shape_of(data)[:-1], [-1]], axis=0)
            if data.shape.ndims is None:
                raise ValueError("Rank of data must be known.")
            if data.shape.ndims == 0:
                raise ValueError("Data must have rank>0")
            if data.shape.ndims == 1:
                row = RaggedTensor.from_row_starts(data, [0], validate=False)
                return ngrams(row, ngram_width, *more)[0]
            data = RaggedTensor.from_tensor(data, ragged_rank=data.shape.ndims - 1)
        if data.ragged_rank > 1:
            output = data.with_values(ngrams(data.values, ngram_width, *more))
        else:
            widths = list(ngram_width) if isinstance(ngram_width, (list, tuple)) else [ngram_width]
            if any(width < 1 for width in widths):
                raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
            wide = padding_width
            if pad_values is None:
                wide = 0
            elif wide is None:
                wide = -1
            made, splits = apply_op(
                "StringNGrams",
                data.flat_values,
                data.row_splits,
                separator=separator,
                ngram_widths=widths,
                left_pad=left,
                right_pad=right,
                pad_width=wide,
                preserve_short_sequences=preserve_short_sequences,
            )
            output = RaggedTensor.from_row_splits(made, splits, validate=False)
        return output if dense_shape is None else reshape(output.flat_values, dense_shape)


def _pads(pad_values: Any) -> tuple[Any, Any]:
    if pad_values is None:
        return "", ""
    left, right = pad_values[:2] if isinstance(pad_values, (list, tuple)) else (pad_values, pad_values)
    if not (isinstance(left, (str, bytes)) and isinstance(right, (str, bytes))):
        raise TypeError("pad_values must be a string, tuple of strings, or None.")
    return left, right


def split_to_ragged(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """Return the parts of each string as a row, as Python's `str.split` splits."""
    with name_scope(name, "StringSplit", [input]):
        input = as_tensor_or_ragged(input, dtype=datatypes.string, name="input")
        if isinstance(input, RaggedTensor):
            return input.with_flat_values(split_to_ragged(input.flat_values, sep, maxsplit))
        rank = input.shape.ndims
        if rank == 0:
            return split_to_ragged(stack([input]), sep, maxsplit)[0]
        if rank is not None and rank > 1:
            return split_to_ragged(RaggedTensor.from_tensor(input), sep, maxsplit)
        from icefloe.lib.strings import split_to_sparse

        return rows_of_sparse(split_to_sparse(input, sep, maxsplit))


def rows_of_sparse(sparse: Any) -> RaggedTensor:
    """Return the values of a SparseTensor of rank 2 as rows."""
    return RaggedTensor.from_value_rowids(
        sparse.values, sparse.indices[:, 0], nrows=sparse.dense_shape[0], validate=False
    )
