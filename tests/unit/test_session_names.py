"""Names that are not in the graph: TensorFlow's words, and what was perhaps meant behind them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import icefloe as tf
from icefloe.near_names import near_names


@pytest.fixture
def session() -> Iterator[Any]:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [], name="inputs/image")
        with tf.name_scope("model"):
            tf.nn.softmax(tf.reshape(x * 2.0, [1]), name="Probabilities")
        tf.group(x, name="train_op")
        with tf.Session() as made:
            yield made


def lookups(session: Any) -> dict[str, Callable[[str], Any]]:
    graph = session.graph
    return {
        "get_tensor_by_name": graph.get_tensor_by_name,
        "get_operation_by_name": graph.get_operation_by_name,
        "as_graph_element": graph.as_graph_element,
        "fetch": session.run,
        "feed": lambda name: session.run("model/Probabilities:0", {name: 1.0}),
        "partial_fetch": lambda name: session.partial_run_setup(name, []),
        "partial_feed": lambda name: session.partial_run_setup("model/Probabilities:0", [name]),
    }


@pytest.mark.parametrize(
    ("how", "name", "said", "hint"),
    [
        ("get_tensor_by_name", "model/Probabilites:0", "which does not exist", "'model/Probabilities:0'"),
        ("get_tensor_by_name", "probabilities:0", "does not exist in the graph.", "'model/Probabilities:0'"),
        (
            "get_tensor_by_name",
            "model/Probabilities",
            "refers to an Operation, not a Tensor",
            "'model/Probabilities:0'",
        ),
        ("get_tensor_by_name", "image", "looks like an (invalid) Operation name", "'inputs/image:0'"),
        ("get_operation_by_name", "trian_op", "refers to an Operation not in the graph.", "'train_op'"),
        ("as_graph_element", "inputs/imgae", "refers to an Operation not in the graph.", "'inputs/image'"),
        ("fetch", "model/Probabilites:0", "cannot be interpreted as a Tensor", "'model/Probabilities:0'"),
        ("fetch", "train_opp", "cannot be interpreted as a Tensor", "'train_op'"),
        ("feed", "image:0", "Cannot interpret feed_dict key as Tensor", "'inputs/image:0'"),
        ("feed", "inputs/imag", "Cannot interpret feed_dict key as Tensor", "'inputs/image:0'"),
        ("partial_fetch", "Model/probabilities:0", "cannot be interpreted as a Tensor", "'model/Probabilities:0'"),
        ("partial_feed", "inputs/images:0", "as Tensor", "'inputs/image:0'"),
    ],
)
def test_what_was_perhaps_meant(session: Any, how: str, name: str, said: str, hint: str) -> None:
    with pytest.raises((KeyError, ValueError, TypeError)) as caught:
        lookups(session)[how](name)
    text = caught.value.args[0]
    assert re.search(f"{re.escape(said)}.* Did you mean {re.escape(hint)}", text), text


def test_nothing_is_said_where_nothing_is_near(session: Any) -> None:
    with pytest.raises(KeyError) as caught:
        session.graph.get_tensor_by_name("zzz:0")
    assert caught.value.args[0] == (
        "The name 'zzz:0' refers to a Tensor which does not exist. The operation, 'zzz', does not exist in the graph."
    )


def test_an_operation_without_outputs_is_no_tensor(session: Any) -> None:
    with pytest.raises(ValueError, match="refers to an Operation, not a Tensor") as caught:
        session.graph.get_tensor_by_name("train_op")
    assert "mean" not in caught.value.args[0]


def test_the_end_of_a_path_is_enough_among_many_names() -> None:
    known = {f"tower_{i // 100}/layer_{i % 100}/weights_{i}": None for i in range(20_000)}
    assert near_names("weights_507", known)[0] == "tower_5/layer_7/weights_507"
    assert near_names("tower_5/layer_7/weights_5O7", known)[0].startswith("tower_")
