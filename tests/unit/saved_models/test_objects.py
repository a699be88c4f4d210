"""SavedModels of TensorFlow 2's objects: their signatures, and their functions with what they capture."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.proto import SavedModel
from icefloe.saved_models.structures import leaves

GOLDENS = Path(__file__).resolve().parents[3] / "fixtures" / "saved_models"

# As in fixtures/make/saved_models.py.
CALLS = (
    ("dense", [np.float32([[1, 2]])], {}),
    ("dense", [], {"x": np.float32([[0, 1], [2, 3]])}),
    ("scale", [np.float32([1, 2])], {}),
    ("scale", [np.float32([1, 2])], {"training": True}),
    ("scale", [np.float32([1, 2]), 3.0], {}),
    ("lookup", [np.array([b"red", b"blue", b"grey"], object)], {}),
    ("collatz", [np.int64(27)], {}),
    ("inner.shift", [np.float32(1)], {}),
    ("nested", [{"a": np.float32(1), "b": [np.int32(2), np.int32(3)]}], {}),
)


@pytest.fixture(scope="module")
def model():
    with tf.load_saved_model(GOLDENS / "objects") as model:
        yield model


@pytest.mark.parametrize("number", range(len(CALLS)), ids=[f"{i}-{call[0]}" for i, call in enumerate(CALLS)])
def test_functions_give_what_tensorflow_gave(model, number):
    path, args, kwargs = CALLS[number]
    with np.load(GOLDENS / "objects.npz") as file:
        want = [file[f"{number}/{i}"] for i in range(sum(k.startswith(f"{number}/") for k in file.files))]
    for _ in range(2):  # the second time by the call that is there already
        found = list(leaves(model.functions[path](*args, **kwargs)))
        assert len(found) == len(want)
        for value, expected in zip(found, want, strict=True):
            np.testing.assert_allclose(value, expected, rtol=1e-6)
            assert np.asarray(value).dtype == expected.dtype


def test_results_have_the_structure_of_the_original(model):
    found = model.functions["scale"]([1, 1])
    assert isinstance(found["pair"], tuple)
    assert isinstance(found["pair"][1], list)


def test_signatures(model):
    assert list(model.signatures) == ["dense", "serving_default"]
    np.testing.assert_array_equal(model.signatures["dense"](x=[[1, 2]])["output_0"], [[17, 30]])
    np.testing.assert_array_equal(model.signatures["serving_default"](words=["blue", "x"])["output_0"], [2, -1])


def test_arguments_that_it_was_not_traced_for(model):
    with pytest.raises(errors.InvalidArgumentError) as caught:
        model.functions["scale"]([1.0, 2.0], by=7.0)
    assert str(caught.value) == (
        "function 'scale' was not traced for such arguments; it takes: (x: float32 [2], 1.0, False); "
        "(x: float32 [2], 1.0, True); (x: float32 [2], 3.0, False)"
    )
    for args in ([np.float64([1, 2])], [[1.0]], ["a"], [None], []):
        with pytest.raises(errors.InvalidArgumentError, match="not traced"):
            model.functions["scale"](*args)
    with pytest.raises(LookupError, match="no function 'none'; the functions are: 'collatz', 'dense'"):
        model.functions["none"]


def test_captures_without_a_signature(tmp_path):
    """Variables of one name are told apart by the restore function where no call in the graph has them."""
    shutil.copytree(GOLDENS / "objects", tmp_path / "m")
    file = tmp_path / "m" / "saved_model.pb"
    stored = SavedModel.FromString(file.read_bytes())
    graph = stored.meta_graphs[0]
    for key in ("dense", "serving_default"):
        del graph.signature_def[key]
    kept = [n for n in graph.graph_def.node if not n.attr["f"].func.name.startswith("__inference_signature")]
    del graph.graph_def.node[:]
    graph.graph_def.node.extend(kept)
    file.write_bytes(stored.SerializeToString())
    with tf.load_saved_model(tmp_path / "m") as model:
        np.testing.assert_array_equal(model.functions["dense"]([[1.0, 2.0]]), [[17, 30]])
        assert model.functions["inner.shift"](1.0) == 3


def test_object_graphs_that_cannot_be(tmp_path):
    """Cycles, nodes that are not there, functions that are not in the library: errors when they are called."""
    shutil.copytree(GOLDENS / "objects", tmp_path / "m")
    file = tmp_path / "m" / "saved_model.pb"
    stored = SavedModel.FromString(file.read_bytes())
    objects = stored.meta_graphs[0].object_graph_def
    objects.nodes[1].children.add(node_id=0, local_name="up")
    objects.nodes[1].children.add(node_id=-1, local_name="none")
    objects.nodes[1].children.add(node_id=1 << 20, local_name="far")
    for concrete in objects.concrete_functions.values():
        concrete.bound_inputs.extend([1 << 20])
    file.write_bytes(stored.SerializeToString())
    with tf.load_saved_model(tmp_path / "m") as model:
        for path, args, kwargs in CALLS:
            with pytest.raises(errors.OpError):
                model.functions[path](*args, **kwargs)
