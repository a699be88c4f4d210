"""Element types: what TensorFlow has no CPU kernel for is refused when a node is bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors, opdefs
from icefloe.opdefs import kernel_types


def test_every_entry_is_of_a_registered_op_and_its_attrs() -> None:
    for op, entry in kernel_types.table().items():
        attrs = opdefs.signature(op).attrs
        for demand in entry["types"]:
            assert set(demand) <= set(attrs), op


@pytest.mark.parametrize(
    ("op", "types", "is_refused"),
    [
        ("MatMul", {"T": tf.float32}, False),
        ("MatMul", {"T": tf.int8}, True),
        ("Cholesky", {"T": tf.float16}, True),
        ("IdentityN", {"T": (tf.float32, tf.string)}, False),
        ("NoSuchOp", {}, False),
        ("UniformQuantize", {"Tin": tf.float32, "Tout": tf.qint8}, False),
        ("UniformQuantize", {"Tin": tf.float64, "Tout": tf.qint8}, True),
    ],
)
def test_refusals(op: str, types: dict[str, Any], is_refused: bool) -> None:
    found = kernel_types.refusal(op, types.__getitem__)
    assert (found is not None) is is_refused
    # What was accepted is remembered.
    assert kernel_types.refusal(op, types.__getitem__) == found


def test_a_node_is_refused_with_the_types_that_are_taken() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        good = tf.linalg.cholesky(tf.constant(np.eye(2, dtype=np.float32)))
        bad = tf.linalg.cholesky(tf.constant(np.eye(2, dtype=np.float16)))
        for _ in range(2):
            session.run(good)
            with pytest.raises(errors.InvalidArgumentError, match=r"No OpKernel .* \[T=DT_HALF\].*DT_FLOAT"):
                session.run(bad)
