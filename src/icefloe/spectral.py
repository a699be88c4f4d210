"""Fourier and cosine transforms, as in tf.spectral."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("spectral", globals())
