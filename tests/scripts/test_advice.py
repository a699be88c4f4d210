"""What is said of missing names names only what is there; the names of TensorFlow's modules lead to icefloe's objects."""

from __future__ import annotations

import importlib

import pytest

import icefloe
from icefloe.scripts import advice, facades, names


def there(path: str) -> bool:
    found = icefloe
    for part in path.split("."):
        found = getattr(found, part, None)
    return found is not None


@pytest.mark.parametrize("path", advice.INSTEAD)
def test_advice_names_what_is_there(path: str) -> None:
    text = advice.for_name(path)
    assert text
    for name in advice.NAME.findall(text):
        if f"tf.{name} is not part of it" not in text:
            assert there(name), name


def test_advice_of_icefloes_own_names_is_there_too() -> None:
    for text in advice.INSTEAD.values():
        for word in text.replace(",", " ").split():
            if word.startswith("icefloe."):
                found = icefloe
                for part in word.strip(".;").split(".")[1:]:
                    found = getattr(found, part)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("contrib.layers.xavier_initializer", "tf.glorot_uniform_initializer is the same"),
        ("contrib.layers.python.nothing", advice.for_name("contrib.layers")),
        ("contrib.layers.dropout", "tf.layers.dropout may be meant"),
        ("contrib.rnn.BasicLSTMCell", "tf.nn.rnn_cell.BasicLSTMCell may be meant"),
        ("contrib.losses.mean_squared_error", "tf.losses.mean_squared_error may be meant"),
        ("compat.v1.mul", "tf.multiply does it"),
        ("nn.matmull", "docs/compatibility.md lists what there is"),
        ("matmull", "the nearest name is tf.matmul; docs/compatibility.md lists what there is"),
        ("nn.matmul", "tf.matmul may be meant; docs/compatibility.md lists what there is"),
        ("nothing.of.the.kind", "docs/compatibility.md lists what there is"),
    ],
)
def test_the_longest_path_that_fits_counts(path: str, text: str) -> None:
    assert advice.for_name(path) == text


def test_most_of_what_modules_of_tensorflow_hold_is_there() -> None:
    """Every listed name leads to the object of the public name, or nowhere."""
    found = total = 0
    for module, listed in names.listed().items():
        for name, path in listed.items():
            total += 1
            try:
                value = names.internal(module, name)
            except AttributeError:
                assert not there(path), (module, name, path)
                continue
            found += 1
            if there(path) and name not in names.UNLISTED.get(module, ""):
                assert value is names.public(path), (module, name)
    assert total > 3000
    assert found / total > 0.6


def test_generated_functions_take_positions() -> None:
    with icefloe.Graph().as_default():
        out = names.internal("ops.gen_math_ops", "add_v2")([1.0], [2.0], name="sum")
        assert (out.op.type, out.name) == ("AddV2", "sum:0")
    with pytest.raises(AttributeError):
        names.internal("ops.gen_math_ops", "no_such_op")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("", "public"),
        ("nn", "public"),
        ("compat.v1.train", "public"),
        ("saved_model.loader", "public"),
        ("python", "internal"),
        ("python.ops", "internal"),
        ("python.ops.array_ops", "internal"),
        ("python.ops.gen_array_ops", "internal"),
        ("python.training.checkpoint_management", "internal"),
        ("core.framework", "messages"),
        ("core.framework.graph_pb2", "messages"),
        ("contrib", None),
        ("python.nothing", None),
        ("python.ops.nothing", None),
        ("keras", None),
    ],
)
def test_kinds_of_modules(path: str, kind: str | None) -> None:
    assert facades.kind_of(path) == kind


@pytest.mark.parametrize(
    ("module", "name", "part"),
    [("icefloe", "contrib", "tf.contrib is not part of it"), ("icefloe", "keras", "icefloe.load_graph")]
    + [("icefloe", "mul", "tf.multiply does it"), ("icefloe.train", "SummaryWriter", "tf.summary.FileWriter does it")],
)
def test_icefloe_itself_advises(module, name, part):
    with pytest.raises(AttributeError, match=f"^module '{module}' has no attribute '{name}': ") as caught:
        getattr(importlib.import_module(module), name)
    assert part in str(caught.value)


def test_what_is_no_name_of_tensorflow_is_only_missing():
    for name in ("Sesion", "_repr_html_", "nonsense"):
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'$"):
            getattr(icefloe, name)
