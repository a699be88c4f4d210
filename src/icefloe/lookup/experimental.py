"""Lookup tables that change, as in tf.lookup.experimental."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("lookup.experimental", globals())
