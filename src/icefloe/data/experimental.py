"""More about input pipelines, as in tf.data.experimental."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("data.experimental", globals())
