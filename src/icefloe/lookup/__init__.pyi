# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.lookup_vocabulary import FastHashSpec as FastHashSpec
from icefloe.lib.lookup import HashTable as HashTable
from icefloe.lib.lookup_vocabulary import HasherSpec as HasherSpec
from icefloe.lib.lookup_vocabulary import IdTableWithHashBuckets as IdTableWithHashBuckets
from icefloe.lib.lookup import KeyValueTensorInitializer as KeyValueTensorInitializer
from icefloe.lib.lookup import LookupInterface as LookupInterface
from icefloe.lib.lookup_mutable import DenseHashTable as MutableDenseHashTable
from icefloe.lib.lookup_mutable import MutableHashTable as MutableHashTable
from icefloe.lib.lookup import StaticHashTable as StaticHashTable
from icefloe.lib.lookup_vocabulary import StaticVocabularyTable as StaticVocabularyTable
from icefloe.lib.lookup_vocabulary import StrongHashSpec as StrongHashSpec
from icefloe.lib.lookup import TextFileIdTableInitializer as TextFileIdTableInitializer
from icefloe.lib.lookup import TextFileIndex as TextFileIndex
from icefloe.lib.lookup import TextFileInitializer as TextFileInitializer
from icefloe.lib.lookup import TextFileStringTableInitializer as TextFileStringTableInitializer
from icefloe.lookup import experimental as experimental
from icefloe.lib.lookup_vocabulary import index_table_from_file as index_table_from_file
from icefloe.lib.lookup_vocabulary import index_table_from_tensor as index_table_from_tensor
from icefloe.lib.lookup_vocabulary import index_to_string_table_from_file as index_to_string_table_from_file
from icefloe.lib.lookup_vocabulary import index_to_string_table_from_tensor as index_to_string_table_from_tensor


__all__ = [
    "FastHashSpec",
    "HashTable",
    "HasherSpec",
    "IdTableWithHashBuckets",
    "KeyValueTensorInitializer",
    "LookupInterface",
    "MutableDenseHashTable",
    "MutableHashTable",
    "StaticHashTable",
    "StaticVocabularyTable",
    "StrongHashSpec",
    "TextFileIdTableInitializer",
    "TextFileIndex",
    "TextFileInitializer",
    "TextFileStringTableInitializer",
    "experimental",
    "index_table_from_file",
    "index_table_from_tensor",
    "index_to_string_table_from_file",
    "index_to_string_table_from_tensor",
]
