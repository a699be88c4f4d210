"""Tags of graphs, as in tf.saved_model.tag_constants."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("saved_model.tag_constants", globals())
