"""TensorFlow graphs and checkpoints without TensorFlow.

    import icefloe as tf

has the names of TensorFlow 1: graphs, sessions, variables, ops, `train.Saver`. A name is imported when first used.
"""

from icefloe import _names
from icefloe._version import __version__ as __version__

__getattr__, __dir__, __all__ = _names.lazy("", globals())
