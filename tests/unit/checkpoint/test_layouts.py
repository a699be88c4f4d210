"""Each kind of layout, element by element, and what a graph says of its variables."""

from __future__ import annotations

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.checkpoint.converting import layout_choice, layouts
from icefloe.checkpoint.converting.layout_graph import readers_of_variables
from icefloe.checkpoint.converting.layouts import KINDS, Reordering, original_of

# Kind -> where PyTorch has the element that TensorFlow has at an index: W, H, D places of a window, I, O channels in
# and out, C, M channels and multiplier, of M.
PLACES = {
    "dense": lambda i, o: (o, i),
    "conv1d": lambda w, i, o: (o, i, w),
    "conv2d": lambda h, w, i, o: (o, i, h, w),
    "conv3d": lambda d, h, w, i, o: (o, i, d, h, w),
    "conv1d_transpose": lambda w, o, i: (i, o, w),
    "conv2d_transpose": lambda h, w, o, i: (i, o, h, w),
    "conv3d_transpose": lambda d, h, w, o, i: (i, o, d, h, w),
    "depthwise1d": lambda w, c, m: (c * MULTIPLIER + m, 0, w),
    "depthwise2d": lambda h, w, c, m: (c * MULTIPLIER + m, 0, h, w),
}
MULTIPLIER = 5
SIZES = {"dense": (2, 5), "depthwise1d": (2, 3, 5), "depthwise2d": (2, 4, 3, 5)}


def kernel(kind):
    shape = SIZES.get(kind) or (2, 4, 6, 3, 5)[-PLACES[kind].__code__.co_argcount :]
    return np.arange(np.prod(shape), dtype=np.int32).reshape(shape)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("window", [8, 64, 4 << 20])
def test_every_element_has_its_place(kind, window, monkeypatch):
    monkeypatch.setattr(layouts, "_WINDOW", window)
    value = kernel(kind)
    change = Reordering(kind, value.shape)
    moved = change.apply(value)
    assert moved.shape == change.result
    for index in np.ndindex(*value.shape):
        assert moved[PLACES[kind](*index)] == value[index]
    back = Reordering(kind, value.shape, back=True)
    assert np.array_equal(back.apply(moved), value)
    assert np.array_equal(np.concatenate(list(change.pieces(value))), moved.reshape(-1))
    assert np.array_equal(np.concatenate(list(back.pieces(moved))), value.reshape(-1))


def test_a_side_entry_of_more_elements_than_there_can_be():
    assert original_of({"name": "w", "layout": "dense"}, "v", (3, 1 << 40)).fits((1 << 40, 3))
    with pytest.raises(errors.DataLossError, match="cannot have been dense"):
        original_of({"name": "w", "layout": "dense"}, "v", (1 << 22, 1 << 40))


def test_which_operand_of_a_product_is_the_kernel(tmp_path):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, (4, 4))

        def variable(name):
            return tf.get_variable(name, (4, 4))

        tf.matmul(x, variable("right"))
        tf.matmul(x, variable("right_transposed"), transpose_b=True)
        tf.matmul(variable("left"), x)
        tf.matmul(variable("left_transposed"), x, transpose_a=True)
        parts = tf.get_variable("parts", (4, 4), partitioner=tf.fixed_size_partitioner(2))
        tf.matmul(x, parts)
        tf.train.export_meta_graph(str(tmp_path / "m.meta"), graph=graph)
    found = readers_of_variables(str(tmp_path / "m.meta"))
    assert {name: next(iter(asked)) for name, asked in found.items()} == {
        "right": "dense",
        "right_transposed": "keep",
        "left": "keep",
        "left_transposed": "dense",
        "parts": "dense",
    }


def test_slots_go_with_their_variable_where_they_have_its_shape():
    shapes = {"w": (3, 4), "w/Adam": (3, 4), "w/rows": (4, 3), "w/total": (), "v": (3, 4), "v/Adam": (3, 4)}
    owners = {"w/Adam": "w", "w/rows": "w", "w/total": "w", "v/Adam": "v"}
    found = layout_choice.choose(shapes, {}, [("w", "dense"), ("none/*", "dense")], owners, {})
    assert found.kinds == {"w": "dense", "w/Adam": "dense"}
    assert found.reasons == {"w": "rule w=dense", "w/Adam": "as w"}
    assert found.left == {
        "v": "its name does not say what reads it",
        "w/rows": "of another shape than w",
        "v/Adam": "as v",
    }
    assert found.unmatched == ["none/*"]
