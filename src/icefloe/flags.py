"""Flags of programs, as in tf.flags."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("flags", globals())
