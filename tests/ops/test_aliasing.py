"""No kernel hands out memory of an input that it does not name: it would be written to, or kept, unseen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import icefloe
from icefloe import errors, opdefs
from icefloe.graph import build
from icefloe.runtime import plan
from icefloe.runtime.program import Program

from ops.case import Case, load_table, tables

TABLES = [pytest.param(path, id=path.stem.removeprefix("table_")) for path in tables()]


def shared_inputs(case: Case) -> list[str]:
    """Return which outputs of a case share memory with which inputs, where the kernel does not say so."""
    with icefloe.Graph().as_default() as graph, icefloe.Session() as session:
        if removed_in := opdefs.get(case.op).deprecation.version:
            graph._versions.producer = removed_in - 1
        try:
            out = build.apply_op(case.op, *case.inputs, **case.attrs)
        except (TypeError, ValueError):
            return []
        op = graph.operation_by_id(graph.node_count - 1)
        if op.type != case.op or not op.outputs or out is op:
            return []
        feeds = {t: session.run(t) for t in op.inputs}
        try:
            program = Program(plan.build(op.outputs, [], list(feeds)), session._scope, "interpret", optimized=False)
            (binding,) = program.bindings
            with np.errstate(all="ignore"):
                values = program.call(list(feeds.values()), session._context(None))
        except errors.OpError:
            return []
    if binding.returns == "stored":
        return []
    allowed = None if binding.returns == "fresh" else binding.returns[1]
    return [
        f"{case.id}: output {i} shares memory with input {j}"
        for i, value in enumerate(values)
        for j, given in enumerate(feeds.values())
        if j != allowed and shares(value, given)
    ]


def shares(a: Any, b: Any) -> bool:
    return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.may_share_memory(a, b)


@pytest.mark.parametrize("path", TABLES)
def test_outputs_share_memory_only_as_said(path: Any) -> None:
    found: dict[str, str] = {}
    for case in load_table(path):
        for text in shared_inputs(case):
            found.setdefault(case.op, text)
    assert not found, "\n".join(found.values())
