"""Input pipelines, as in tf.data."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("data", globals())
