"""Images, as in tf.image."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("image", globals())
