# Written by fixtures/make/public_names.py; do not edit.
from typing import Any

from icefloe.lib.signal_cosine import dct as dct
from icefloe.lib.signal_cosine import idct as idct
from icefloe.lib.signal_fourier import irfft as irfft
from icefloe.lib.signal_fourier import irfft2d as irfft2d
from icefloe.lib.signal_fourier import irfft3d as irfft3d
from icefloe.lib.signal_fourier import rfft as rfft
from icefloe.lib.signal_fourier import rfft2d as rfft2d
from icefloe.lib.signal_fourier import rfft3d as rfft3d

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
    "idct",
    "ifft",
    "ifft2d",
    "ifft3d",
    "irfft",
    "irfft2d",
    "irfft3d",
    "rfft",
    "rfft2d",
    "rfft3d",
]
