"""Work on checkpoints without a graph, as the commands `icefloe ckpt` do: look, check, edit, convert."""

from icefloe import _names

__getattr__, __dir__, __all__ = _names.lazy("ckpt", globals())
