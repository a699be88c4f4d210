"""Initial values of variables, as in tf.initializers."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("initializers", globals())
