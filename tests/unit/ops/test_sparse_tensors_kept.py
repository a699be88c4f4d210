"""Sparse tensors that a session keeps, and those packed into variants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import icefloe
from icefloe import errors
from icefloe.graph import build
from icefloe.ops.sparse.serialization import TensorVariant

INDICES = np.array([[0, 0], [0, 2], [1, 1]])
VALUES = np.array([1, 2, 3], np.float32)
SHAPE = np.array([2, 3])


def take(handles: Any, **attrs: Any) -> Any:
    return build.apply_op(
        "TakeManySparseFromTensorsMap", handles, **{"dtype": "float32", "shared_name": "kept", **attrs}
    )


def test_handles_count_up_and_are_used_once() -> None:
    """The numbers and texts are what TensorFlow 2.21 gives for the same runs."""
    with icefloe.Graph().as_default() as graph:
        one = build.apply_op("AddSparseToTensorsMap", INDICES, VALUES, SHAPE, shared_name="kept")
        many = build.apply_op("AddManySparseToTensorsMap", INDICES, VALUES, SHAPE, shared_name="kept")
        handles = build.apply_op("Placeholder", dtype="int64", shape=[None])
        taken = take(handles)
        with icefloe.Session(graph=graph) as session:
            assert session.run(one) == 0
            assert session.run(many).tolist() == [1, 2]
            assert session.run(one) == 3
            indices, values, shape = session.run(list(taken), {handles: [3, 0]})
            assert indices.tolist() == [[0, 0, 0], [0, 0, 2], [0, 1, 1], [1, 0, 0], [1, 0, 2], [1, 1, 1]]
            assert values.tolist() == [1, 2, 3, 1, 2, 3]
            assert shape.tolist() == [2, 2, 3]
            for wanted, missing in (([0], 0), ([1, 3], 3), ([1], 1)):  # 1 is gone, though the run that took it failed
                with pytest.raises(
                    errors.InvalidArgumentError, match=f"Unable to find SparseTensor: {missing} in map: kept"
                ):
                    session.run(taken[1], {handles: wanted})
            with pytest.raises(errors.InvalidArgumentError, match="Must have at least 1 serialized SparseTensor"):
                session.run(taken[1], {handles: []})
            assert session.run(taken[1], {handles: [2]}).tolist() == [3]


def test_map_belongs_to_the_session() -> None:
    with icefloe.Graph().as_default() as graph:
        one = build.apply_op("AddSparseToTensorsMap", INDICES, VALUES, SHAPE, name="own")
        with icefloe.Session(graph=graph) as session:
            assert [session.run(one), session.run(one)] == [0, 1]
        with icefloe.Session(graph=graph) as session:
            assert session.run(one) == 0


def test_taken_as_another_dtype() -> None:
    with icefloe.Graph().as_default() as graph:
        one = build.apply_op("AddSparseToTensorsMap", INDICES, VALUES, SHAPE, shared_name="kept")
        taken = take(build.apply_op("ExpandDims", one, np.int32(0)), dtype="int32")
        refusal = "Requested SparseTensor of type int32 but .* float"
        with icefloe.Session(graph=graph) as session, pytest.raises(errors.InvalidArgumentError, match=refusal):
            session.run(taken[1])


def test_packed_into_variants_and_back() -> None:
    with icefloe.Graph().as_default() as graph:
        packed = build.apply_op("SerializeSparse", INDICES, VALUES, SHAPE, out_type="variant")
        many = build.apply_op("SerializeManySparse", INDICES, VALUES, SHAPE, out_type="variant")
        single = build.apply_op("DeserializeSparse", packed, dtype="float32")
        pair = build.apply_op("DeserializeSparse", build.apply_op("Pack", [packed, packed]), dtype="float32")
        rows = build.apply_op("DeserializeSparse", many, dtype="float32")
        wrong = build.apply_op("DeserializeSparse", packed, dtype="int64")
        with icefloe.Session(graph=graph) as session:
            parts = session.run(packed)
            assert all(isinstance(part, TensorVariant) for part in parts.tolist())
            for got, want in zip(session.run(list(single)), (INDICES, VALUES, SHAPE), strict=True):
                assert got.tolist() == want.tolist()
            assert session.run(pair[2]).tolist() == [2, 2, 3]
            assert session.run(list(rows))[0].tolist() == [[0, 0], [0, 2], [1, 1]]
            with pytest.raises(errors.InvalidArgumentError, match="Requested SparseTensor of type int64"):
                session.run(wrong[0])
