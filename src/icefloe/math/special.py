"""Special functions, as in tf.math.special."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("math.special", globals())
