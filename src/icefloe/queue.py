"""Queues of tensors, as in tf.queue."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("queue", globals())
