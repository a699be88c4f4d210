"""Strings, as in tf.strings."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("strings", globals())
