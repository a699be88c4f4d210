"""Ops that initialise a graph, as in tf.saved_model.main_op."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("saved_model.main_op", globals())
