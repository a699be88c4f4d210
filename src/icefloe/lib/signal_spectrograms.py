"""Short-time Fourier and cosine transforms, and back; mel scale and cepstral coefficients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import zeros, zeros_like
from icefloe.lib.array_join import concat, split
from icefloe.lib.array_select import pad, where
from icefloe.lib.array_shape import expand_dims, rank, reshape, shape
from icefloe.lib.constants import get_static_value
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import ceil, equal, pow, rsqrt
from icefloe.lib.math_range import linspace
from icefloe.lib.math_reduce import reduce_sum
from icefloe.lib.signal_cosine import dct
from icefloe.lib.signal_fourier import irfft, rfft
from icefloe.lib.signal_frames import frame, overlap_and_add, scalar
from icefloe.lib.signal_windows import hann_window, vorbis_window

_Window = Callable[..., Tensor] | None


def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: _Window = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the Fourier transforms [..., frames, fft_length // 2 + 1] of windowed frames of `signals`.

    fft_length: default the smallest power of two that holds a frame.
    """
    with name_scope(name, "stft", [signals, frame_length, frame_step]):
        signals = convert_to_tensor(signals, name="signals")
        signals.shape.with_rank_at_least(1)
        frame_length = scalar(frame_length, "frame_length")
        frame_step = scalar(frame_step, "frame_step")
        if fft_length is None:
            fft_length = _power_of_two(frame_length)
        else:
            fft_length = convert_to_tensor(fft_length, name="fft_length")
        frames = frame(signals, frame_length, frame_step, pad_end=pad_end)
        if window_fn is not None:
            frames *= window_fn(frame_length, dtype=frames.dtype)
        return rfft(frames, [fft_length])


def _power_of_two(value: Tensor) -> Tensor:
    static = get_static_value(value)
    if static is not None:
        return constant(int(2 ** np.ceil(np.log(static) / np.log(2.0))), value.dtype)
    digits = apply_op("Log", cast(value, datatypes.float32)) / apply_op("Log", 2.0)
    return cast(pow(2.0, ceil(digits)), value.dtype)


def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Callable[..., Tensor] = hann_window, name: str | None = None
) -> Callable[[Any, Any], Tensor]:
    """Return the window function with which `inverse_stft` gives back what went into `stft`."""

    def window(frame_length: Any, dtype: Any) -> Tensor:
        with name_scope(name, "inverse_stft_window_fn", [forward_window_fn]):
            step = scalar(frame_step, "frame_step")
            frame_length = scalar(frame_length, "frame_length")
            forward = forward_window_fn(frame_length, dtype=dtype)
            total = apply_op("Square", forward)
            overlaps = -(-frame_length // step)
            total = pad(total, [(0, overlaps * step - frame_length)])
            total = reduce_sum(reshape(total, [overlaps, step]), 0, keepdims=True)
            total = reshape(apply_op("Tile", total, [overlaps, 1]), [overlaps * step])[:frame_length]
            return where(equal(total, 0.0), zeros_like(forward), forward / total)

    return window


def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: _Window = hann_window,
    name: str | None = None,
) -> Tensor:
    """Return the signals whose windowed frames have the transforms `stfts`."""
    with name_scope(name, "inverse_stft", [stfts]):
        stfts = convert_to_tensor(stfts, name="stfts")
        stfts.shape.with_rank_at_least(2)
        frame_length = scalar(frame_length, "frame_length")
        frame_step = scalar(frame_step, "frame_step")
        if fft_length is None:
            fft_length = _power_of_two(frame_length)
        else:
            fft_length = scalar(fft_length, "fft_length")
        frames = _of_length(irfft(stfts, [fft_length]), frame_length)
        if window_fn is not None:
            frames *= window_fn(frame_length, dtype=stfts.dtype.real_dtype)
        return overlap_and_add(frames, frame_step)


def _of_length(frames: Tensor, frame_length: Tensor) -> Tensor:
    wanted = get_static_value(frame_length)
    ndims = frames.shape.rank
    size = frames.shape.as_list()[-1] if ndims is not None else None
    if wanted is None or size is None:
        frames = frames[..., :frame_length]
        frames_rank, frames_shape = rank(frames), shape(frames)
        outer = zeros([frames_rank - 1, 2], dtype=frame_length.dtype)
        missing = apply_op("Maximum", 0, frame_length - frames_shape[-1])
        frames = pad(frames, concat([outer, [[0, missing]]], 0))
    elif size > wanted:
        frames = frames[..., :wanted]
    elif size < wanted:
        frames = pad(frames, [[0, 0]] * (len(frames.shape.as_list()) - 1) + [[0, wanted - size]])
    if wanted is not None and frames.shape.rank is not None:
        frames.set_shape([None] * (frames.shape.rank - 1) + [wanted])
    return frames


def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: _Window = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Return the modified cosine transforms [..., frames, frame_length // 2] of half-overlapping frames.

    Raises: ValueError unless frame_length is a multiple of 4.
    """
    with name_scope(name, "mdct", [signals, frame_length]):
        signals = convert_to_tensor(signals, name="signals")
        signals.shape.with_rank_at_least(1)
        frame_length = scalar(frame_length, "frame_length")
        static = get_static_value(frame_length)
        if static is None:
            step = frame_length // 2
        elif static % 4:
            raise ValueError("The frame length must be a multiple of 4.")
        else:
            step = convert_to_tensor(static // 2, dtype=frame_length.dtype)
        frames = frame(signals, frame_length, step, pad_end=pad_end)
        frames *= 1.0 / np.sqrt(2) if window_fn is None else window_fn(frame_length, dtype=frames.dtype)
        parts = split(frames, 4, axis=-1)
        first = -apply_op("ReverseV2", parts[2], [-1]) - parts[3]
        second = parts[0] - apply_op("ReverseV2", parts[1], [-1])
        return dct(concat((first, second), axis=-1), type=4, norm=norm)


def inverse_mdct(
    mdcts: Any, window_fn: _Window = vorbis_window, norm: str | None = None, name: str | None = None
) -> Tensor:
    """Return the signals whose half-overlapping frames have the transforms `mdcts`."""
    with name_scope(name, "inverse_mdct", [mdcts]):
        mdcts = convert_to_tensor(mdcts, name="mdcts")
        mdcts.shape.with_rank_at_least(2)
        half = cast(mdcts.shape[-1], dtype=datatypes.int32)
        if norm is None:
            scale = 0.5 / cast(half, dtype=mdcts.dtype)
            result = scale * dct(mdcts, type=4)
        else:
            result = dct(mdcts, type=4, norm=norm)
        first, second = split(result, 2, axis=-1)
        quarters = (second, -apply_op("ReverseV2", second, [-1]), -apply_op("ReverseV2", first, [-1]), -first)
        frames = concat(quarters, axis=-1)
        frames *= 1.0 / np.sqrt(2) if window_fn is None else window_fn(2 * half, dtype=mdcts.dtype)
        return overlap_and_add(frames, half)


def _hertz_to_mel(frequencies: Any) -> Tensor:
    with name_scope(None, "hertz_to_mel", [frequencies]):
        frequencies = convert_to_tensor(frequencies)
        return 1127.0 * apply_op("Log", 1.0 + frequencies / 700.0)


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: int = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: Any = datatypes.float32,
    name: str | None = None,
) -> Tensor:
    """Return the matrix [num_spectrogram_bins, num_mel_bins] of triangles that takes spectrograms to the mel scale.

    Raises: ValueError if the edges do not fit the sample rate.
    """
    with name_scope(name, "linear_to_mel_weight_matrix") as name:
        if isinstance(sample_rate, Tensor):
            static = get_static_value(sample_rate)
            sample_rate = sample_rate if static is None else static
        _check_mel(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz, dtype)
        sample_rate = cast(sample_rate, dtype, name="sample_rate")
        lower = convert_to_tensor(lower_edge_hertz, dtype, name="lower_edge_hertz")
        upper = convert_to_tensor(upper_edge_hertz, dtype, name="upper_edge_hertz")
        zero = convert_to_tensor(0.0, dtype)
        frequencies = linspace(zero, sample_rate / 2.0, num_spectrogram_bins)[1:]
        bins = expand_dims(_hertz_to_mel(frequencies), 1)
        edges = frame(
            linspace(_hertz_to_mel(lower), _hertz_to_mel(upper), num_mel_bins + 2), frame_length=3, frame_step=1
        )
        below, center, above = [reshape(part, [1, num_mel_bins]) for part in split(edges, 3, axis=1)]
        rising = (bins - below) / (center - below)
        falling = (above - bins) / (above - center)
        weights = apply_op("Maximum", zero, apply_op("Minimum", rising, falling))
        return pad(weights, [[1, 0], [0, 0]], name=name)


def _check_mel(bins: int, sample_rate: Any, lower: float, upper: float, dtype: datatypes.DType) -> None:
    if bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bins}")
    if lower < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower}")
    if lower >= upper:
        raise ValueError(f"lower_edge_hertz {lower:.1f} >= upper_edge_hertz {upper:.1f}")
    if not isinstance(sample_rate, Tensor):
        if sample_rate <= 0.0:
            raise ValueError(f"sample_rate must be positive. Got: {sample_rate}")
        if upper > sample_rate / 2:
            raise ValueError(
                "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). Got "
                f"{upper} for sample_rate: {sample_rate}"
            )
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype}")


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """Return the cepstral coefficients of log mel spectrograms, as HTK scales them."""
    with name_scope(name, "mfccs_from_log_mel_spectrograms", [log_mel_spectrograms]):
        spectrograms = convert_to_tensor(log_mel_spectrograms)
        bins: Any = spectrograms.shape.as_list()[-1] if spectrograms.shape.rank else None
        if bins == 0:
            raise ValueError(f"num_mel_bins must be positive. Got: {spectrograms}")
        if bins is None:
            bins = shape(spectrograms)[-1]
        coefficients = dct(spectrograms, type=2)
        return coefficients * rsqrt(cast(bins, coefficients.dtype) * 2.0)
