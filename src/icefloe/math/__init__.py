"""Mathematics, as in tf.math."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("math", globals())
