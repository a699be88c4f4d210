"""What the planner relies on, over the kernel tables of the families of pure kernels.

A kernel takes numpy scalars as it takes arrays of rank 0, leaves its inputs alone, and returns memory that nobody else holds unless it says so.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from icefloe import datatypes, opdefs
from icefloe.graph import registry
from icefloe.resources import ResourceManager

from ops.case import GOLDENS, Case, Golden, difference, load_table, tables

FAMILIES = ("array", "linalg", "math", "parsing", "signal", "sparse", "string")
TABLES = [path for path in tables() if path.stem.split("_")[1] in FAMILIES]


@functools.cache
def golden(table: str) -> Golden:
    return Golden(GOLDENS / f"{table}.npz")


def value(x: Any, dtype: int) -> Any:
    if isinstance(x, bytes):
        out = np.empty((), object)
        out[()] = x
        return out
    if dtype and not isinstance(x, (np.ndarray, np.generic)):
        return np.asarray(x, datatypes.as_dtype(dtype).numpy)
    return np.asarray(x)


def bound(case: Case) -> tuple[Any, list[Any]]:
    """Return the kernel with its attrs bound, and the inputs as arrays."""
    signature = opdefs.signature(case.op)
    inputs: list[Any] = []
    attrs: dict[str, Any] = {"node": "n", "manager": ResourceManager()}
    for arg, given in zip(signature.inputs, case.inputs, strict=True):
        if arg.is_list:
            group = tuple(value(x, arg.dtype) for x in given)
            inputs.append(group)
            if arg.type_list_attr:
                attrs[arg.type_list_attr] = tuple(datatypes.as_dtype(x.dtype) for x in group)
            else:
                attrs[arg.number_attr] = len(group)
            if arg.type_attr and group:
                attrs[arg.type_attr] = datatypes.as_dtype(group[0].dtype)
        else:
            inputs.append(value(given, arg.dtype))
            if arg.type_attr:
                attrs[arg.type_attr] = datatypes.as_dtype(inputs[-1].dtype)
    for name, spec in signature.attrs.items():
        given = case.attrs.get(name)
        if given is None and name not in attrs and spec.default is not None:
            kind = spec.default.WhichOneof("value")
            given = getattr(spec.default, kind)
            if kind == "list":
                given = next((list(values) for _, values in given.ListFields()), [])
        if given is None:
            continue
        if isinstance(given, bytes):
            with contextlib.suppress(UnicodeDecodeError):  # what is no text stays bytes
                given = given.decode()
        if spec.type == "type":
            given = datatypes.as_dtype(given)
        elif spec.type == "list(type)":
            given = [datatypes.as_dtype(x) for x in given]
        elif spec.type == "list(shape)":
            given = [tuple(sizes) for sizes in given]
        attrs[name] = tuple(given) if isinstance(given, list) else given
    kernel = registry.find_kernel(case.op)
    assert kernel is not None
    chosen = {name: attrs[name] for name in kernel.attrs}
    function = kernel.function(**chosen) if kernel.factory else functools.partial(kernel.function, **chosen)
    return function, inputs


def flat(values: Any) -> Iterator[Any]:
    for x in values:
        if isinstance(x, (tuple, list)):
            yield from flat(x)
        else:
            yield x


def scalar(x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple(map(scalar, x))
    return x[()] if x.ndim == 0 and x.dtype != object else x


@pytest.mark.parametrize("path", TABLES, ids=lambda p: p.stem.removeprefix("table_"))
def test_kernels_keep_the_contract(path: Any) -> None:
    seen = 0
    for case in load_table(path):
        answer = golden(path.stem).answers[case.id]
        if "outputs" not in answer:
            continue
        seen += 1
        kernel = registry.find_kernel(case.op)
        assert kernel is not None
        function, inputs = bound(case)
        before = [np.array(x) for x in flat(inputs)]
        with np.errstate(all="ignore"):
            got = function(*inputs)
            again = function(*map(scalar, inputs))
        bare = opdefs.signature(case.op).returns_bare
        outputs, others = ([got], [again]) if bare else (list(flat(got)), list(flat(again)))
        for x, old in zip(flat(inputs), before, strict=True):
            assert x.tobytes() == old.tobytes() if x.dtype != object else x.tolist() == old.tolist(), (
                f"{case.id} wrote to its input"
            )
        for out, other, want in zip(outputs, others, answer["outputs"], strict=True):
            assert isinstance(out, (np.ndarray, np.generic)), f"{case.id} returned a {type(out).__name__}"
            plain = other[other.dtype.names[0]] if other.dtype.names else other  # as a session hands it out
            assert not (why := difference(plain, want, case.tol)), f"{case.id} of numpy scalars: {why}"
            if kernel.returns == "fresh":
                assert not any(np.may_share_memory(out, x) for x in flat(inputs)), f"{case.id} returned its input"
    assert seen > 10
