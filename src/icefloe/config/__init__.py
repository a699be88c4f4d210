"""Options of the process, as in tf.config."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("config", globals())
