"""What people did with sessions and what went wrong: each test is a case by its number."""

from __future__ import annotations

import inspect
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf

SEEDS = Path(__file__).resolve().parents[2] / "fixtures" / "sessions" / "seeds.npz"


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


@pytest.mark.parametrize(("use_resource", "expected"), [(False, (2, 2)), (True, (1, 2))])
def test_73_a_variable_fetched_with_its_update_is_always_the_same(use_resource: bool, expected: Any) -> None:
    """A reference is read when everything has run; a resource variable is read before it is written."""
    v = tf.Variable(1, use_resource=use_resource)
    add = tf.assign_add(v, 1)
    with tf.Session() as s:
        for i in range(1000):
            if i % 100 == 0:
                s.run(v.initializer)
            before = i % 100
            fetches = [v, add] if i % 2 else [add, v]
            found = s.run(fetches)
            assert (found if i % 2 else found[::-1]) == [before + expected[0], before + expected[1]]


def test_74_a_fed_tensor_may_be_fetched() -> None:
    a, b = tf.placeholder(tf.float32, [], name="a"), tf.placeholder(tf.float32, [2], name="b")
    total = a + b
    fed = np.array([1, 2], np.float32)
    with tf.Session() as s:
        found = s.run([a, b, total], {a: 1, b: fed})
        assert found[0] == 1 and found[1].tolist() == [1, 2] and found[2].tolist() == [2, 3]
        found[1][0] = 7
        assert fed[0] == 1  # what is fetched is the caller's own
        assert s.run(total, {total: [5, 6]}).tolist() == [5, 6]
        h = s.partial_run_setup([a, b, total], [a, b])
        assert s.partial_run(h, a, {a: 1}) == 1
        assert s.partial_run(h, [b, total], {b: fed})[1].tolist() == [2, 3]


def drawn(name: str, graph_seed: int | None, op_seed: int | None) -> Any:
    tf.set_random_seed(graph_seed)
    tf.constant(0)
    return getattr(tf, name)([5], seed=op_seed)


@pytest.mark.parametrize("key", sorted(np.load(SEEDS)))
def test_76_seeds_give_tensorflows_numbers(key: str) -> None:
    name, graph_seed, op_seed = key.split()
    made = drawn(name, *(None if seed == "None" else int(seed) for seed in (graph_seed, op_seed)))
    with tf.Session() as s:
        np.testing.assert_array_equal(np.stack([s.run(made) for _ in range(2)]), np.load(SEEDS)[key])


def weights(nodes_before: int, **config: Any) -> dict[str, list[float]]:
    """Return what variables start with in a graph that has `nodes_before` random nodes more."""
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        for _ in range(nodes_before):
            tf.random_uniform([])
        for name in ("first", "second"):
            tf.get_variable(name, [3], initializer=tf.random_normal_initializer())
        with tf.Session(config=tf.Config(**config)) as s:
            s.run(tf.global_variables_initializer())
            return {v.op.name: s.run(v).tolist() for v in tf.global_variables()}


def test_76_a_node_more_shifts_no_initial_weight_where_seeds_go_by_name() -> None:
    """The seed that TensorFlow gives an op counts the random ops before it; by name it does not."""
    assert weights(0) != weights(1)
    by_name = weights(0, seed=1)
    assert by_name == weights(1, seed=1) == weights(7, seed=1)
    assert by_name["first"] != by_name["second"]
    assert by_name != weights(0, seed=2)


def test_76_a_stream_by_name_goes_on_over_runs() -> None:
    x = tf.random_uniform([2])
    found = []
    for _ in range(2):
        with tf.Session(config=tf.Config(seed=5)) as s:
            found.append([s.run(x).tolist() for _ in range(3)])
    assert found[0] == found[1] and len({tuple(v) for v in found[0]}) == 3


def test_77_the_name_of_an_operation_with_one_output_is_a_feed() -> None:
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    tf.split(x, 3, axis=1, name="parts")
    out = tf.identity(x * 2.0, name="out")
    value = np.ones((1, 3))
    with tf.Session() as s:
        for key in ("x", "x:0", x, x.op):
            assert s.run("out:0", {key: value}).tolist() == [[2, 2, 2]]
        assert s.run("out", {"x": value}) is None  # as a fetch it is the operation, as in TensorFlow
        with pytest.raises(TypeError, match="Cannot interpret feed_dict key as Tensor: .*parts"):
            s.run(out, {"parts": value})
        with pytest.raises(ValueError, match=r"Cannot feed value of shape \(3,\) for Tensor x:0, .* shape \(\?, 3\)"):
            s.run(out, {"x": np.ones(3)})


def test_78_a_missing_feed_tells_who_needs_it() -> None:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    v = tf.Variable([[1.0], [2.0]], name="v")
    out = tf.identity(tf.matmul(tf.square(x, name="squared"), v, name="product"), name="out")
    with tf.Session() as s:
        s.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            s.run(out)
    assert caught.value.message.startswith("You must feed a value for placeholder tensor 'x' with dtype float")
    assert caught.value.trail == ("out", "product", "squared", "x")
    assert "needed by: out <- product <- squared <- x" in str(caught.value)


def test_an_error_shows_the_line_that_built_the_node() -> None:
    x = tf.placeholder(tf.float32, [None])
    y = tf.add(x, [1.0, 2.0], name="sum")
    line = inspect.currentframe().f_lineno - 1  # type: ignore[union-attr]
    with tf.Session() as s, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        s.run(tf.square(y), {x: [1, 2, 3]})
    assert caught.value.defined_at == (__file__, line, "test_an_error_shows_the_line_that_built_the_node")
    assert f"built at {__file__}:{line}, in test_an" in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))).count("built at") == 1


def test_every_field_of_a_config_proto_is_taken() -> None:
    config = tf.ConfigProto(
        device_count={"CPU": 2, "GPU": 0},
        intra_op_parallelism_threads=1,
        inter_op_parallelism_threads=1,
        use_per_session_threads=True,
        allow_soft_placement=True,
        log_device_placement=True,
        device_filters=["/job:x"],
        placement_period=3,
        isolate_session_state=True,
        operation_timeout_in_ms=20_000,
        gpu_options=tf.GPUOptions(allow_growth=True, per_process_gpu_memory_fraction=0.5),
        graph_options=tf.GraphOptions(
            infer_shapes=True,
            place_pruned_graph=True,
            optimizer_options=tf.OptimizerOptions(opt_level=tf.OptimizerOptions.L0, do_function_inlining=True),
        ),
    )
    config.graph_options.rewrite_options.constant_folding = 2
    config.experimental.collective_group_leader = "x"
    with tf.device("/gpu:7"):
        c = tf.constant(3.0) + 1.0
    with tf.Session(config=config) as s:
        assert s.run(c) == 4
        assert len(s.list_devices()) == 2
        assert "_output_shapes" in s.graph_def.node[0].attr
    with pytest.raises(TypeError, match="must be a tf.ConfigProto"):
        tf.Session(config={"device_count": 1})


@pytest.mark.parametrize("engine", ["interpret", "codegen", "general"])
@pytest.mark.parametrize(("use_resource", "expected"), [(False, [11, 12]), (True, [1, 2])])
def test_a_value_read_before_an_update_and_used_after_it(use_resource: bool, expected: list[int], engine: str) -> None:
    """A reference stands for the variable as it is when it is used; a read of a resource variable is a snapshot."""
    v = tf.Variable([1.0, 2.0], use_resource=use_resource)
    read = tf.identity(v) if not use_resource else v.read_value()
    with tf.control_dependencies([read]):
        update = tf.assign_add(v, [10.0, 10.0])
    with tf.control_dependencies([update]):
        used = tf.identity(read) * 1.0
    with tf.Session(config=tf.Config(engine=engine)) as s:
        s.run(v.initializer)
        assert s.run(used).tolist() == expected


@pytest.mark.parametrize("use_resource", [False, True])
def test_an_array_changed_after_it_was_fed_into_an_assign(use_resource: bool) -> None:
    x = tf.placeholder(tf.float32, [2])
    v = tf.Variable([0.0, 0.0], use_resource=use_resource)
    assign = tf.assign(v, x)
    passed = tf.assign(v, tf.identity(x))
    with tf.Session() as s:
        for op in (assign, passed):
            value = np.array([1, 2], np.float32)
            s.run(op.op, {x: value})
            value[:] = 7
            assert s.run(v).tolist() == [1, 2]
