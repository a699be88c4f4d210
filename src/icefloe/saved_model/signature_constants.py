"""The names of signature entries, as in tf.saved_model.signature_constants."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("saved_model.signature_constants", globals())
