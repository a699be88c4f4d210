"""Builders of SavedModels, as in tf.saved_model.builder."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("saved_model.builder", globals())
