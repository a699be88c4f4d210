"""Names that TensorFlow refuses become others."""

from __future__ import annotations

import pytest

import icefloe
from icefloe.proto import GraphDef


@pytest.mark.parametrize(
    ("name", "new"),
    [("_x", "x_1"), ("__forward_1", "forward_1"), ("a b", "a_b"), ("-y", "y"), ("_", "node"), ("a:b"[:1], "a")],
)
def test_a_name_that_is_refused_becomes_another(name: str, new: str) -> None:
    definition = GraphDef()
    definition.node.add(name="x", op="Placeholder").attr["dtype"].type = 1
    first = definition.node.add(name=name, op="Identity", input=["x"])
    second = definition.node.add(name="out", op="Identity", input=[name, f"^{name}"])
    second.attr["_class"].list.s.append(f"loc:@{name}".encode())
    for node in (first, second):
        node.attr["T"].type = 1
    done = icefloe.graphs.fix(icefloe.load_graph(definition), ["out", name])
    assert done.check is not None
    assert done.check.status == "equal"
    assert done.outputs == ("out:0", f"{new}:0")
    nodes = {node.name: node for node in done.graph_def.node}
    assert list(nodes["out"].input) == [new, f"^{new}"]
    assert nodes["out"].attr["_class"].list.s[0] == f"loc:@{new}".encode()
    assert [p.changed for p in done.passes if p.name == "names"] == [int(new != name)]
