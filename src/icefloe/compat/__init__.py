"""Conversions between text and bytes, as in tf.compat, and `compat.v1`, which is icefloe itself."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("compat", globals())
