"""Reading, decoding and writing, as in tf.io."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("io", globals())
