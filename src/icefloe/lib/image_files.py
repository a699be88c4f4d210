"""Images in files: decoded, encoded, recognised."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.image_color import convert_image_dtype
from icefloe.lib.math_elementwise import equal
from icefloe.lib.strings import substr


def is_jpeg(contents: Any, name: str | None = None) -> Tensor:
    """Return whether each string begins as a JPEG file."""
    with name_scope(name, "is_jpeg"):
        return equal(substr(contents, 0, 3), b"\xff\xd8\xff", name=name)


def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Tensor:
    """Return an image of uint8 or uint16 as a PNG file, of compression 0 to 9 or -1 for the default."""
    return apply_op("EncodePng", convert_to_tensor(image), compression=compression, name=name)


def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = datatypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """Return the pixels of a BMP, GIF, JPEG or PNG file.

    expand_animations: whether a GIF gives all of its frames, [frames, height, width, 3].
    """
    with name_scope(name, "decode_image"):
        channels = channels or 0
        own = dtype in (datatypes.float32, datatypes.uint8, datatypes.uint16)
        how: dict[str, Any] = {"channels": channels, "expand_animations": expand_animations}
        image = apply_op("DecodeImage", contents=contents, dtype=dtype if own else datatypes.uint16, **how)
        if not own:
            image = convert_image_dtype(image, dtype)
        if not expand_animations:
            image.set_shape([None, None, channels or None])
        return image
