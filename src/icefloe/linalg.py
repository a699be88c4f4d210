"""Linear algebra, as in tf.linalg."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("linalg", globals())
