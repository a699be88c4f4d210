"""Saving, restoring and training, as in tf.train."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("train", globals())
