"""Data files beside a program, as in tf.resource_loader."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("resource_loader", globals())
