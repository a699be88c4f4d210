"""Image files to pixels and back: EncodePng, DecodeBmp, and DecodePng/Jpeg/Gif/Image through Pillow.

PNG is written by `png.py`, to libpng's bytes. JPEG, GIF and PNG are read by Pillow, which the extra `icefloe[image]`
brings; a PNG of 16 bits per channel and a BMP are read here. JPEG pixels may differ from TensorFlow's by a few steps,
as the decoders' transforms do.
"""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.datatypes import uint8 as _UINT8
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, scalar, with_rank_at_least
from icefloe.ops.allocation import check_shape
from icefloe.ops.image.png import encode_png
from icefloe.shapes import Dims, shape_text

Array = np.ndarray[Any, Any]
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


@kernel("EncodePng")
def encode_png_kernel(image: Any, *, compression: int) -> Array:
    """Return the PNG files of image: uint8 or uint16 [..., height, width, 1 to 4 channels]."""
    pixels = np.asarray(image)
    if pixels.ndim < 3:
        raise errors.InvalidArgumentError(f"image must have at least 3 dimensions, got {shape_text(pixels.shape)}")
    if not 1 <= pixels.shape[-1] <= 4:
        raise errors.InvalidArgumentError(f"image must have 1, 2, 3, or 4 channels, got {pixels.shape[-1]}")
    if not -1 <= compression <= 9:
        raise errors.InvalidArgumentError(f"compression should be in [-1,9], got {compression}")
    if pixels.size and 0 in pixels.shape[-3:]:
        raise errors.InvalidArgumentError(f"image must not be empty, got {shape_text(pixels.shape)}")
    out = np.empty(pixels.shape[:-3], object)
    for index in np.ndindex(out.shape):
        out[index] = encode_png(pixels[index], compression)
    return out


@shape("EncodePng")
def encode_png_shape(c: ShapeContext) -> list[Dims]:
    given = with_rank_at_least(c.shape(0), 3)
    return [None if given is None else given[:-3]]


def _contents(contents: Any) -> bytes:
    if np.ndim(contents):
        raise errors.InvalidArgumentError(f"contents must be scalar but got shape {shape_text(np.shape(contents))}")
    return bytes(np.asarray(contents, object)[()])


def _pillow() -> Any:
    try:
        import PIL.Image
    except ImportError as error:
        raise errors.UnimplementedError(
            "reading this kind of image needs Pillow", hint="Install it with: pip install 'icefloe[image]'"
        ) from error
    return PIL.Image


def _frames(data: bytes, channels: int, most: int | None) -> list[Array]:
    """Return the frames of an image file as uint8 [height, width, channels]; channels 0 keeps the file's own."""
    image_module = _pillow()
    try:
        with image_module.open(io.BytesIO(data)) as image:
            check_shape((image.height, image.width, max(channels, len(image.getbands()))), np.dtype(np.uint8))
            found = []
            for i in range(getattr(image, "n_frames", 1)):
                if most is not None and i >= most:
                    break
                image.seek(i)
                mode = _MODES[channels] if channels else _own_mode(image)
                found.append(np.array(image.convert(mode)))
            return [f[:, :, None] if f.ndim == 2 else f for f in found]
    except errors.OpError:
        raise
    except Exception as error:  # Pillow raises many kinds for damaged files
        raise errors.InvalidArgumentError(f"Invalid image data: {error}") from error


def _own_mode(image: Any) -> str:
    if image.mode == "P":
        return "RGBA" if "transparency" in image.info else "RGB"
    if image.mode in ("1", "I", "I;16", "F"):
        return "L"
    return image.mode if image.mode in ("L", "LA", "RGB", "RGBA") else "RGB"


def _kind(data: bytes) -> str:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if data.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    return "bmp" if data.startswith(b"BM") else ""


def _decode(data: bytes, channels: int, dtype: DType, *, expand: bool, kinds: tuple[str, ...]) -> Array:
    """Return an image as `dtype`: [height, width, channels], or [frames, ...] for a GIF where `expand`."""
    kind = _kind(data)
    if kind not in kinds:
        raise errors.InvalidArgumentError(
            f"Unknown image file format. One of {', '.join(k.upper() for k in kinds)} required."
        )
    if kind == "bmp":
        return _as_type(_bmp(data, channels), dtype, 256)
    if kind == "png" and len(data) > 25 and data[24] == 16:
        return _as_type(_deep_png(data, channels), dtype)
    if kind == "gif":
        if channels not in (0, 3):
            raise errors.InvalidArgumentError("channels must be 0, 3 for a GIF")
        frames = np.stack(_frames(data, 3, None))
        if not expand and len(frames) > 1:
            raise errors.InvalidArgumentError(
                f"Got {len(frames)} frames, but animated gifs can only be decoded by decode_gif"
            )
        return _as_type(frames if expand else frames[0], dtype, 256)
    return _as_type(_frames(data, channels, 1)[0], dtype, 257 if kind == "png" else 256)


def _as_type(pixels: Array, dtype: DType, step: int = 257) -> Array:
    """Return uint8 or uint16 pixels as another dtype; floats are 0 to 1. step: of uint16 for one of uint8."""
    wanted = dtype.numpy
    if pixels.dtype == wanted:
        return pixels
    if wanted == np.uint8:
        return (pixels >> 8).astype(np.uint8)
    if wanted == np.uint16:
        return pixels.astype(np.uint16) * np.uint16(step)
    return pixels.astype(np.float32) * np.float32(1.0 / (255 if pixels.dtype == np.uint8 else 65535))


def _bmp(data: bytes, channels: int) -> Array:
    """Return an uncompressed BMP of 8, 24 or 32 bits as uint8 [height, width, channels]."""
    if len(data) < 34:
        raise errors.InvalidArgumentError(f"Incomplete bmp content, requires at least 34 bytes, got {len(data)}")
    start, _, width, height, _, bits = struct.unpack_from("<IIiiHH", data, 10)
    own = bits // 8
    if own not in (1, 3, 4) or bits % 8:
        raise errors.InvalidArgumentError(f"Number of channels inherent in the image must be 1, 3 or 4, was {own}")
    if channels and channels != own and (channels, own) != (4, 3):
        raise errors.InvalidArgumentError(
            f"channels attribute {channels} does not match bits per pixel from file {own}"
        )
    if width <= 0 or not height:
        raise errors.InvalidArgumentError(f"Width and height of a bmp must not be 0, got {width}, {height}")
    rows = abs(height)
    row = (own * width + 3) // 4 * 4
    if len(data) < start + row * (rows - 1) + own * width:
        raise errors.InvalidArgumentError(f"Incomplete bmp content: {rows} rows of {row} bytes, got {len(data)} bytes")
    flat = np.frombuffer(data + bytes(row), np.uint8, rows * row, start).reshape(rows, row)
    pixels = flat[:, : own * width].reshape(rows, width, own)
    if height > 0:
        pixels = pixels[::-1]
    order = {1: [0], 3: [2, 1, 0], 4: [2, 1, 0, 3]}[own]
    pixels = pixels[:, :, order]
    if channels > own:
        return np.concatenate([pixels, np.full_like(pixels[:, :, :1], 255)], axis=2)
    return np.ascontiguousarray(pixels)


def _deep_png(data: bytes, channels: int) -> Array:
    """Return a PNG of 16 bits per channel, not interlaced, as uint16 [height, width, channels]."""
    width, height, _, color, _, _, interlaced = struct.unpack_from(">IIBBBBB", data, 16)
    own = {0: 1, 2: 3, 4: 2, 6: 4}.get(color)
    if own is None or interlaced:
        raise errors.UnimplementedError(f"a 16-bit PNG of colour type {color}{', interlaced' if interlaced else ''}")
    check_shape((height, width, max(own, channels)), np.dtype(np.uint16))
    packed, at = bytearray(), 8
    while at + 12 <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        if data[at + 4 : at + 8] == b"IDAT":
            packed += data[at + 8 : at + 8 + size]
        at += 12 + size
    stride = width * own * 2
    try:
        raw = zlib.decompressobj().decompress(bytes(packed), height * (stride + 1))
    except zlib.error as error:
        raise errors.InvalidArgumentError(f"Invalid PNG data: {error}") from error
    if len(raw) < height * (stride + 1):
        raise errors.InvalidArgumentError("Invalid PNG data: it ends early")
    rows = np.frombuffer(raw, np.uint8).reshape(height, stride + 1)
    wide = _unfilter(rows, own * 2).view(">u2").astype(np.uint16).reshape(height, width, own)
    return _with_channels(wide, channels)


def _unfilter(rows: Array, pixel: int) -> Array:
    """Undo the filters; what looks left goes pixel by pixel, for the file's format chains each to the one before."""
    out = np.zeros((len(rows), rows.shape[1] - 1), np.uint8)
    above = np.zeros(rows.shape[1] - 1, np.uint8)
    for i, row in enumerate(rows):
        kind, line = int(row[0]), row[1:].copy()
        if kind == 1:
            parts = line.reshape(-1, pixel)
            line = np.add.accumulate(parts, axis=0, dtype=np.uint8).ravel()
        elif kind == 2:
            line = line + above
        elif kind in (3, 4):
            line = _look_left(line.reshape(-1, pixel), above.reshape(-1, pixel), kind).ravel()
        elif kind:
            raise errors.InvalidArgumentError(f"Invalid PNG data: filter {kind}")
        out[i] = above = line
    return out


def _look_left(line: Array, above: Array, kind: int) -> Array:
    left, corner = np.zeros(line.shape[1], np.int16), np.zeros(line.shape[1], np.int16)
    result = np.empty_like(line)
    for i in range(len(line)):
        up = above[i].astype(np.int16)
        if kind == 3:
            guess = (left + up) >> 1
        else:
            p = left + up - corner
            a, b, c = np.abs(p - left), np.abs(p - up), np.abs(p - corner)
            guess = np.where((a <= b) & (a <= c), left, np.where(b <= c, up, corner))
        result[i] = line[i] + guess.astype(np.uint8)
        left, corner = result[i].astype(np.int16), up
    return result


def _with_channels(pixels: Array, channels: int) -> Array:
    own = pixels.shape[2]
    if not channels or channels == own:
        return pixels
    color, alpha = pixels[:, :, : own - (own % 2 == 0)], pixels[:, :, -1:]
    if channels >= 3 and color.shape[2] == 1:
        color = np.repeat(color, 3, axis=2)
    if channels <= 2 and color.shape[2] == 3:
        # libpng's weights for grey.
        color = (color.astype(np.uint32) @ np.array([[6968], [23434], [2366]], np.uint32) >> 15).astype(np.uint16)
    if channels % 2:
        return color
    opaque = alpha if own % 2 == 0 else np.full_like(color[:, :, :1], 65535)
    return np.concatenate([color, opaque], axis=2)


@kernel("DecodePng")
def decode_png(contents: Any, *, channels: int, dtype: DType) -> Array:
    kinds = ("png", "jpeg", "gif", "bmp")
    return _decode(_contents(contents), channels, dtype, expand=False, kinds=kinds)


@kernel("DecodeJpeg")
def decode_jpeg(contents: Any, *, channels: int, ratio: int) -> Array:
    data = _contents(contents)
    pixels = _decode(data, channels, _UINT8, expand=False, kinds=("jpeg", "png", "gif", "bmp"))
    if ratio not in (1, 2, 4, 8):
        raise errors.InvalidArgumentError(f"ratio must be 1, 2, 4, or 8, got {ratio}")
    if ratio == 1:
        return pixels
    # A smaller picture is the mean over squares, which is what the transform's low frequencies give.
    height, width = (-(-n // ratio) for n in pixels.shape[:2])
    padded = np.pad(
        pixels, ((0, height * ratio - pixels.shape[0]), (0, width * ratio - pixels.shape[1]), (0, 0)), "edge"
    )
    blocks = padded.reshape(height, ratio, width, ratio, -1).astype(np.float32).mean(axis=(1, 3))
    return np.rint(blocks).astype(np.uint8)


@kernel("DecodeAndCropJpeg")
def decode_and_crop_jpeg(contents: Any, crop_window: Any, *, channels: int, ratio: int) -> Array:
    window = np.asarray(crop_window)
    if window.shape != (4,):
        raise errors.InvalidArgumentError(f"crop_window must have four elements {shape_text(window.shape)}")
    pixels = decode_jpeg(contents, channels=channels, ratio=ratio)
    y, x, height, width = window.tolist()
    if y < 0 or x < 0 or height <= 0 or width <= 0 or y + height > pixels.shape[0] or x + width > pixels.shape[1]:
        raise errors.InvalidArgumentError(f"Invalid crop window: x={x}, y={y}, w={width}, h={height}")
    return np.ascontiguousarray(pixels[y : y + height, x : x + width])


@kernel("DecodeGif")
def decode_gif(contents: Any) -> Array:
    pixels = _decode(_contents(contents), 3, _UINT8, expand=True, kinds=("gif", "png", "jpeg", "bmp"))
    return pixels if pixels.ndim == 4 else pixels[None]


@kernel("DecodeBmp")
def decode_bmp(contents: Any, *, channels: int) -> Array:
    return _decode(_contents(contents), channels, _UINT8, expand=False, kinds=("bmp", "png", "jpeg", "gif"))


@kernel("DecodeImage")
def decode_image(contents: Any, *, channels: int, dtype: DType, expand_animations: bool) -> Array:
    kinds = ("jpeg", "png", "gif", "bmp")
    data = _contents(contents)
    if _kind(data) == "gif" and not expand_animations:
        return _as_type(_frames(data, 3, 1)[0], dtype, 256)
    return _decode(data, channels, dtype, expand=expand_animations, kinds=kinds)


@kernel("ExtractJpegShape")
def extract_jpeg_shape(contents: Any, *, output_type: DType) -> Array:
    data = _contents(contents)
    if _kind(data) != "jpeg":
        raise errors.InvalidArgumentError("Invalid JPEG data, size " + str(len(data)))
    image_module = _pillow()
    try:
        with image_module.open(io.BytesIO(data)) as image:
            return np.array([image.height, image.width, len(image.getbands())], output_type.numpy)
    except Exception as error:  # Pillow raises many kinds for damaged files
        raise errors.InvalidArgumentError(f"Invalid JPEG data, size {len(data)}: {error}") from error


def _encode_jpeg(image: Any, quality: int, *, progressive: bool = False, optimize: bool = False) -> Array:
    pixels = np.asarray(image)
    if pixels.ndim != 3 or pixels.shape[2] not in (1, 3):
        raise errors.InvalidArgumentError(
            f"image must be 3-dimensional with 1 or 3 channels, got {shape_text(pixels.shape)}"
        )
    if not 0 <= quality <= 100:
        raise errors.InvalidArgumentError(f"quality must be in [0,100], got {quality}")
    picture = _pillow().fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels)
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=quality, progressive=progressive, optimize=optimize)
    return np.array(out.getvalue(), object)


@kernel("EncodeJpeg")
def encode_jpeg(image: Any, *, quality: int, progressive: bool, optimize_size: bool) -> Array:
    return _encode_jpeg(image, quality, progressive=progressive, optimize=optimize_size)


@kernel("EncodeJpegVariableQuality")
def encode_jpeg_variable_quality(images: Any, quality: Any) -> Array:
    if np.ndim(quality):
        raise errors.InvalidArgumentError(f"quality must be scalar: {shape_text(np.shape(quality))}")
    return _encode_jpeg(images, int(quality))


def _image_shape(c: ShapeContext) -> list[Dims]:
    channels = c.attr("channels") or None
    return [(None, None, channels)]


shape("DecodePng", "DecodeJpeg", "DecodeAndCropJpeg", "DecodeBmp")(_image_shape)
shape("EncodeJpeg", "EncodeJpegVariableQuality")(scalar)


@shape("DecodeGif")
def decode_gif_shape(c: ShapeContext) -> list[Dims]:
    return [(None, None, None, 3)]


@shape("DecodeImage")
def decode_image_shape(c: ShapeContext) -> list[Dims]:
    return [None if c.attr("expand_animations") else (None, None, c.attr("channels") or None)]


@shape("ExtractJpegShape")
def extract_jpeg_shape_shape(c: ShapeContext) -> list[Dims]:
    return [(3,)]
