# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.nest import assert_same_structure as assert_same_structure
from icefloe.lib.nest import flatten as flatten
from icefloe.lib.nest import is_nested as is_nested
from icefloe.lib.nest import map_structure as map_structure
from icefloe.lib.nest import pack_sequence_as as pack_sequence_as


__all__ = [
    "assert_same_structure",
    "flatten",
    "is_nested",
    "map_structure",
    "pack_sequence_as",
]
