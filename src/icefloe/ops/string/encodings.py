"""Code points and encoded strings: UnicodeDecode, UnicodeEncode, UnicodeTranscode, UnicodeScript."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors as icefloe_errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, unchanged, with_rank
from icefloe.ops.string.codecs import Decoder, decoder_of, encode, is_character
from icefloe.ops.string.elements import Array, flat, mapped, strings
from icefloe.ops.string.script_ranges import script_of
from icefloe.shapes import Dims

_LAST_CONTROL = 0x1F


def _check_replacement(replacement_char: int) -> None:
    if not is_character(replacement_char):
        raise icefloe_errors.InvalidArgumentError("replacement_char out of unicode codepoint range")


def _cleaned(
    decoder: Decoder, s: bytes, errors: str, replacement: int, replace_control: bool
) -> tuple[list[int], list[int]]:
    """Return the code points of `s` and where they begin, with errors and control characters seen to."""
    codes, starts = decoder.decode(s)
    if errors == "strict" and None in codes:
        raise icefloe_errors.InvalidArgumentError("Invalid formatting on input string")
    kept: list[int] = []
    places: list[int] = []
    for code, start in zip(codes, starts):
        if code is None or (replace_control and code <= _LAST_CONTROL):
            if errors == "ignore":
                continue
            code = replacement
        kept.append(code)
        places.append(start)
    return kept, places


def _decode(
    x: Any, encoding: str, errors: str, replacement: int, replace_control: bool, splits: DType
) -> tuple[Array, Array, Array]:
    _check_replacement(replacement)
    decoder = decoder_of(encoding)
    codes: list[int] = []
    starts: list[int] = []
    ends = [0]
    for s in flat(x):
        kept, places = _cleaned(decoder, s, errors, replacement, replace_control)
        codes += kept
        starts += places
        ends.append(len(codes))
    return np.array(ends, splits.numpy), np.array(codes, np.int32), np.array(starts, np.int64)


@kernel("UnicodeDecode")
def unicode_decode(
    x: Any,
    *,
    input_encoding: str,
    errors: str,
    replacement_char: int,
    replace_control_characters: bool,
    Tsplits: DType,
) -> tuple[Array, Array]:
    """The code points of all strings, and where each string's end.

    errors: "strict", "ignore", or "replace" what is no character by `replacement_char`.
    """
    return _decode(x, input_encoding, errors, replacement_char, replace_control_characters, Tsplits)[:2]


@kernel("UnicodeDecodeWithOffsets")
def unicode_decode_with_offsets(
    x: Any,
    *,
    input_encoding: str,
    errors: str,
    replacement_char: int,
    replace_control_characters: bool,
    Tsplits: DType,
) -> tuple[Array, Array, Array]:
    """As UnicodeDecode, and at which byte of its string each character begins."""
    return _decode(x, input_encoding, errors, replacement_char, replace_control_characters, Tsplits)


@shape("UnicodeDecode", "UnicodeDecodeWithOffsets")
def unicode_decode_shape(c: ShapeContext) -> list[Dims]:
    known = c.shape(0)
    count: int | None = None
    if known is not None and None not in known:
        count = 1
        for size in known:
            count *= size or 0
    shapes: list[Dims] = [(None if count is None else count + 1,), (None,), (None,)]
    return shapes[: c.num_outputs]


@kernel("UnicodeTranscode", factory=True)
def unicode_transcode(
    *,
    input_encoding: str,
    output_encoding: str,
    errors: str,
    replacement_char: int,
    replace_control_characters: bool,
) -> Callable[[Any], Array]:
    """Each string in another encoding."""
    _check_replacement(replacement_char)
    decoder = decoder_of(input_encoding)

    def transcode(s: bytes) -> bytes:
        codes, _ = _cleaned(decoder, s, errors, replacement_char, replace_control_characters)
        return encode(codes, output_encoding)

    return lambda x: mapped(transcode, x)


shape("UnicodeTranscode", "UnicodeScript")(unchanged)


@kernel("UnicodeEncode")
def unicode_encode(codes: Any, splits: Any, *, errors: str, output_encoding: str, replacement_char: int) -> Array:
    """A string of each row of a ragged tensor of code points."""
    _check_replacement(replacement_char)
    if np.ndim(codes) != 1 or np.ndim(splits) != 1:
        raise icefloe_errors.InvalidArgumentError("Both the input_tensor and input_splits should be of rank 1. ")
    ends = splits.tolist()
    if not ends:
        raise icefloe_errors.InvalidArgumentError(
            f"Input_splits should contain elements, but given input_values has {len(ends)} elements"
        )
    if ends[0] != 0:
        raise icefloe_errors.InvalidArgumentError("First value in input_splits must be zero.")
    if ends[-1] != codes.size:
        raise icefloe_errors.InvalidArgumentError("Last value in input_splits must be equal to length of input_tensor.")
    if (np.diff(splits) < 0).any():
        raise icefloe_errors.InvalidArgumentError("Values in input_splits must be equal or in ascending order.")
    values = codes.tolist()
    result = []
    for i in range(len(ends) - 1):
        row = values[ends[i] : ends[i + 1]]
        if not all(map(is_character, row)):
            if errors == "strict":
                raise icefloe_errors.InvalidArgumentError("Code point is out of range for Unicode, or is a surrogate.")
            kept = row if errors == "replace" else filter(is_character, row)
            row = [code if is_character(code) else replacement_char for code in kept]
        result.append(encode(row, output_encoding))
    return strings(result)


@shape("UnicodeEncode")
def unicode_encode_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 1)
    (splits,) = with_rank(c.shape(1), 1)
    return [(None if splits is None else max(splits - 1, 0),)]


@kernel("UnicodeScript")
def unicode_script(codes: Any) -> Array:
    """The script of each code point, by ICU's numbers; -1 for a number that is no code point."""
    return np.asarray(script_of(np.asarray(codes)), np.int32)
