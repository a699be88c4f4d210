# Written by fixtures/make/public_names.py; do not edit.
from typing import Any

from icefloe.lib.array_select import gather_nd as gather_nd
from icefloe.lib.array_shape import reshape as reshape
from icefloe.lib.math_range import roll as roll

def batch_to_space_nd(input: Any, block_shape: Any, crops: Any, name: str | None = ...) -> Any: ...
def reverse(tensor: Any, axis: Any, name: str | None = ...) -> Any: ...
def scatter_nd(indices: Any, updates: Any, shape: Any, bad_indices_policy: Any = '', name: str | None = ...) -> Any: ...
def space_to_batch_nd(input: Any, block_shape: Any, paddings: Any, name: str | None = ...) -> Any: ...
def tile(input: Any, multiples: Any, name: str | None = ...) -> Any: ...

__all__ = [
    "batch_to_space_nd",
    "gather_nd",
    "reshape",
    "reverse",
    "roll",
    "scatter_nd",
    "space_to_batch_nd",
    "tile",
]
