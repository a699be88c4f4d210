"""TensorProtos: read as TensorFlow's C++ reads them, written with the bytes TensorFlow writes, refused where they would swamp memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from icefloe import datatypes, errors
from icefloe.graph.tensor_proto import MAX_FILL, make_ndarray, make_tensor_proto
from icefloe.proto import GraphDef, TensorProto

GOLDEN = Path(__file__).resolve().parents[3] / "fixtures" / "graphs"
PROTOS = {
    node.name: node.attr["value"].tensor for node in GraphDef.FromString((GOLDEN / "tensors.pb").read_bytes()).node
}
ELEMENTS = json.loads((GOLDEN / "tensors.json").read_text())


@pytest.mark.parametrize("name", sorted(PROTOS))
def test_elements_are_those_tensorflow_reads(name: str) -> None:
    dtype, shape, elements = ELEMENTS[name]
    array = make_ndarray(PROTOS[name])
    assert array.dtype == datatypes.as_dtype(dtype).numpy
    assert list(array.shape) == shape
    got = [v.hex() for v in array.ravel()] if array.dtype == object else array.tobytes().hex()
    assert got == elements


@pytest.mark.parametrize("name", [n for n in sorted(PROTOS) if n.endswith(("_vector", "_scalar", "_empty"))])
def test_writing_the_elements_again_gives_the_same_message(name: str) -> None:
    proto = PROTOS[name]
    if proto.dtype == datatypes.string.as_datatype_enum or not datatypes.as_dtype(proto.dtype).is_quantized:
        again = make_tensor_proto(make_ndarray(proto))
        assert again.SerializeToString(deterministic=True) == proto.SerializeToString(deterministic=True)


@pytest.mark.parametrize(
    ("values", "options", "expected"),
    [
        (300, {"dtype": "int8"}, TensorProto(dtype=6, int_val=[44])),
        (1 << 40, {}, TensorProto(dtype=9, int64_val=[1 << 40])),
        ("é", {}, TensorProto(dtype=7, string_val=["é".encode()])),
        (2.0, {"dtype": datatypes.float32._as_ref}, TensorProto(dtype=1, float_val=[2])),
        ((21,), {"dtype": "qint8"}, TensorProto(dtype=11, int_val=[21])),
        (np.int64(3), {"dtype": "float32"}, TensorProto(dtype=1, float_val=[3])),
    ],
)
def test_scalars(values: Any, options: dict[str, Any], expected: TensorProto) -> None:
    expected.tensor_shape.SetInParent()
    assert make_tensor_proto(values, **options) == expected


def test_big_endian_arrays_are_written_little_endian() -> None:
    assert make_tensor_proto(np.array([1, 2], ">i4")) == make_tensor_proto(np.array([1, 2], "<i4"))


def test_a_message_is_returned_as_it_is() -> None:
    proto = make_tensor_proto([1, 2])
    assert make_tensor_proto(proto) is proto


def test_str_and_bytes_may_stand_in_one_list() -> None:
    assert make_ndarray(make_tensor_proto(["é", b"\xff"])).tolist() == ["é".encode(), b"\xff"]


def shaped(dtype: int, *sizes: int, **fields: Any) -> TensorProto:
    proto = TensorProto(dtype=dtype, **fields)
    for size in sizes:
        proto.tensor_shape.dim.add(size=size)
    return proto


@pytest.mark.parametrize(
    ("proto", "words"),
    [
        (shaped(1, 1 << 40, float_val=[1.0]), "where values repeat"),
        (shaped(1, 1 << 62, 1 << 62), "where values repeat"),
        (shaped(7, 1 << 40, string_val=[b"x"]), "where values repeat"),
        (shaped(7, 1 << 40, tensor_content=b"\x01x"), "string tensor"),
        (shaped(7, 2, tensor_content=b"\x01\x09x"), "expected 10 bytes"),
        (shaped(7, 2, tensor_content=b"\xff\xff"), "ends inside a length"),
        (shaped(1, 2, tensor_content=b"1234"), "expected 8 bytes of tensor_content, got 4"),
        (shaped(1, -1), "every size to be known"),
        (shaped(1, *[1] * 65), "at most 64"),
        (shaped(0, 1), "unknown dtype 0"),
        (shaped(999, 1), "unknown dtype 999"),
        (shaped(20, 1), "Unsupported tensor type: resource"),
        (shaped(21, 1, tensor_content=b"x"), "Unsupported tensor type: variant"),
    ],
)
def test_what_cannot_be_read_is_an_invalid_argument(proto: TensorProto, words: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=words):
        make_ndarray(proto)


def test_an_unknown_rank_is_an_invalid_argument() -> None:
    proto = TensorProto(dtype=1)
    proto.tensor_shape.unknown_rank = True
    with pytest.raises(errors.InvalidArgumentError, match="<unknown>"):
        make_ndarray(proto)


def test_a_splat_of_modest_size_is_filled() -> None:
    array = make_ndarray(shaped(1, 1000, 1000, float_val=[1.5]))
    assert array.shape == (1000, 1000)
    assert array[999, 999] == 1.5
    assert MAX_FILL == 1 << 30


def test_raw_bools_are_true_or_false() -> None:
    assert make_ndarray(shaped(10, 3, tensor_content=b"\x00\x02\xff")).tolist() == [False, True, True]


def test_a_small_array_is_the_callers_own() -> None:
    array = make_ndarray(make_tensor_proto([1.0, 2.0]))
    array[0] = 5
    assert array.tolist() == [5, 2]


def test_elements_of_a_type_that_has_no_field_are_refused() -> None:
    with pytest.raises(TypeError, match="Element type not supported in TensorProto: float8_e4m3fnuz"):
        make_tensor_proto(1.0, dtype="float8_e4m3fnuz")
