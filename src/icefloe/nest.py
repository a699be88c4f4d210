"""Nested structures, as in tf.nest."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("nest", globals())
