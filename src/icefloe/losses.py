"""Losses for training, as in tf.losses."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("losses", globals())
