"""StringFormat: tensors written into a template."""

from __future__ import annotations

from typing import Any

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext
from icefloe.ops.string.elements import Array, strings
from icefloe.ops.string.summaries import summarize_ends
from icefloe.shapes import Dims


@kernel("StringFormat")
def string_format(inputs: tuple[Any, ...], *, template: str, placeholder: str, summarize: int) -> Array:
    """`template` with each placeholder replaced by an input, of which `summarize` elements at each end are shown."""
    parts = _bytes(template).split(_bytes(placeholder))
    _check_count(len(parts) - 1, len(inputs))
    shown = [summarize_ends(x, summarize) for x in inputs]
    return strings([b"".join(piece for pair in zip(parts, [*shown, b""]) for piece in pair)], ())


def _bytes(attr: str | bytes) -> bytes:
    return attr if isinstance(attr, bytes) else attr.encode()


def _check_count(placeholders: int, inputs: int) -> None:
    if placeholders != inputs:
        raise errors.InvalidArgumentError(
            f"num placeholders in template and num inputs must match: {placeholders} vs. {inputs}"
        )


@shape("StringFormat")
def string_format_shape(c: ShapeContext) -> list[Dims]:
    _check_count(_bytes(c.attr("template")).count(_bytes(c.attr("placeholder"))), c.num_inputs)
    return [()]
