"""Bitwise operations on integers, as in tf.bitwise."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("bitwise", globals())
