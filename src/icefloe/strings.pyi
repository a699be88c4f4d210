# Written by fixtures/make/public_names.py; do not edit.
from typing import Any

from icefloe.lib.unicode import bytes_split as bytes_split
from icefloe.lib.strings import string_format as format
from icefloe.lib.strings import string_join as join
from icefloe.lib.strings import string_length as length
from icefloe.lib.unicode import ngrams as ngrams
from icefloe.lib.strings import reduce_join as reduce_join
from icefloe.lib.strings import regex_full_match as regex_full_match
from icefloe.lib.strings import regex_replace as regex_replace
from icefloe.lib.strings import strings_split as split
from icefloe.lib.strings import substr as substr
from icefloe.lib.strings import string_to_hash_bucket as to_hash_bucket
from icefloe.lib.strings import string_to_number as to_number
from icefloe.lib.unicode import unicode_decode as unicode_decode
from icefloe.lib.unicode import unicode_decode_with_offsets as unicode_decode_with_offsets
from icefloe.lib.unicode import unicode_encode as unicode_encode
from icefloe.lib.unicode import unicode_split as unicode_split
from icefloe.lib.unicode import unicode_split_with_offsets as unicode_split_with_offsets
from icefloe.lib.strings import unsorted_segment_join as unsorted_segment_join

def as_string(input: Any, precision: Any = -1, scientific: Any = False, shortest: Any = False, width: Any = -1, fill: Any = '', name: str | None = ...) -> Any: ...
def lower(input: Any, encoding: Any = '', name: str | None = ...) -> Any: ...
def strip(input: Any, name: str | None = ...) -> Any: ...
def to_hash_bucket_fast(input: Any, num_buckets: Any, name: str | None = ...) -> Any: ...
def to_hash_bucket_strong(input: Any, num_buckets: Any, key: Any, name: str | None = ...) -> Any: ...
def unicode_script(input: Any, name: str | None = ...) -> Any: ...
def unicode_transcode(input: Any, input_encoding: Any, output_encoding: Any, errors: Any = 'replace', replacement_char: Any = 65533, replace_control_characters: Any = False, name: str | None = ...) -> Any: ...
def upper(input: Any, encoding: Any = '', name: str | None = ...) -> Any: ...

__all__ = [
    "as_string",
    "bytes_split",
    "format",
    "join",
    "length",
    "lower",
    "ngrams",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "strip",
    "substr",
    "to_hash_bucket",
    "to_hash_bucket_fast",
    "to_hash_bucket_strong",
    "to_number",
    "unicode_decode",
    "unicode_decode_with_offsets",
    "unicode_encode",
    "unicode_script",
    "unicode_split",
    "unicode_split_with_offsets",
    "unicode_transcode",
    "unsorted_segment_join",
    "upper",
]
