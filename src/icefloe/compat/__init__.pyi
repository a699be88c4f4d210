# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.text import as_bytes as as_bytes
from icefloe.lib.text import as_str as as_str
from icefloe.lib.text import as_str_any as as_str_any
from icefloe.lib.text import as_text as as_text
from icefloe.lib.compatibility import bytes_or_text_types as bytes_or_text_types
from icefloe.lib.compatibility import complex_types as complex_types
from icefloe.shapes import dimension_at_index as dimension_at_index
from icefloe.shapes import dimension_value as dimension_value
from icefloe.lib.compatibility import forward_compatibility_horizon as forward_compatibility_horizon
from icefloe.lib.compatibility import forward_compatible as forward_compatible
from icefloe.lib.compatibility import integral_types as integral_types
from icefloe.lib.text import path_to_bytes as path_to_bytes
from icefloe.lib.text import path_to_str as path_to_str
from icefloe.lib.compatibility import real_types as real_types
from icefloe.compat import v1 as v1


__all__ = [
    "as_bytes",
    "as_str",
    "as_str_any",
    "as_text",
    "bytes_or_text_types",
    "complex_types",
    "dimension_at_index",
    "dimension_value",
    "forward_compatibility_horizon",
    "forward_compatible",
    "integral_types",
    "path_to_bytes",
    "path_to_str",
    "real_types",
    "v1",
]
