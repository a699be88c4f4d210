# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.sets import set_difference as difference
from icefloe.lib.sets import set_intersection as intersection
from icefloe.lib.sets import set_difference as set_difference
from icefloe.lib.sets import set_intersection as set_intersection
from icefloe.lib.sets import set_size as set_size
from icefloe.lib.sets import set_union as set_union
from icefloe.lib.sets import set_size as size
from icefloe.lib.sets import set_union as union


__all__ = [
    "difference",
    "intersection",
    "set_difference",
    "set_intersection",
    "set_size",
    "set_union",
    "size",
    "union",
]
