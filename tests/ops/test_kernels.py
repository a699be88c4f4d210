"""Every case of every kernel table gives what TensorFlow gave: values, dtypes, shapes or the class of the error; its static shape fits the value."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import icefloe
from icefloe import errors, opdefs
from icefloe.graph import build

from ops.case import GOLDENS, Case, Golden, difference, load_table, tables

CASES = [
    pytest.param(path.stem, case, id=f"{path.stem.removeprefix('table_')}:{case.id}")
    for path in tables()
    for case in load_table(path)
]


@functools.cache
def golden(table: str) -> Golden:
    return Golden(GOLDENS / f"{table}.npz")


def tensors_of(case: Case) -> list[Any]:
    out = build.apply_op(case.op, *case.inputs, **case.attrs)
    if isinstance(out, (list, tuple)):
        return [t for part in out for t in (part if isinstance(part, (list, tuple)) else [part])]
    return [out]


@pytest.mark.parametrize(("table", "case"), CASES)
def test_kernel(table: str, case: Case) -> None:
    answer = golden(table).answers.get(case.id)
    assert answer is not None, "no golden: run fixtures/make/kernels.py"
    assert answer["fingerprint"] == case.fingerprint(), "the golden is of an older table: run fixtures/make/kernels.py"
    with icefloe.Graph().as_default() as graph:
        if removed_in := opdefs.get(case.op).deprecation.version:
            graph._versions.producer = removed_in - 1  # as an old graph that was read
        if "error" in answer:
            expected = (
                getattr(errors, answer["error"], None)
                or {"ValueError": ValueError, "TypeError": TypeError}[answer["error"]]
            )
            with pytest.raises(expected), icefloe.Session() as session:
                session.run(tensors_of(case))
            return
        tensors = tensors_of(case)
        with icefloe.Session() as session:
            got = session.run(tensors)
    assert len(got) == len(answer["outputs"])
    for i, (value, want, tensor) in enumerate(zip(got, answer["outputs"], tensors, strict=True)):
        assert not (why := difference(value, want, case.tol)), f"output {i}: {why}"
        assert tensor.shape.is_compatible_with(np.shape(want)), (
            f"output {i}: static shape {tensor.shape}, value's {np.shape(want)}"
        )
