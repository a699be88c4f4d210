"""The names of a SavedModel's files and collections, as in tf.saved_model.constants."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("saved_model.constants", globals())
