"""Lookup tables, as in tf.lookup, with the older names of tf.contrib.lookup."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("lookup", globals())
