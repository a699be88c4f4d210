"""Options of graph optimization, as in tf.config.optimizer."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("config.optimizer", globals())
