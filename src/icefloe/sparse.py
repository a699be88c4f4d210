"""Sparse tensors, as in tf.sparse."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("sparse", globals())
