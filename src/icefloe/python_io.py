"""TFRecord files without a graph, as in tf.python_io."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("python_io", globals())
