"""Graphs from any form to any other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import icefloe
from icefloe import errors

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
NESTED, AVERAGES = FIXTURES / "freezing" / "nested", FIXTURES / "freezing" / "averages"


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("frozen") / "nested.pb"
    icefloe.graphs.convert(NESTED, path)
    return path


@pytest.mark.parametrize("suffix", [".pb", ".pbtxt", ".json"])
def test_a_saved_model_becomes_a_frozen_graph(tmp_path: Path, suffix: str) -> None:
    done = icefloe.graphs.convert(NESTED, tmp_path / f"frozen{suffix}")
    assert done.frozen == 2
    assert done.check is not None
    assert done.check.status == "equal"
    assert "signature serving_default" in done.left_out
    expected = np.load(NESTED / "expected.npz")
    names = {"y": "StatefulPartitionedCall:0", "z": "StatefulPartitionedCall:1"}
    with icefloe.Session(graph=icefloe.load_graph(done.destination)) as session:
        found = session.run(names, {"serving_default_x:0": expected["in/x"]})
    for key in names:
        np.testing.assert_allclose(found[key], expected[f"out/{key}"], rtol=1e-6)


def test_a_frozen_graph_becomes_a_saved_model_with_a_signature(tmp_path: Path, frozen: Path) -> None:
    outputs = {"y": "StatefulPartitionedCall:0", "z": "StatefulPartitionedCall:1"}
    done = icefloe.graphs.convert(frozen, tmp_path / "model", inputs={"x": "serving_default_x"}, outputs=outputs)
    assert (done.format, done.inputs, done.outputs) == ("saved_model", {"x": "serving_default_x:0"}, outputs)
    expected = np.load(NESTED / "expected.npz")
    with icefloe.load_saved_model(tmp_path / "model") as model:
        found = model.signatures["serving_default"](x=expected["in/x"])
    for key in outputs:
        np.testing.assert_allclose(found[key], expected[f"out/{key}"], rtol=1e-6)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_saved_model_that_is_frozen_keeps_its_signature(tmp_path: Path) -> None:
    done = icefloe.graphs.convert(NESTED, tmp_path / "model.v2")
    assert (done.format, set(done.outputs)) == ("saved_model", {"y", "z"})
    with icefloe.load_saved_model(tmp_path / "model.v2") as model:
        assert model.signatures["serving_default"](x=[[1.0, 2.0]])["y"].shape == (1, 2)


def test_the_forms_of_one_graph_hold_the_same(tmp_path: Path, frozen: Path) -> None:
    last = frozen
    for suffix in (".json", ".meta", ".pbtxt", ".pb"):
        icefloe.graphs.convert(last, tmp_path / f"next{suffix}")
        last = tmp_path / f"next{suffix}"
    assert icefloe.graphs.diff(icefloe.load_graph(frozen), icefloe.load_graph(last)).same


def test_a_checkpoint_is_frozen_and_its_meta_is_not(tmp_path: Path) -> None:
    done = icefloe.graphs.convert(AVERAGES / "model", tmp_path / "frozen.pb", outputs=["y"])
    assert (done.frozen, done.outputs) == (2, {"y": "y:0"})
    plain = icefloe.graphs.convert(AVERAGES / "model.meta", tmp_path / "plain.pb")
    assert plain.frozen == 0
    assert plain.left_out == ("collections: cond_context, train_op, trainable_variables, variables",)


def test_variables_without_values_make_no_saved_model(tmp_path: Path) -> None:
    with pytest.raises(
        errors.InvalidArgumentError, match="those of 6 are not in the graph: gamma, moving_mean"
    ) as caught:
        icefloe.graphs.convert(AVERAGES / "model.meta", tmp_path / "model")
    assert "prefix of the checkpoint" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_meta_of_a_saved_model_keeps_variables_and_says_where_their_values_are(tmp_path: Path) -> None:
    done = icefloe.graphs.convert(NESTED, tmp_path / "model.meta")
    assert done.left_out == (f"the values of variables: they stay in {NESTED / 'variables'}",)
    assert "serving_default" in icefloe.load_graph(tmp_path / "model.meta").signature_defs


def test_tables_are_filled_when_the_saved_model_is_loaded(tmp_path: Path) -> None:
    source = FIXTURES / "transforms" / "tables.pb"
    icefloe.graphs.convert(source, tmp_path / "model", outputs={"y": "out_0"})
    with icefloe.load_saved_model(tmp_path / "model") as model:
        found = model.signatures["serving_default"](keys=np.array([b"b", b"z", b"a"], object))["y"]
    assert found.tolist() == [4, -2, 2]


def test_a_directory_that_holds_something_is_left_alone(tmp_path: Path, frozen: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "mine").write_text("x")
    with pytest.raises(errors.AlreadyExistsError, match="new or empty"):
        icefloe.graphs.convert(frozen, tmp_path / "model")
    assert [path.name for path in (tmp_path / "model").iterdir()] == ["mine"]


def test_keys_of_a_signature_are_identifiers(tmp_path: Path) -> None:
    with icefloe.Graph().as_default() as graph:
        x = icefloe.placeholder(icefloe.float32, [2], name="a/1st.x")
        icefloe.unstack(x, name="b/parts")
    icefloe.save_graph(graph, tmp_path / "g.pb")
    done = icefloe.graphs.convert(tmp_path / "g.pb", tmp_path / "model", outputs=["b/parts:1", "b/parts"])
    assert done.inputs == {"_1st_x": "a/1st.x:0"}
    assert done.outputs == {"parts_1": "b/parts:1", "parts": "b/parts:0"}


@pytest.mark.parametrize("name", ["x.onnx", "x.tflite", "x.PDF"])
def test_other_formats_are_refused(tmp_path: Path, frozen: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"there are \.pb, \.pbtxt"):
        icefloe.graphs.convert(frozen, tmp_path / name)


def test_the_format_may_be_given(tmp_path: Path, frozen: Path) -> None:
    done = icefloe.graphs.convert(frozen, tmp_path / "model.bin", to="pbtxt")
    assert done.format == "pbtxt"
    assert (tmp_path / "model.bin").read_text().startswith("node {")
    with pytest.raises(ValueError, match="no such format: 'hdf5'"):
        icefloe.graphs.convert(frozen, tmp_path / "model", to="hdf5")
