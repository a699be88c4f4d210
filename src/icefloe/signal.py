"""Signal processing, as in tf.signal."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("signal", globals())
