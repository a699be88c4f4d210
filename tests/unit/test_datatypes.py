"""DTypes have TensorFlow's numbers, names and numpy types."""

from __future__ import annotations

import pickle

import ml_dtypes
import numpy as np
import pytest

from icefloe import datatypes
from icefloe.datatypes import as_dtype
from icefloe.proto import DataType


def test_numbers_are_those_of_the_enum() -> None:
    for name, number in DataType.items():
        if number in (0,):
            continue
        dtype = as_dtype(number)
        spelled = name.removeprefix("DT_").lower()
        spelled = spelled.replace("half", "float16").replace("double", "float64")
        if spelled in ("float", "float_ref"):
            spelled = spelled.replace("float", "float32")
        assert dtype.name == spelled
        assert dtype.as_datatype_enum == number
        assert pickle.loads(pickle.dumps(dtype)) is dtype


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("float", "float32"),
        (np.float32, "float32"),
        (np.dtype(">f4"), "float32"),
        (float, "float32"),
        (int, "int32"),
        (bool, "bool"),
        (str, "string"),
        (np.dtype("S3"), "string"),
        (np.dtype("U3"), "string"),
        (object, "string"),
        (ml_dtypes.bfloat16, "bfloat16"),
        (np.dtype([("qint8", np.int8)]), "qint8"),
        (101, "float32_ref"),
        ("half", "float16"),
    ],
)
def test_what_as_dtype_takes(value: object, name: str) -> None:
    assert as_dtype(value).name == name


@pytest.mark.parametrize("value", [None, "nothing", 0, 34, [], 1.5, np.dtype("M8[s]")])
def test_what_as_dtype_refuses(value: object) -> None:
    with pytest.raises(TypeError, match="Cannot convert the argument"):
        as_dtype(value)


def test_reference_types() -> None:
    ref = datatypes.float32._as_ref
    assert ref.base_dtype is datatypes.float32
    assert ref != datatypes.float32
    assert datatypes.float32.is_compatible_with(ref)
    assert not ref.is_compatible_with(datatypes.float32)
    assert ref.as_numpy_dtype is np.float32


def test_limits_and_kinds() -> None:
    assert (datatypes.int4.min, datatypes.int4.max) == (-8, 7)
    assert datatypes.qint8.max == 127
    assert datatypes.float16.max == 65504
    assert datatypes.complex64.real_dtype is datatypes.float32
    assert not datatypes.qint8.is_integer
    assert datatypes.bfloat16.is_floating
    with pytest.raises(TypeError, match="Cannot find minimum value"):
        _ = datatypes.string.min


def test_equality_takes_what_as_dtype_takes() -> None:
    assert datatypes.float32 == np.float32
    assert datatypes.float32 == "float32"
    assert datatypes.float32 != None  # noqa: E711
    assert datatypes.float32 != "no such type"
