"""Shapes and order of elements, as in tf.manip."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("manip", globals())
