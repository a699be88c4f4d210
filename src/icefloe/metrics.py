"""Metrics of predictions, taken in step by step, as in tf.metrics."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("metrics", globals())
