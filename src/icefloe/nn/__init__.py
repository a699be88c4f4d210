"""Neural networks, as in tf.nn."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("nn", globals())
