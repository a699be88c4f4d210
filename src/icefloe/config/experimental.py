"""More options of the process, as in tf.config.experimental."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("config.experimental", globals())
