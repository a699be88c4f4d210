# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.lookup_mutable import DenseHashTable as DenseHashTable
from icefloe.lib.lookup_mutable import MutableHashTable as MutableHashTable


__all__ = [
    "DenseHashTable",
    "MutableHashTable",
]
