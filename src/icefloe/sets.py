"""Operations on sets, as in tf.sets."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("sets", globals())
