"""TensorFlow graphs and checkpoints without TensorFlow."""

from icefloe._version import __version__ as __version__
