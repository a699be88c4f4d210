"""Quantized numbers, as in tf.quantization."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("quantization", globals())
