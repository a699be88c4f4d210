"""Loading SavedModels into a session, as in tf.saved_model.loader."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("saved_model.loader", globals())
