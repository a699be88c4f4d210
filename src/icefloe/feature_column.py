"""Feature columns, as in tf.feature_column."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("feature_column", globals())
