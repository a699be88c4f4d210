"""RaggedTensors, as in tf.ragged."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("ragged", globals())
