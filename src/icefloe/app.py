"""The frame of a program, as in tf.app."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("app", globals())
