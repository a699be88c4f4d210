"""Cells of recurrent networks, as in tf.nn.rnn_cell."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("nn.rnn_cell", globals())
