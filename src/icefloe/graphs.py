"""Tools for graphs, each also a command `icefloe graph NAME`: explain, change, compare."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("graphs", globals())
