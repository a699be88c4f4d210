"""Threads that fill queues, as in tf.train.queue_runner."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("train.queue_runner", globals())
