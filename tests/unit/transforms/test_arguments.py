"""Arguments of a wrong kind are told apart by name, and a name that is not there is no name of nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors

GRAPHS = tf.graphs


@pytest.fixture
def session() -> Any:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as made:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        weights = tf.Variable(np.ones((2, 2), np.float32), name="weights", use_resource=False)
        tf.matmul(x, weights, name="y")
        made.run(weights.initializer)
        yield made


@pytest.mark.parametrize("wrong", [3, b"y", 1.5, object()], ids=lambda v: type(v).__name__)
def test_names_of_tensors(session: Any, wrong: Any) -> None:
    for argument in ("outputs", "inputs", "keep_variables"):
        with pytest.raises(TypeError, match="expected names of tensors"):
            GRAPHS.freeze(session.graph, session=session, **{"outputs": ["y"], argument: wrong})
    with pytest.raises(TypeError, match="expected names of tensors"):
        GRAPHS.optimize(session.graph, wrong)


@pytest.mark.parametrize("nothing", [None, [], ()])
def test_no_inputs(session: Any, nothing: Any) -> None:
    frozen = GRAPHS.freeze(session.graph, session=session, outputs="y", inputs=nothing, keep_variables=nothing)
    assert frozen.check.status == "equal"


@pytest.mark.parametrize("wrong", [3, "x", [], tf.Graph], ids=repr)
def test_sessions(session: Any, wrong: Any) -> None:
    with pytest.raises(TypeError, match="expected a Session as 'session'"):
        GRAPHS.freeze(session.graph, session=wrong, outputs="y")


@pytest.mark.parametrize("kept", ["weights", "weights:0", ["weights"]])
def test_variables_that_stay(session: Any, kept: Any) -> None:
    frozen = GRAPHS.freeze(session.graph, session=session, outputs="y", keep_variables=kept, check=False)
    assert "VariableV2" in {node.op for node in frozen.graph_def.node}


@pytest.mark.parametrize(("kept", "hint"), [("weight", "did you mean 'weights'"), ("y", "no variable 'y' to keep")])
def test_variables_that_are_none(session: Any, kept: str, hint: str) -> None:
    with pytest.raises(errors.NotFoundError, match=hint):
        GRAPHS.freeze(session.graph, session=session, outputs="y", keep_variables=kept)


@pytest.mark.parametrize("wrong", [1.10, 3, None, b"1.4"], ids=repr)
def test_releases(session: Any, wrong: Any) -> None:
    with pytest.raises(TypeError, match="expected a release as text, such as '1.15'"):
        GRAPHS.downgrade(session.graph, wrong)


@pytest.mark.parametrize("wrong", [None, 3, "x=y", ["x=y"]], ids=repr)
def test_mappings(session: Any, wrong: Any) -> None:
    with pytest.raises(TypeError, match="rename: expected a dict"):
        GRAPHS.rename(session.graph, wrong)
    with pytest.raises(TypeError, match="stitch: expected a dict"):
        GRAPHS.stitch(session.graph, session.graph, wrong)
