"""Descriptions of tensors, as in tf.saved_model.utils."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("saved_model.utils", globals())
