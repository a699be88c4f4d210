"""Random tensors, as in tf.random."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("random", globals())
