"""Graphs written for older releases, against what TensorFlow computes with the new ones."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import icefloe
from icefloe import errors

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "downgrading"
NAMES = sorted(path.stem for path in FOLDER.glob("*.pb"))


def outputs(graph: icefloe.Graph) -> list[str]:
    return sorted(op.name for op in graph.get_operations() if re.fullmatch(r"out_\d+", op.name))


def places(release: str) -> int:
    major, minor = release.split(".")
    return 100 * int(major) + int(minor)


@pytest.mark.parametrize("name", NAMES)
def test_an_older_release_can_read_it_and_gets_the_same(name: str) -> None:
    graph = icefloe.load_graph(FOLDER / f"{name}.pb")
    expected = np.load(FOLDER / f"{name}.npz")
    oldest = name.rpartition("_")[2]
    assert places(icefloe.graphs.oldest_version(graph).release) >= places(oldest)
    for release in dict.fromkeys((oldest, "1.10" if oldest != "1.15" else "1.15", "2.3")):
        new = icefloe.graphs.downgrade(graph, release, outputs(graph), check=False)
        old = icefloe.load_graph(new.graph_def)
        assert places(icefloe.graphs.oldest_version(old).release) <= places(release)
        feeds = {key[3:]: expected[key] for key in expected if key.startswith("in/")}
        feeds = {key: value.astype(object) if value.dtype.kind == "S" else value for key, value in feeds.items()}
        with icefloe.Session(graph=old) as session:
            keys = [key for key in expected if key.startswith("out/")]
            for key, value in zip(keys, session.run([key[4:] for key in keys], feeds), strict=True):
                found = np.asarray(value)
                if expected[key].dtype.kind == "S":
                    assert found.tolist() == expected[key].tolist()
                else:
                    np.testing.assert_allclose(found, expected[key], rtol=1e-5, atol=1e-6)


def test_old_and_new_are_compared() -> None:
    graph = icefloe.load_graph(FOLDER / "boxes_1.0.pb")
    done = icefloe.graphs.downgrade(graph, "1.0", outputs(graph))
    assert done.check is not None
    assert done.check.status == "equal"
    assert done.graph_def.versions.producer == 21
    assert "NonMaxSuppressionV5 to NonMaxSuppressionV4: 1" in done.passes[-1].notes


def test_all_that_has_no_older_form_is_listed() -> None:
    with icefloe.Graph().as_default() as graph:
        x = icefloe.placeholder(icefloe.float32, [None, 4], name="x")
        icefloe.raw_ops.Einsum(inputs=[x, x], equation="ab,ab->a", name="first")
        icefloe.raw_ops.ResizeBilinear(
            images=icefloe.zeros([1, 2, 2, 1]), size=[3, 3], half_pixel_centers=True, name="r"
        )
        icefloe.raw_ops.GatherV2(params=x, indices=[0], axis=1, name="g")
    with pytest.raises(errors.InvalidArgumentError) as caught:
        icefloe.graphs.downgrade(graph, "1.2")
    text = str(caught.value)
    assert "TensorFlow 1.2 cannot have 3 of the nodes" in text
    assert "Einsum is of 1.15; there is no older form: first" in text
    assert "attr 'half_pixel_centers' of ResizeBilinear, as it is here, is of 1.14; there is no older form: r" in text
    assert "GatherV2 is of 1.3; it does not gather along axis 0: g" in text


def test_shapes_that_may_be_spread_are_no_reason_to_guess() -> None:
    with icefloe.Graph().as_default() as graph:
        x = icefloe.placeholder(icefloe.float32, [None, 4], name="x")
        y = icefloe.placeholder(icefloe.float32, [1, 4], name="y")
        icefloe.raw_ops.SelectV2(condition=x > 0, t=x, e=y, name="choice")
    with pytest.raises(errors.InvalidArgumentError, match=r"it spreads, or may spread, shapes: .*\[1, 4\]"):
        icefloe.graphs.downgrade(graph, "1.4", ["choice"])


def test_what_a_release_has_is_left_alone() -> None:
    graph = icefloe.load_graph(FOLDER / "matrices_1.0.pb")
    done = icefloe.graphs.downgrade(graph, "2.21", outputs(graph))
    assert icefloe.graphs.diff(graph, icefloe.load_graph(done.graph_def)).same


def test_a_default_that_changed_is_written() -> None:
    definition = icefloe.proto.GraphDef()
    node = definition.node.add(name="x", op="Placeholder")
    node.attr["dtype"].type = 1
    done = icefloe.graphs.downgrade(icefloe.load_graph(definition), "1.0", ["x"])
    assert done.graph_def.node[0].attr["shape"].shape.unknown_rank


def test_an_op_that_no_release_has_is_named() -> None:
    definition = icefloe.proto.GraphDef()
    definition.node.add(name="mine", op="MyOwnOp")
    graph = icefloe.load_graph(definition)
    found = icefloe.graphs.oldest_version(graph)
    assert (found.release, found.unknown) == ("", ("MyOwnOp",))
    with pytest.raises(errors.InvalidArgumentError, match="MyOwnOp: no release has this op: mine"):
        icefloe.graphs.downgrade(graph, "1.15")


def test_reasons_name_ops_and_attrs_the_newest_first() -> None:
    found = icefloe.graphs.oldest_version(icefloe.load_graph(FOLDER / "layers_1.3.pb"))
    assert found.release == found.without_defaults == "2.4"
    assert [(r.op, r.attr) for r in found.reasons[:2]] == [("MaxPool", "explicit_paddings"), ("MaxPool", "padding")]
    assert found.as_data()["reasons"][0]["release"] == "2.4"
