"""Signatures, as in tf.saved_model.signature_def_utils."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("saved_model.signature_def_utils", globals())
