"""Sound, as in tf.audio."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("audio", globals())
