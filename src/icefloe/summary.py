"""Summaries, as in tf.summary."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("summary", globals())
