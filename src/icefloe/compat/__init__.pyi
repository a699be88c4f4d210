# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.text import as_bytes as as_bytes
from icefloe.lib.text import as_str as as_str
from icefloe.lib.text import as_str_any as as_str_any
from icefloe.lib.text import as_text as as_text
from icefloe.shapes import dimension_at_index as dimension_at_index
from icefloe.shapes import dimension_value as dimension_value
from icefloe.lib.text import path_to_bytes as path_to_bytes
from icefloe.lib.text import path_to_str as path_to_str
from icefloe.compat import v1 as v1


__all__ = [
    "as_bytes",
    "as_str",
    "as_str_any",
    "as_text",
    "dimension_at_index",
    "dimension_value",
    "path_to_bytes",
    "path_to_str",
    "v1",
]
