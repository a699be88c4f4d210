"""Where the library is, as in tf.sysconfig."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("sysconfig", globals())
