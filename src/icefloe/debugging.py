"""Assertions in graphs, as in tf.debugging."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("debugging", globals())
