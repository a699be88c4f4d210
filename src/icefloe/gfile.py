"""Files and folders, as in tf.gfile."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("gfile", globals())
