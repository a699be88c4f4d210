"""The names of TensorFlow 1: those of icefloe itself, for `import icefloe.compat.v1 as tf`."""

from icefloe import __all__ as __all__
from icefloe import __dir__ as __dir__
from icefloe import __getattr__ as __getattr__
