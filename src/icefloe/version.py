"""Versions, as in tf.version."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("version", globals())
