"""WAV files: 16-bit PCM in a RIFF container.

    file   := "RIFF", size: u32, "WAVE", other chunks, "fmt " chunk, chunks of which one is "data"
    chunk  := name: 4 bytes, size: u32, content
    fmt    := format: u16 (1 is PCM), channels: u16, rate: u32, bytes a second: u32, bytes a frame: u16, bits: u16

All numbers are little-endian. Source: tensorflow/core/lib/wav/wav_io.cc.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, with_rank
from icefloe.ops.allocation import check_shape
from icefloe.shapes import Dims, shape_text

_FORMAT = struct.Struct("<HHIIHH")
_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")
_SCALE = np.float32(1 << 15)
# What may stand before the format.
_PADDING = frozenset((b"JUNK", b"bext", b"iXML", b"qlty", b"mext", b"levl", b"link", b"axml"))
_MAX_CHUNK = 2**31 - 1


class _Chunks:
    """A position in a file of chunks."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, size: int) -> bytes:
        """Return the next bytes. Raises: InvalidArgumentError if there are fewer."""
        part = self.data[self.at : self.at + size]
        if len(part) < size:
            raise errors.InvalidArgumentError("Data too short when trying to read string")
        self.at += size
        return part

    def expect(self, text: bytes) -> None:
        found = self.take(len(text))
        if found != text:
            raise errors.InvalidArgumentError(
                f"Header mismatch: Expected {text.decode()} but found {found.decode(errors='replace')}"
            )

    def size(self) -> int:
        return int.from_bytes(self.take(4), "little")


def _read_format(chunks: _Chunks) -> tuple[int, int]:
    """Return the numbers of channels and of frames a second; the position is then behind the format chunk."""
    chunks.expect(b"RIFF")
    chunks.size()
    chunks.expect(b"WAVE")
    while (name := chunks.take(4)) != b"fmt ":
        if name not in _PADDING:
            raise errors.InvalidArgumentError(f"Unexpected field {name.decode(errors='replace')}")
        chunks.take(chunks.size())
    size = chunks.size()
    if size not in (16, 18):
        raise errors.InvalidArgumentError(f"Bad format chunk size for WAV: Expected 16 or 18, but got{size}")
    coding, channels, rate, per_second, per_frame, bits = _FORMAT.unpack(chunks.take(_FORMAT.size))
    if coding != 1:
        raise errors.InvalidArgumentError(f"Bad audio format for WAV: Expected 1 (PCM), but got{coding}")
    if channels < 1:
        raise errors.InvalidArgumentError(f"Bad number of channels for WAV: Expected at least 1, but got {channels}")
    if bits != 16:
        raise errors.InvalidArgumentError(f"Can only read 16-bit WAV files, but received {bits}")
    if per_frame != 2 * channels:
        raise errors.InvalidArgumentError(
            f"Bad bytes per sample in WAV header: Expected {2 * channels} but got {per_frame}"
        )
    if per_second != per_frame * rate:
        raise errors.InvalidArgumentError(
            f"Bad bytes per second in WAV header: Expected {per_frame * rate} but got {per_second} "
            f"(sample_rate={rate}, bytes_per_sample={per_frame})"
        )
    chunks.at += size - 16
    return channels, rate


@kernel("DecodeWav")
def decode_wav(contents: Any, *, desired_channels: int, desired_samples: int) -> tuple[Any, Any]:
    """Samples in [-1, 1), float32 [frames, channels], and the number of frames a second, int32.

    desired_samples: as many frames, with silence behind the last, -1 for those that there are. desired_channels: as
    many, with the last one repeated, -1 for those that there are.
    """
    if np.ndim(contents):
        raise errors.InvalidArgumentError(f"contents must be scalar, got shape {shape_text(np.shape(contents))}")
    chunks = _Chunks(np.asarray(contents, object).item())
    channels, rate = _read_format(chunks)
    found = None
    while chunks.at < len(chunks.data):
        name, size = chunks.take(4), chunks.size()
        if size > _MAX_CHUNK:
            raise errors.InvalidArgumentError(
                f"WAV data chunk '{name.decode(errors='replace')}' is too large: {size} bytes, but the limit is "
                f"{_MAX_CHUNK}"
            )
        if name != b"data":
            chunks.at += size
            continue
        if found is not None:
            raise errors.InvalidArgumentError("More than one data chunk found in WAV")
        frames = size // (2 * channels)
        found = np.frombuffer(chunks.take(2 * frames * channels), "<i2").reshape(frames, channels)
    if found is None:
        raise errors.InvalidArgumentError("No data chunk found in WAV")
    frames = len(found) if desired_samples == -1 else desired_samples
    width = channels if desired_channels == -1 else desired_channels
    audio = np.zeros(check_shape((frames, width), np.dtype(np.float32)), np.float32)
    kept = min(frames, len(found))
    audio[:kept] = found[:kept, np.minimum(np.arange(width), channels - 1)] / _SCALE
    return audio, np.array(rate & 0xFFFFFFFF, np.uint32).astype(np.int32)


@shape("DecodeWav")
def decode_wav_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 0)
    sizes = []
    for name in ("desired_samples", "desired_channels"):
        size = c.attr(name)
        if size < -1:
            what = name.removeprefix("desired_")
            raise errors.InvalidArgumentError(f"{what} must be non-negative, got {size}")
        sizes.append(None if size == -1 else size)
    return [tuple(sizes), ()]


@kernel("EncodeWav")
def encode_wav(audio: Any, sample_rate: Any) -> Any:
    """The file of samples [frames, channels] in [-1, 1]; what is outside of that is cut off."""
    if np.ndim(audio) != 2:
        raise errors.InvalidArgumentError(f"audio must be 2-dimensional, but got {shape_text(np.shape(audio))}")
    if np.ndim(sample_rate):
        raise errors.InvalidArgumentError(
            f"Input sample_rate should be a scalar tensor, got {shape_text(np.shape(sample_rate))} instead."
        )
    rate, (frames, channels) = int(sample_rate), audio.shape
    if rate <= 0:
        raise errors.InvalidArgumentError(f"sample_rate must be in (0, 2^32), got: {rate & 0xFFFFFFFFFFFFFFFF}")
    if not 0 < channels <= 0xFFFF:
        raise errors.InvalidArgumentError(f"num_channels must be in (0, 2^16), got: {channels}")
    size = 2 * frames * channels
    if size + _HEADER.size > 0xFFFFFFFF or 2 * channels * rate > 0xFFFFFFFF:
        raise errors.InvalidArgumentError("Provided channels and frames cannot be encoded as a WAV.")
    scaled = audio * _SCALE
    # Halves go away from zero; a NaN is silence.
    rounded = np.trunc(scaled + np.copysign(np.float32(0.5), scaled))
    samples = np.nan_to_num(np.clip(rounded, np.float32(-32768), np.float32(32767))).astype("<i2")
    header = _HEADER.pack(
        b"RIFF",
        _HEADER.size + size - 8,
        b"WAVE",
        b"fmt ",
        16,
        1,
        channels,
        rate,
        2 * channels * rate,
        2 * channels,
        16,
        b"data",
        size,
    )
    return np.array(header + samples.tobytes(), object)


@shape("EncodeWav")
def encode_wav_shape(c: ShapeContext) -> list[Dims]:
    with_rank(c.shape(0), 2)
    with_rank(c.shape(1), 0)
    return [()]
