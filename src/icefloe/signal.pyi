# Written by fixtures/make/public_names.py; do not edit.
from typing import Any

from icefloe.lib.signal_cosine import dct as dct
from icefloe.lib.signal_fourier import fftnd as fftnd
from icefloe.lib.signal_fourier import fftshift as fftshift
from icefloe.lib.signal_frames import frame as frame
from icefloe.lib.signal_windows import hamming_window as hamming_window
from icefloe.lib.signal_windows import hann_window as hann_window
from icefloe.lib.signal_cosine import idct as idct
from icefloe.lib.signal_fourier import ifftnd as ifftnd
from icefloe.lib.signal_fourier import ifftshift as ifftshift
from icefloe.lib.signal_spectrograms import inverse_mdct as inverse_mdct
from icefloe.lib.signal_spectrograms import inverse_stft as inverse_stft
from icefloe.lib.signal_spectrograms import inverse_stft_window_fn as inverse_stft_window_fn
from icefloe.lib.signal_fourier import irfft as irfft
from icefloe.lib.signal_fourier import irfft2d as irfft2d
from icefloe.lib.signal_fourier import irfft3d as irfft3d
from icefloe.lib.signal_fourier import irfftnd as irfftnd
from icefloe.lib.signal_windows import kaiser_bessel_derived_window as kaiser_bessel_derived_window
from icefloe.lib.signal_windows import kaiser_window as kaiser_window
from icefloe.lib.signal_spectrograms import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from icefloe.lib.signal_spectrograms import mdct as mdct
from icefloe.lib.signal_spectrograms import mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms
from icefloe.lib.signal_frames import overlap_and_add as overlap_and_add
from icefloe.lib.signal_fourier import rfft as rfft
from icefloe.lib.signal_fourier import rfft2d as rfft2d
from icefloe.lib.signal_fourier import rfft3d as rfft3d
from icefloe.lib.signal_fourier import rfftnd as rfftnd
from icefloe.lib.signal_spectrograms import stft as stft
from icefloe.lib.signal_windows import vorbis_window as vorbis_window

def fft(input: Any, name: str | None = ...) -> Any: ...
def fft2d(input: Any, name: str | None = ...) -> Any: ...
def fft3d(input: Any, name: str | None = ...) -> Any: ...
def ifft(input: Any, name: str | None = ...) -> Any: ...
def ifft2d(input: Any, name: str | None = ...) -> Any: ...
def ifft3d(input: Any, name: str | None = ...) -> Any: ...

__all__ = [
    "dct",
    "fft",
    "fft2d",
    "fft3d",
    "fftnd",
    "fftshift",
    "frame",
    "hamming_window",
    "hann_window",
    "idct",
    "ifft",
    "ifft2d",
    "ifft3d",
    "ifftnd",
    "ifftshift",
    "inverse_mdct",
    "inverse_stft",
    "inverse_stft_window_fn",
    "irfft",
    "irfft2d",
    "irfft3d",
    "irfftnd",
    "kaiser_bessel_derived_window",
    "kaiser_window",
    "linear_to_mel_weight_matrix",
    "mdct",
    "mfccs_from_log_mel_spectrograms",
    "overlap_and_add",
    "rfft",
    "rfft2d",
    "rfft3d",
    "rfftnd",
    "stft",
    "vorbis_window",
]
