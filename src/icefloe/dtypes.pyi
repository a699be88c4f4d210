# Written by fixtures/make/public_names.py; do not edit.
from typing import Any

from icefloe.graph.type_specs import DType as DType
from icefloe.datatypes import QUANTIZED_DTYPES as QUANTIZED_DTYPES
from icefloe.datatypes import as_dtype as as_dtype
from icefloe.datatypes import bfloat16 as bfloat16
from icefloe.datatypes import bool as bool
from icefloe.lib.math_cast import cast as cast
from icefloe.lib.math_elementwise import complex as complex
from icefloe.datatypes import complex128 as complex128
from icefloe.datatypes import complex64 as complex64
from icefloe.datatypes import double as double
from icefloe.datatypes import float16 as float16
from icefloe.datatypes import float32 as float32
from icefloe.datatypes import float64 as float64
from icefloe.datatypes import half as half
from icefloe.datatypes import int16 as int16
from icefloe.datatypes import int32 as int32
from icefloe.datatypes import int64 as int64
from icefloe.datatypes import int8 as int8
from icefloe.datatypes import qint16 as qint16
from icefloe.datatypes import qint32 as qint32
from icefloe.datatypes import qint8 as qint8
from icefloe.datatypes import quint16 as quint16
from icefloe.datatypes import quint8 as quint8
from icefloe.datatypes import resource as resource
from icefloe.lib.math_cast import saturate_cast as saturate_cast
from icefloe.datatypes import string as string
from icefloe.datatypes import uint16 as uint16
from icefloe.datatypes import uint32 as uint32
from icefloe.datatypes import uint64 as uint64
from icefloe.datatypes import uint8 as uint8
from icefloe.datatypes import variant as variant

def as_string(input: Any, precision: Any = -1, scientific: Any = False, shortest: Any = False, width: Any = -1, fill: Any = '', name: str | None = ...) -> Any: ...

__all__ = [
    "DType",
    "QUANTIZED_DTYPES",
    "as_dtype",
    "as_string",
    "bfloat16",
    "bool",
    "cast",
    "complex",
    "complex128",
    "complex64",
    "double",
    "float16",
    "float32",
    "float64",
    "half",
    "int16",
    "int32",
    "int64",
    "int8",
    "qint16",
    "qint32",
    "qint8",
    "quint16",
    "quint8",
    "resource",
    "saturate_cast",
    "string",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "variant",
]
