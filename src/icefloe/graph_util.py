"""Parts of graphs, and graphs without what only training needs, as in tf.graph_util."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("graph_util", globals())
