"""Numbers of threads, as in tf.config.threading."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("config.threading", globals())
