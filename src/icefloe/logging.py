"""Messages of programs, as in tf.logging."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("logging", globals())
