"""Graphs, freezing, sessions (cases 64 to 78), by the library and by the command. 73 to 78 are in
tests/unit/test_session_cases.py, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.graph import graph_file

FREEZING = Path(__file__).resolve().parents[2] / "fixtures" / "freezing"
F = np.float32
OF_VARIABLES = ("Variable", "VariableV2", "VarHandleOp", "Assign", "AssignSub", "AssignVariableOp", "ReadVariableOp")


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as graph:
        yield graph


def run(path: Any, fetches: Any, feeds: dict[str, Any]) -> Any:
    """Import a graph as a program would, and run it."""
    with tf.Graph().as_default():
        tf.import_graph_def(tf.load_graph(path).as_graph_def(), name="")
        with tf.Session() as session:
            return session.run(fetches, feeds)


def kinds(path: Any) -> set[str]:
    definition = tf.load_graph(path).as_graph_def()
    return {n.op for n in definition.node} | {n.op for f in definition.library.function for n in f.node_def}


def expected(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    with np.load(FREEZING / name / "expected.npz") as file:
        arrays = dict(file)
    inputs = {key[3:]: value for key, value in arrays.items() if key.startswith("in/")}
    return inputs, {key[4:]: value for key, value in arrays.items() if key.startswith("out/")}


def test_64_an_average_that_a_conditional_updates(tmp_path, cli):
    """Frozen here it imports and gives TensorFlow's values; what TensorFlow froze is repaired and then does so too."""
    source, broken = FREEZING / "averages", FREEZING / "averages" / "frozen_by_tensorflow.pb"
    assert "RefSwitch" in kinds(broken)
    assert (
        cli("graph", "freeze", source / "model.meta", source / "model", "-o", tmp_path / "a.pb", "--fetch", "y").code
        == 0
    )
    assert cli("graph", "fix", broken, "-o", tmp_path / "b.pb").code == 0
    feeds, results = expected("averages")
    for name in ("a.pb", "b.pb"):
        assert not kinds(tmp_path / name) & {*OF_VARIABLES, "RefSwitch", "RefMerge"}
        np.testing.assert_allclose(run(tmp_path / name, "y:0", feeds), results["y:0"], rtol=1e-6)
        assert run(tmp_path / name, "y:0", {"x:0": F([[2, 4]]), "training:0": True}).shape == (1, 2)


@pytest.mark.parametrize("resource", [False, True])
def test_64_an_average_of_both_kinds_of_variables(tmp_path, resource):
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    training = tf.placeholder_with_default(False, [], name="training")
    mean = tf.get_variable("mean", initializer=F([1, 2]), trainable=False, use_resource=resource)

    def update() -> Any:
        with tf.control_dependencies([tf.assign(mean, mean * 0.9 + tf.reduce_mean(x, 0) * 0.1)]):
            return tf.identity(x)

    tf.identity(tf.cond(training, update, lambda: x - mean), name="y")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        wanted = session.run("y:0", {"x:0": F([[5, 5]])})
        frozen = tf.graphs.freeze(tf.get_default_graph(), session=session, outputs=["y"])
    tf.save_graph(frozen.graph_def, tmp_path / "f.pb")
    assert run(tmp_path / "f.pb", "y:0", {"x:0": F([[5, 5]])}).tolist() == wanted.tolist()


def test_65_slots_that_the_checkpoint_lacks(tmp_path, cli):
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    w = tf.get_variable("w", [4, 3])
    y = tf.nn.softmax(tf.matmul(x, w), name="y")
    weights_only = tf.train.Saver([w])
    tf.train.AdamOptimizer().minimize(tf.reduce_sum(y))
    everything = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        wanted = session.run(y, {x: np.eye(4, dtype=F)})
        weights_only.save(session, str(tmp_path / "m"), write_meta_graph=False, write_state=False)
    everything.export_meta_graph(tmp_path / "m.meta")
    for source in ((tmp_path / "m",), (tmp_path / "m.meta", tmp_path / "m")):
        result = cli("graph", "freeze", *source, "-o", tmp_path / "f.pb", "--json").json()
        assert result["outputs"] == ["y:0"]
        np.testing.assert_array_equal(run(tmp_path / "f.pb", "y:0", {"x:0": np.eye(4, dtype=F)}), wanted)
    assert not [n for n in tf.load_graph(tmp_path / "f.pb").as_graph_def().node if "Adam" in n.name]


def test_67_a_saved_model_of_calls_conditionals_and_loops(tmp_path, cli):
    assert cli("graph", "freeze", FREEZING / "nested", "-o", tmp_path / "f.pb").code == 0
    assert not kinds(tmp_path / "f.pb") & set(OF_VARIABLES)
    nodes = tf.load_graph(tmp_path / "f.pb").as_graph_def().node
    assert not {node.op for node in nodes} & {"StatefulPartitionedCall", "PartitionedCall"}
    feeds, results = expected("nested")
    outputs = [f"StatefulPartitionedCall:{i}" for i in range(len(results))]
    found = run(tmp_path / "f.pb", outputs, {f"serving_default_{name}:0": value for name, value in feeds.items()})
    for name, value in zip(sorted(results), found, strict=True):
        np.testing.assert_allclose(value, results[name], rtol=1e-6)


def training_graph(named: bool, softmax: bool) -> Any:
    """A network with an input pipeline, dropout, summaries, averages, Adam and a Saver."""
    queue = tf.FIFOQueue(10, [tf.float32], [[4]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(tf.random_uniform([4]))]))
    x = tf.placeholder_with_default(queue.dequeue_many(3), [None, 4], name="x")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    hidden = tf.nn.dropout(tf.layers.dense(x, 8, tf.nn.relu), tf.placeholder_with_default(1.0, [], name="keep"))
    logits = tf.layers.dense(hidden, 3)
    logits = tf.identity(logits, name="logits") if named else logits
    result = tf.nn.softmax(logits) if softmax else logits
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    right = tf.equal(tf.argmax(logits, 1), labels)
    tf.summary.scalar("accuracy", tf.reduce_mean(tf.cast(right, tf.float32)))
    tf.summary.scalar("loss", loss)
    tf.summary.merge_all()
    step = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer().minimize(loss, step)
    with tf.control_dependencies([train]):
        tf.train.ExponentialMovingAverage(0.9).apply(tf.trainable_variables())
    tf.group(tf.global_variables_initializer(), tf.local_variables_initializer(), name="init_all")
    return result


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("softmax", [False, True])
def test_68_inputs_and_outputs_of_a_training_graph(tmp_path, cli, named, softmax):
    result = training_graph(named, softmax)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        prefix = saver.save(session, str(tmp_path / "m"))
    data = cli("graph", "io", f"{prefix}.meta", "--json").json()
    names = [output["name"] for output in data["outputs"]]
    op = result.op.name if named or softmax else result.op.name.rpartition("/")[0]
    assert names[0] == result.name or names[0].startswith(op)
    wrong = ("gradients/", "save", "init", "Adam", "beta1_power", "ExponentialMovingAverage", "queue", "Merge")
    assert not [name for name in names if any(part in name for part in wrong)]
    assert {"x:0", "labels:0", "keep:0"} <= {i["name"] for i in data["inputs"]}
    assert cli("graph", "freeze", prefix, "-o", tmp_path / "f.pb", "--no-check").code == 0
    assert run(tmp_path / "f.pb", names[0], {"x:0": np.ones((2, 4), F)}).shape == (2, 3)


def definition(*nodes: Any) -> Any:
    """Return a GraphDef of nodes (name, op, inputs, attrs); an int is a dtype."""
    out = tf.proto.GraphDef()
    for name, op, inputs, attrs in nodes:
        node = out.node.add(name=name, op=op, input=inputs)
        for key, value in attrs.items():
            if isinstance(value, tf.proto.AttrValue):
                node.attr[key].CopyFrom(value)
            else:
                node.attr[key].type = value
    return out


def attr(**fields: Any) -> Any:
    return tf.proto.AttrValue(**fields)


LIST = tf.proto.AttrValue.ListValue
X = ("x", "Placeholder", [], {"dtype": 1})


@pytest.mark.parametrize(
    "node",
    [
        ("y", "Neg", ["x"], {"T": 1, "of_the_future": attr(b=False)}),
        ("y", "Neg", ["x"], {"T": 1, "of_the_future": attr(i=0)}),
        ("y", "Neg", ["x"], {"T": 1, "of_the_future": attr(s=b"")}),
        ("y", "Neg", ["x"], {"T": 1, "of_the_future": attr(list=LIST())}),
        ("y", "Neg", ["x"], {"T": 1, "_a_note": attr(s=b"anything")}),
        ("y", "Neg", ["x"], {"T": 1, "dtype": 1}),
    ],
    ids=lambda n: str(n[3]).replace("\n", " ")[:60],
)
def test_70_an_unknown_attr_that_says_nothing(node):
    assert run(definition(X, node), "y:0", {"x:0": F([1, 2])}).tolist() == [-1, -2]


def test_70_attrs_of_later_releases_that_are_known():
    nodes = [
        ("cast", "Cast", ["x"], {"SrcT": 1, "DstT": 3, "Truncate": attr(b=False)}),
        ("equal", "Equal", ["x", "x"], {"T": 1, "incompatible_shape_error": attr(b=True)}),
        ("old_cast", "Cast", ["x"], {"SrcT": 1, "DstT": 3}),
        ("old_equal", "Equal", ["x", "x"], {"T": 1}),
    ]
    found = run(definition(X, *nodes), ["cast:0", "equal:0", "old_cast:0", "old_equal:0"], {"x:0": F([1.5])})
    assert [value.tolist() for value in found] == [[1], [True], [1], [True]]


@pytest.mark.parametrize("value", [attr(b=True), attr(i=3), attr(s=b"EXPLICIT"), attr(list=LIST(i=[1, 1]))])
def test_70_an_unknown_attr_that_says_something(tmp_path, cli, value):
    broken = definition(X, ("y", "Neg", ["x"], {"T": 1, "of_the_future": value}), ("z", "Abs", ["x"], {"T": 1}))
    (tmp_path / "g.pb").write_bytes(broken.SerializeToString())
    with pytest.raises(errors.InvalidArgumentError, match="NodeDef mentions attr 'of_the_future' not in Op<name=Neg>"):
        run(broken, "y:0", {"x:0": F([1])})
    assert run(broken, "z:0", {"x:0": F([-1])}) == [1]  # what does not need it runs
    result = cli("run", tmp_path / "g.pb", "--feed", "x=[1]", "--fetch", "y")
    assert (result.code, "of_the_future" in result.err) == (1, True)
    result = cli("graph", "ops", tmp_path / "g.pb", "--fetch", "y")
    assert (result.code, "of_the_future" in result.out) == (1, True)
    assert cli("graph", "fix", tmp_path / "g.pb", "-o", tmp_path / "f.pb").code == 0
    assert run(tmp_path / "f.pb", "y:0", {"x:0": F([1])}) == [-1]


def test_72_more_constants_than_a_file_can_hold(tmp_path, cli, monkeypatch):
    large = tf.get_variable("large", initializer=np.ones(4000, F))
    tf.add(large, tf.constant(np.arange(3000, dtype=F).sum(), name="small"), name="y")
    tf.identity(tf.constant(np.arange(5000, dtype=F), name="table"), name="t")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        prefix = tf.train.Saver().save(session, str(tmp_path / "m"))
    kept = sorted(path.name for path in tmp_path.iterdir())
    monkeypatch.setattr(graph_file, "MAX_FILE", 12_000)
    with pytest.raises(errors.InvalidArgumentError, match=r"(?s)no protocol buffer holds more.*table"):
        tf.save_graph(tf.get_default_graph(), tmp_path / "g.pb")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(errors.InvalidArgumentError, match="16,000 bytes  large"):
            tf.graphs.freeze(tf.get_default_graph(), session=session, outputs=["y"])
    assert sorted(path.name for path in tmp_path.iterdir()) == kept
    monkeypatch.undo()
    result = cli("graph", "unconst", f"{prefix}.meta", tmp_path / "external", "--min-bytes", 10000, "--fetch", "t")
    assert result.code == 0
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(str(tmp_path / "external.meta")).restore(session, str(tmp_path / "external"))
        assert session.run("t:0").tolist() == list(range(5000))


@pytest.mark.parametrize("expected", [pytest.param(True, id="resource"), pytest.param(False, id="reference")])
def test_73_a_variable_and_its_update(expected):
    v = tf.get_variable("v", initializer=F(0), use_resource=expected)
    update = tf.assign_add(v, 1)
    with tf.Session() as session:
        session.run(v.initializer)
        found = [tuple(session.run([v, update])) for _ in range(1000)]
        other = [tuple(session.run([update, v])) for _ in range(1000)]
    before = [(i if expected else i + 1, i + 1) for i in range(1000)]
    assert found == before
    assert other == [(a + 1000, b + 1000) for b, a in before]


def test_74_what_is_fed_may_be_fetched(cli, tmp_path):
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.add(x, 1, name="y")
    with tf.Session() as session:
        value, fed = session.run([x, y], {x: [1, 2], y: [7, 8]})
        assert (value.tolist(), fed.tolist()) == ([1, 2], [7, 8])
        handle = session.partial_run_setup([x, y], [x])
        value, result = session.partial_run(handle, [x, y], {x: [1, 2]})
        assert (value.tolist(), result.tolist()) == ([1, 2], [2, 3])
    tf.save_graph(tf.get_default_graph(), tmp_path / "g.pb")
    result = cli("run", tmp_path / "g.pb", "--feed", "x=[1,2]", "--fetch", "x", "--fetch", "y", "--json").json()
    assert len(result["fetches"]) == 2


def test_77_names_of_feeds_and_fetches_by_the_command(cli, tmp_path):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    tf.identity(x * 2, name="out")
    tf.split(x, 3, axis=1, name="parts")
    tf.save_graph(tf.get_default_graph(), tmp_path / "g.pb")
    for feed in ("x", "x:0"):
        for fetch in ("out", "out:0"):
            assert cli("run", tmp_path / "g.pb", "--feed", f"{feed}=[[1,2,3]]", "--fetch", fetch).code == 0
    result = cli("run", tmp_path / "g.pb", "--feed", "x=[[1,2,3]]", "--fetch", "parts")
    assert result.code == 2
    assert "3 outputs" in result.err
    result = cli("run", tmp_path / "g.pb", "--feed", "x=[[1,2]]", "--fetch", "out")
    assert result.code == 1
    assert "(1, 2)" in result.err
    assert "(?, 3)" in result.err
    result = cli("run", tmp_path / "g.pb", "--fetch", "outt")
    assert result.code in (1, 2)
    assert "out" in result.err


def test_78_a_missing_feed_by_the_command(cli, tmp_path):
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    tf.identity(tf.square(x, name="squared"), name="out")
    tf.save_graph(tf.get_default_graph(), tmp_path / "g.pb")
    result = cli("run", tmp_path / "g.pb", "--fetch", "out")
    assert result.code == 1
    assert "placeholder tensor 'x'" in result.err
    assert "out <- squared <- x" in result.err
