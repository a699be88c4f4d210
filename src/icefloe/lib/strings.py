"""String ops."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.arguments import renamed
from icefloe.lib.array_shape import rank
from icefloe.lib.constants import is_tensor
from icefloe.lib.math_range import range


def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:
    """Return where a string matches the RE2 `pattern` as a whole."""
    op = "StaticRegexFullMatch" if isinstance(pattern, (str, bytes)) else "RegexFullMatch"
    return apply_op(op, input=input, pattern=pattern, name=name)


def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Tensor:
    r"""Return `input` with matches of the RE2 `pattern` replaced, all or the first; `\1` stands for a group."""
    static = isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes))
    return apply_op(
        "StaticRegexReplace" if static else "RegexReplace",
        input=input,
        pattern=pattern,
        rewrite=rewrite,
        replace_global=replace_global,
        name=name,
    )


def string_format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """Return `template` with each placeholder replaced by a printed tensor.

    Raises: ValueError if their numbers differ.
    """
    if is_tensor(inputs):
        inputs = [inputs]
    count = template.count(placeholder)
    if count != len(inputs):
        raise ValueError(
            f"The template expects {count} tensors, but the inputs only has {len(inputs)}. Please ensure the number of "
            "placeholders in template matches inputs length."
        )
    return apply_op("StringFormat", inputs, template=template, placeholder=placeholder, summarize=summarize, name=name)


def _as_sparse(parts: Any) -> SparseTensor:
    indices, values, shape = parts
    indices.set_shape([None, 2])
    values.set_shape([None])
    shape.set_shape([2])
    return SparseTensor(indices, values, shape)


def split_to_sparse(source: Any, sep: Any = None, maxsplit: int = -1) -> SparseTensor:
    """Return the parts of each string of a vector, split as Python's `str.split` splits, as rows of a SparseTensor."""
    sep = convert_to_tensor("" if sep is None else sep, dtype=datatypes.string)
    source = convert_to_tensor(source, dtype=datatypes.string)
    return _as_sparse(apply_op("StringSplitV2", source, sep, maxsplit=maxsplit))


def _as_asked(sparse: SparseTensor, result_type: str) -> Any:
    if result_type == "SparseTensor":
        return sparse
    if result_type != "RaggedTensor":
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    from icefloe.lib.unicode import rows_of_sparse

    return rows_of_sparse(sparse)


def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """Return the parts of each string of a vector as the rows of a SparseTensor, or of a RaggedTensor.

    sep: the characters that separate, default a space; empty: single bytes. skip_empty: leave out empty parts.
    """
    with name_scope(name, "StringSplit", [source]):
        sep = renamed("sep", sep, "delimiter", delimiter)
        delimiter = convert_to_tensor(" " if sep is None else sep, dtype=datatypes.string)
        source = convert_to_tensor(source, dtype=datatypes.string)
        return _as_asked(_as_sparse(apply_op("StringSplit", source, delimiter, skip_empty=skip_empty)), result_type)


def strings_split(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """Return the parts of each string as the rows of a SparseTensor, or of a RaggedTensor, as `str.split` splits.

    sep: the separator, default white space. maxsplit: at most so many splits.
    """
    from icefloe.lib.ragged_tensor import as_tensor_or_ragged
    from icefloe.lib.unicode import split_to_ragged

    input = renamed("input", input, "source", source)
    with name_scope(name, "StringSplit", [input]):
        input = as_tensor_or_ragged(input, dtype=datatypes.string, name="input")
        if input.shape.rank == 0:
            input = apply_op("ExpandDims", input, 0)
        if result_type == "SparseTensor":
            if input.shape.rank == 1:
                return split_to_sparse(input, sep, maxsplit)
            return split_to_ragged(input, sep, maxsplit).to_sparse()
        if result_type == "RaggedTensor":
            return split_to_ragged(input, sep, maxsplit)
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")


def reduce_join(
    inputs: Any,
    axis: Any = None,
    keep_dims: Any = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: Any = None,
) -> Tensor:
    """Return the strings joined over `axis`, in the order in which its axes are named; default all, last axis first."""
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    with name_scope(None, "ReduceJoin", [inputs, axis]):
        tensor = convert_to_tensor(inputs)
        if axis is None and tensor.shape.rank is not None:
            axis = constant(np.arange(tensor.shape.rank - 1, -1, -1), dtype=datatypes.int32)
        elif axis is None:
            axis = range(rank(tensor) - 1, -1, -1)
        return apply_op("ReduceJoin", tensor, axis, keep_dims=builtins.bool(keepdims), separator=separator, name=name)


def string_length(input: Any, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """Return the lengths of strings; unit: BYTE or UTF8_CHAR."""
    return apply_op("StringLength", input, unit=unit, name=name)


def substr_deprecated(input: Any, pos: Any, len: Any, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """Return the part of each string of length `len` that begins at `pos`; unit: BYTE or UTF8_CHAR."""
    return apply_op("Substr", input, pos, len, unit=unit, name=name)


substr = substr_deprecated


def string_to_number(
    string_tensor: Any = None, out_type: Any = datatypes.float32, name: str | None = None, input: Any = None
) -> Tensor:
    """Return the numbers that strings spell."""
    return apply_op(
        "StringToNumber", renamed("input", input, "string_tensor", string_tensor), out_type=out_type, name=name
    )


def string_to_hash_bucket(
    string_tensor: Any = None, num_buckets: int | None = None, name: str | None = None, input: Any = None
) -> Tensor:
    """Return a hash of each string modulo `num_buckets`."""
    strings = renamed("input", input, "string_tensor", string_tensor)
    return apply_op("StringToHashBucket", strings, num_buckets=num_buckets, name=name)


def string_join(inputs: Any, separator: str = "", name: str | None = None) -> Tensor:
    """Return tensors of strings joined elementwise; scalars broadcast."""
    return apply_op("StringJoin", inputs, separator=separator, name=name)


def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str = "", name: str | None = None
) -> Tensor:
    """Return the strings of each segment joined."""
    return apply_op("UnsortedSegmentJoin", inputs, segment_ids, num_segments, separator=separator, name=name)
