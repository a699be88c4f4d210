# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.rnn_cells import BasicLSTMCell as BasicLSTMCell
from icefloe.lib.rnn_cells import BasicRNNCell as BasicRNNCell
from icefloe.lib.rnn_wrappers import DeviceWrapper as DeviceWrapper
from icefloe.lib.rnn_wrappers import DropoutWrapper as DropoutWrapper
from icefloe.lib.rnn_cells import GRUCell as GRUCell
from icefloe.lib.rnn_cells import LSTMCell as LSTMCell
from icefloe.lib.rnn_cells import LSTMStateTuple as LSTMStateTuple
from icefloe.lib.rnn_cells import MultiRNNCell as MultiRNNCell
from icefloe.lib.rnn_cells import RNNCell as RNNCell
from icefloe.lib.rnn_wrappers import ResidualWrapper as ResidualWrapper


__all__ = [
    "BasicLSTMCell",
    "BasicRNNCell",
    "DeviceWrapper",
    "DropoutWrapper",
    "GRUCell",
    "LSTMCell",
    "LSTMStateTuple",
    "MultiRNNCell",
    "RNNCell",
    "ResidualWrapper",
]
