"""Tests of programs, as in tf.test."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("test", globals())
