"""Runs as Chrome traces, as in tensorflow.python.client.timeline."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("timeline", globals())
