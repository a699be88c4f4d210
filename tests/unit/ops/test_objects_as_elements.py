"""Kernels that move elements do so with resources and variants too, which a slot holds as bare objects where they are scalars."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import icefloe
from icefloe import datatypes, errors
from icefloe.graph import registry
from icefloe.proto import DataType, TensorProto, VariantTensorDataProto


class Thing:
    """A variant: any object that is neither an array nor bytes."""

    def __init__(self, name: str) -> None:
        self.name = name

    def zeros_like(self) -> Thing:
        return Thing(f"zero of {self.name}")


A, B, C = Thing("a"), Thing("b"), Thing("c")


def things(*items: Any, shape: tuple[int, ...] | None = None) -> np.ndarray[Any, Any]:
    array = np.empty(len(items), object)
    array[:] = items
    return array if shape is None else array.reshape(shape)


def run(op: str, *inputs: Any, **attrs: Any) -> Any:
    kernel = registry.find_kernel(op)
    assert kernel is not None
    chosen = {name: attrs[name] for name in kernel.attrs}
    function = kernel.function(**chosen) if kernel.factory else functools.partial(kernel.function, **chosen)
    return function(*inputs)


MASKS = dict.fromkeys(("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0)
ONE = np.array([1], np.int32)


def test_scalars_become_elements() -> None:
    assert run("Identity", A) is A
    assert run("Pack", (A, B), axis=0).tolist() == [A, B]
    assert run("ExpandDims", A, np.int32(0)).tolist() == [A]
    assert run("Reshape", A, ONE).tolist() == [A]
    assert run("Reshape", A, np.array([1, 1])).tolist() == [[A]]
    assert run("ConcatV2", (things(A), things(B, C)), np.int32(0)).tolist() == [A, B, C]
    assert run("SelectV2", np.array([True, False]), A, B).tolist() == [A, B]
    assert run("DynamicStitch", (np.int32(1), np.int32(0)), (A, B)).tolist() == [B, A]


def test_elements_become_scalars() -> None:
    assert run("Unpack", things(A, B), num=2, axis=0) == (A, B)
    assert run("Reshape", things(A), np.zeros(0, np.int32)) is A
    assert run("Squeeze", things(A, shape=(1, 1)), squeeze_dims=()) is A
    assert run("GatherV2", things(A, B), np.int32(1), np.int32(0), batch_dims=0) is B
    assert run("GatherNd", things(A, B), np.array([1]), bad_indices_policy="") is B
    assert run("StridedSlice", things(A, B), ONE, ONE + 1, ONE, **{**MASKS, "shrink_axis_mask": 1}) is B
    assert run("SelectV2", np.bool_(False), A, B) is B
    assert run("Select", np.bool_(True), A, B) is A


def test_shape_of_objects() -> None:
    assert run("Shape", A, out_type=datatypes.int32).tolist() == []
    assert run("Shape", things(A, B, shape=(1, 2)), out_type=datatypes.int64).tolist() == [1, 2]
    assert run("Rank", A) == 0
    assert run("Size", things(A, B), out_type=datatypes.int32) == 2


def test_zeros_like_asks_the_object() -> None:
    assert run("ZerosLike", A).name == "zero of a"
    assert [thing.name for thing in run("ZerosLike", things(A, B)).tolist()] == ["zero of a", "zero of b"]
    with pytest.raises(errors.InvalidArgumentError, match="ZerosLike"):
        run("ZerosLike", object())


def test_gathered_rows_of_objects() -> None:
    table = things(A, B, C, A, shape=(2, 2))
    assert run("GatherV2", table, np.array([1, 0]), np.int32(1), batch_dims=0).tolist() == [[B, A], [A, C]]
    assert run("Transpose", table, np.array([1, 0])).tolist() == [[A, C], [B, A]]
    assert run("Split", np.int32(0), table, num_split=2)[1].tolist() == [[C, A]]


def test_constants_come_out_of_messages() -> None:
    message = TensorProto(dtype=DataType.DT_VARIANT)
    message.variant_val.add(type_name="int", metadata=b"\1\0\0\0")
    assert run("Const", value=message, dtype=datatypes.variant) == message.variant_val[0]
    one = icefloe.make_tensor_proto([1.5])
    message.variant_val[0].CopyFrom(VariantTensorDataProto(type_name="tensorflow::TensorList", metadata=b"\0\1\1"))
    message.variant_val[0].tensors.append(one)
    message.tensor_shape.dim.add(size=1)
    (kept,) = run("Const", value=message, dtype=datatypes.variant)
    assert run("TensorListLength", kept) == 1
