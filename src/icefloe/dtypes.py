"""Element types, as in tf.dtypes."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("dtypes", globals())
