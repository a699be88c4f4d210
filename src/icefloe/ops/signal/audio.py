"""Features of sound: spectrograms and mel-frequency cepstral coefficients, computed in float64.

Source: tensorflow/core/kernels/spectrogram.cc, mfcc.cc, mfcc_mel_filterbank.cc, mfcc_dct.cc.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext, shape_text, with_rank

Function = Callable[..., Any]

# What a band's energy counts as at least, before its logarithm is taken.
_FLOOR = 1e-12


def _next_power_of_two(n: int) -> int:
    return 1 << max(n - 1, 0).bit_length()


def _check_window(window_size: int, stride: int) -> None:
    if window_size <= 1:
        raise errors.InvalidArgumentError(f"window size must be > 1, got {window_size}")
    if stride <= 0:
        raise errors.InvalidArgumentError(f"stride must be strictly positive, got {stride}")


@kernel("AudioSpectrogram", factory=True)
def audio_spectrogram(*, window_size: int, stride: int, magnitude_squared: bool) -> Function:
    """Return [channels, frames, frequencies] float32 of samples [length, channels].

    Frames are `stride` apart and weighted by a periodic Hann window; the transform is padded to a power of two.
    """
    _check_window(window_size, stride)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window_size) / window_size)
    length = _next_power_of_two(window_size)

    def spectrogram(samples: Any) -> Any:
        if np.ndim(samples) != 2:
            raise errors.InvalidArgumentError(f"input must be 2-dimensional{shape_text(np.shape(samples))}")
        channels = samples.shape[1]
        if len(samples) < window_size or not channels:
            frames = max(1 + (len(samples) - window_size) // stride, 0)
            return np.zeros((channels, frames, 1 + length // 2), np.float32)
        framed = np.lib.stride_tricks.sliding_window_view(samples.T.astype(np.float64), window_size, axis=1)
        spectrum = np.fft.rfft(framed[:, ::stride] * window, length, axis=-1)
        power = np.square(spectrum.real) + np.square(spectrum.imag)
        return (power if magnitude_squared else np.sqrt(power)).astype(np.float32)

    return spectrogram


@shape("AudioSpectrogram")
def audio_spectrogram_shape(c: ShapeContext) -> list[Any]:
    length, channels = with_rank(c.shape(0), 2)
    window_size, stride = c.attr("window_size"), c.attr("stride")
    _check_window(window_size, stride)
    frames = None if length is None else max(1 + (length - window_size) // stride, 0)
    return [(channels, frames, 1 + _next_power_of_two(window_size) // 2)]


def _mel(frequency: Any) -> Any:
    return 1127.0 * np.log1p(np.asarray(frequency, np.float64) / 700.0)


@functools.lru_cache(maxsize=32)
def _filterbank(size: int, sample_rate: int, bands: int, lower: float, upper: float) -> Any:
    """Return a matrix [size, bands] of triangular mel filters over a spectrum; None if the spectrum ends too early.

    Raises: ValueError for limits that make no filters.
    """
    if size < 2 or bands < 1 or sample_rate <= 0 or lower < 0 or upper <= lower:
        raise ValueError
    low, high = _mel(lower), _mel(upper)
    centers = low + (high - low) / (bands + 1) * np.arange(1, bands + 2)
    per_bin = 0.5 * sample_rate / (size - 1)
    start, end = int(1.5 + lower / per_bin), int(upper / per_bin)
    if end >= size:
        return None
    bins = np.arange(start, end + 1)
    mels = _mel(bins * per_bin)
    # A bin between two centers counts to both, the more the nearer it is.
    band = np.searchsorted(centers[:bands], mels, side="left") - 1
    left = np.where(band >= 0, centers[np.maximum(band, 0)], low)
    weight = (centers[band + 1] - mels) / (centers[band + 1] - left)
    filters = np.zeros((size, bands))
    inside = band >= 0
    filters[bins[inside], band[inside]] = weight[inside]
    above = band + 1 < bands
    filters[bins[above], band[above] + 1] += 1 - weight[above]
    return filters


@kernel("Mfcc", factory=True)
def mfcc(
    *,
    upper_frequency_limit: float,
    lower_frequency_limit: float,
    filterbank_channel_count: int,
    dct_coefficient_count: int,
) -> Function:
    """Return the cepstral coefficients [channels, frames, coefficients] of a squared-magnitude spectrogram.

    Raises: InvalidArgumentError for limits that make no filters.
    """
    bands, count = filterbank_channel_count, dct_coefficient_count

    def coefficients(spectrogram: Any, sample_rate: Any) -> Any:
        if np.ndim(spectrogram) != 3:
            raise errors.InvalidArgumentError(f"spectrogram must be 3-dimensional{shape_text(np.shape(spectrogram))}")
        if np.ndim(sample_rate):
            raise errors.InvalidArgumentError(
                f"Input sample_rate should be a scalar tensor, got {shape_text(np.shape(sample_rate))} instead."
            )
        size, rate = spectrogram.shape[2], int(sample_rate)
        try:
            if not 1 <= count <= bands:
                raise ValueError
            filters = _filterbank(size, rate, bands, lower_frequency_limit, upper_frequency_limit)
        except ValueError:
            raise errors.InvalidArgumentError(
                f"Mfcc initialization failed for channel count {size}, sample rate {rate} and "
                f"filterbank_channel_count {bands}"
            ) from None
        if filters is None:
            return np.zeros((*spectrogram.shape[:2], count), np.float32)
        energy = np.log(np.maximum(np.sqrt(spectrogram.astype(np.float64)) @ filters, _FLOOR))
        cosines = np.cos(np.pi / bands * np.outer(np.arange(bands) + 0.5, np.arange(count)))
        return (energy @ cosines * np.sqrt(2.0 / bands)).astype(np.float32)

    return coefficients


@shape("Mfcc")
def mfcc_shape(c: ShapeContext) -> list[Any]:
    channels, frames, _ = with_rank(c.shape(0), 3)
    with_rank(c.shape(1), 0)
    return [(channels, frames, c.attr("dct_coefficient_count"))]
