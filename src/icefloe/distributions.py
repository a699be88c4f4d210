"""Probability distributions, as in tf.distributions."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("distributions", globals())
