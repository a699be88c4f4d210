"""Layers with variables in TensorFlow 1's form, as in tf.layers."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("layers", globals())
