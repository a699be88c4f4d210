"""What a session tells about runs: RunMetadata, traces, plans as text, checks for NaN and Inf, numbers."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe.runtime.chrome_trace import Timeline

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def small() -> tuple[Any, Any]:
    x = tf.placeholder(tf.float32, [2, 2], name="x")
    w = tf.constant(np.ones((2, 2), np.float32), name="w")
    y = tf.matmul(x, w, name="y")
    parts = tf.split(y, 2, name="parts")
    return x, tf.tanh(parts[0] * parts[1], name="out")


def full_trace(fetches: Any, feeds: Any, **config: Any) -> Any:
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
    with tf.Session(config=tf.Config(**config)) as s:
        s.run(tf.initializers_of(tf.get_default_graph()))
        s.run(fetches, feeds, options=options, run_metadata=metadata)
    return metadata


def test_step_stats() -> None:
    x, out = small()
    metadata = full_trace(out, {x: np.ones((2, 2))})
    (device,) = metadata.step_stats.dev_stats
    assert device.device == CPU
    nodes = {node.node_name: node for node in device.node_stats}
    assert list(nodes) == ["w", "y", "parts/split_dim", "parts", "mul", "out"]
    assert nodes["parts"].timeline_label == "parts = Split(parts/split_dim, y)"
    assert nodes["mul"].timeline_label == "mul = Mul(parts, parts:1)"
    slots = [(o.slot, [d.size for d in o.tensor_description.shape.dim]) for o in nodes["parts"].output]
    assert slots == [(0, [1, 2]), (1, [1, 2])]
    memory = nodes["y"].output[0].tensor_description
    assert memory.dtype == tf.float32.as_datatype_enum and memory.allocation_description.requested_bytes == 16
    times = [node.all_start_nanos for node in device.node_stats]
    assert times == sorted(times) and all(node.all_end_rel_micros >= 1 for node in device.node_stats)


def test_nodes_are_on_the_cpus_they_ask_for() -> None:
    with tf.device("/cpu:0"):
        a = tf.constant(1.0, name="a")
    with tf.device("/cpu:1"):
        b = tf.negative(a, name="b")
    with tf.device("/device:CPU:7"):
        c = tf.negative(b, name="c")
    for cpus, expected in ((2, {f"{CPU}": {"a", "c"}, f"{CPU[:-1]}1": {"b"}}), (1, {CPU: {"a", "b", "c"}})):
        stats = full_trace(c, {}, cpu_devices=cpus).step_stats
        assert {d.device: {n.node_name for n in d.node_stats} for d in stats.dev_stats} == expected


def test_partition_graphs_hold_what_ran() -> None:
    x, out = small()
    tf.identity(out, name="not_needed")
    (graph,) = full_trace(out, {x: np.ones((2, 2))}).partition_graphs
    nodes = {node.name: node for node in graph.node}
    assert set(nodes) == {"_arg_x_0_0", "w", "y", "parts/split_dim", "parts", "mul", "out", "_retval_out_0_0"}
    assert list(nodes["y"].input) == ["_arg_x_0_0", "w"] and nodes["y"].device == CPU
    assert nodes["_arg_x_0_0"].op == "_Arg" and nodes["_retval_out_0_0"].attr["T"].type == 1


def test_metadata_without_options_is_emptied() -> None:
    x, out = small()
    metadata = full_trace(out, {x: np.ones((2, 2))})
    with tf.Session() as s:
        s.run(out, {x: np.ones((2, 2))}, run_metadata=metadata)
    assert metadata == tf.RunMetadata()


def test_cost_graph_every_second_run_after_one() -> None:
    x, out = small()
    options = tf.ConfigProto(graph_options=tf.GraphOptions(build_cost_model=2, build_cost_model_after=1))
    found = []
    with tf.Session(config=options) as s:
        for _ in range(5):
            metadata = tf.RunMetadata()
            s.run(out, {x: np.ones((2, 2))}, run_metadata=metadata)
            assert not metadata.HasField("step_stats")
            found.append({node.name: node for node in metadata.cost_graph.node})
    assert [bool(nodes) for nodes in found] == [False, False, True, False, True]
    nodes = found[2]
    assert nodes["out"].is_final and nodes["out"].input_info[0].preceding_node == nodes["mul"].id
    assert nodes["mul"].input_info[1].preceding_port == 1
    assert nodes["y"].compute_cost >= 1 and nodes["y"].output_info[0].size == 16


def test_timeline_of_a_run() -> None:
    x, out = small()
    stats = full_trace(out, {x: np.ones((2, 2))}).step_stats
    events = json.loads(Timeline(stats).generate_chrome_trace_format(show_memory=True))["traceEvents"]
    assert [e["args"]["name"] for e in events if e["ph"] == "X"] == ["w", "y", "parts/split_dim", "parts", "mul", "out"]
    assert Timeline(stats).analyze_step_stats().allocator_maximums["cpu"].num_bytes > 0


def test_stats_of_variables_strings_loops_and_dead_values() -> None:
    v = tf.Variable([1.0, 2.0], use_resource=False, name="v")
    handle = tf.Variable([1.0], use_resource=True, name="r")
    text = tf.constant([b"abc", b"d"], name="text")
    _, y = tf.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, y * v), [0, v + 0.0])
    metadata = full_trace([y, text, handle], {})
    nodes = metadata.step_stats.dev_stats[0].node_stats
    assert sum(node.node_name == "while/mul" for node in nodes) == 2
    by_name = {node.node_name: node for node in nodes}
    assert by_name["text"].output[0].tensor_description.allocation_description.requested_bytes == 4
    assert by_name["v"].output[0].tensor_description.shape.dim[0].size == 2
    assert [o.slot for o in by_name["while/Switch"].output] == [0]  # at last: the other is dead


def test_stats_of_functions_go_by_the_path_of_the_call() -> None:
    tf.enable_control_flow_v2()
    try:
        y = tf.while_loop(lambda i: i < 3, lambda i: tf.add(i, 1, name="more"), [tf.constant(0)], name="loop")
    finally:
        tf.disable_control_flow_v2()
    nodes = full_trace(y, {}).step_stats.dev_stats[0].node_stats
    assert sum(node.node_name in ("loop/body/more", "loop/body/more_0") for node in nodes) == 3
    assert sum(node.node_name == "loop" for node in nodes) == 1


def test_trace_step_by_step() -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    v = tf.Variable(1.0, use_resource=True, name="v")
    tripled = tf.multiply(x, 3.0, name="tripled")
    with tf.control_dependencies([tripled]):
        added = tf.assign_add(v, tripled)
    with tf.Session() as s:
        s.run(v.initializer)
        steps = s.trace(added, {x: 2})
        names = []
        for name, values, seconds in steps:
            names.append(name)
            assert seconds >= 0
            if name == "tripled":
                assert values == [6] and s.run(v) == 1  # the rest has not run
                break
        steps.close()
        assert names[-1] == "tripled" and s.run(v) == 1
        last = list(s.trace(added, {x: 2}))[-1]
        assert last[1] == [7] and s.run(v) == 7


def test_traced_values_are_the_callers_own() -> None:
    x = tf.placeholder(tf.float32, [3], name="x")
    y = tf.identity(tf.square(x), name="y")
    z = tf.negative(y, name="z")
    with tf.Session() as s:
        for name, values, _ in s.trace(z, {x: [1, 2, 3]}):
            if name == "Square":
                values[0][:] = 0
            if name == "z":
                assert values[0].tolist() == [-1, -4, -9]


def test_trace_of_an_error() -> None:
    x = tf.placeholder(tf.float32, [None])
    y = tf.add(tf.square(x), [1.0, 2.0, 3.0], name="sum")
    with tf.Session() as s:
        steps = s.trace(y, {x: [1, 2]})
        assert next(steps)[0] == "Square"
        with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes") as caught:
            list(steps)
        assert caught.value.node == "sum"


def test_explain() -> None:
    x, out = small()
    v = tf.Variable([[2.0, 1.0]], use_resource=False, name="v")
    _, y = tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y + v), [0, out])
    with tf.Session() as s:
        text = s.explain([y, v.op])
        assert s.stats().variables == 0  # nothing has run
        s.run(v.initializer)
        s.run([y, v.op], {x: np.ones((2, 2))})
        assert s.stats().misses == 2  # the explained plan is that of the run
    lines = [line.split(maxsplit=1) for line in text.splitlines()]
    assert (
        ["feed", "x:0 float32 (2, 2)"] in lines
        and ["target", "v"] in lines
        and ["fetch", f"{y.name} float32 (1, 2)"] in lines
    )
    assert ["constant", "w = Const()"] in lines and ["handle", "v = VariableV2()"] in lines
    assert ["passed", "while/Identity = Identity(while/Switch:1)"] in lines
    numbered = [rest for first, *others in lines for rest in others if first.isdigit()]
    assert "y = MatMul(x:0, w:0) -> float32 (2, 2)" in numbered
    assert "loop while/LoopCond over 2 variables, while" in numbered
    assert numbered.index("while/Less = Less(while/Merge:0, while/Less/y:0) -> bool ()") < numbered.index(
        "while/add_1 = AddV2(while/Identity_1:0, while/add_1/Enter:0) -> float32 (1, 2)"
    )


def test_explain_tells_constants_from_what_is_merged() -> None:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    product = tf.matmul(x, tf.Variable([[2.0], [1.0]], use_resource=False), name="product")
    out = tf.nn.relu(tf.nn.bias_add(product, tf.square([1.0], name="bias"), name="sum"), name="out")
    with tf.Session() as s:
        fates = {line.split()[1]: line.split()[0] for line in s.explain(out).splitlines()[1:]}
    assert fates["bias"] == "constant"
    assert "merged" in (fates["sum"], fates["out"]) and "constant" not in (fates["product"], fates["sum"], fates["out"])


def test_explain_names_the_engine_and_what_may_be_dead(graph: Any) -> None:
    p = tf.placeholder(tf.bool, [], name="p")
    out = tf.cond(p, lambda: tf.constant(1.0) * 2.0, lambda: tf.constant(2.0))
    with tf.Session() as s:
        assert "Mul" in s.explain(out) and "(may be dead)" in s.explain(out, {p: True})
        assert "on the interpret engine" in s.explain(out)
        s.make_callable(out, [p])
        assert "on the codegen engine" in s.explain(out)
    with tf.Session(config=tf.Config(engine="general")) as s:
        assert "on the general engine" in s.explain(out)


def checked() -> Any:
    return tf.Session(config=tf.Config(check_numerics=True))


def test_the_first_node_that_makes_an_inf_is_named() -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    quotient = tf.realdiv(tf.constant(1.0), x - 1.0, name="quotient")
    out = tf.exp(quotient, name="out")
    with checked() as s:
        assert s.run(out, {x: [2, 3]}).tolist() == np.exp(np.float32([1, 0.5])).tolist()
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            s.run(out, {x: [2, 1]})
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"made 1 Inf .* in output 0") as second:
            s.run(out, {x: [2, 1.001]})
    assert caught.value.node == "quotient"
    assert caught.value.message == (
        "made 1 Inf (the first at (1,)) in output 0 of shape [2]. Inputs there: Const:0 = 1.0, sub:0 = 0.0"
    )
    assert second.value.node == "out"


def test_inputs_that_do_not_broadcast_are_told_by_their_range() -> None:
    x = tf.placeholder(tf.float32, [2, 2], name="x")
    y = tf.matmul(x, tf.fill([2, 3], 3e38), name="y")
    with checked() as s, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        s.run(y, {x: [[1, 0], [5, 7]]})
    assert "made 3 Inf (the first at (1, 0))" in caught.value.message
    assert "x:0 [2,2] from 0.0 to 7.0" in caught.value.message


def test_a_nan_made_of_infs_is_made_where_they_meet() -> None:
    big = tf.placeholder(tf.float64, [], name="big")
    with checked() as s:
        assert s.run(big * 2.0, {big: np.inf}) == np.inf  # handed on, not made
        with pytest.raises(tf.errors.InvalidArgumentError, match="made 1 NaN in output 0") as caught:
            s.run(tf.identity(tf.subtract(big, big, name="difference")), {big: np.inf})
    assert caught.value.node == "difference"


def test_a_nan_that_came_in_is_told_apart() -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.negative(x, name="y")
    c = tf.negative(tf.constant(np.nan), name="c")
    with checked() as s:
        with pytest.raises(tf.errors.InvalidArgumentError, match="y:0 has 1 NaN .* with the feed x:0"):
            s.run(y, {x: [1, np.nan]})
        with pytest.raises(tf.errors.InvalidArgumentError, match="with a constant or a variable"):
            s.run(c)
        assert s.run(tf.where(tf.is_nan(x), [7.0, 7.0], x), {x: [1, np.nan]}).tolist() == [1, 7]


def test_numerics_inside_loops_and_functions() -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    _, y = tf.while_loop(lambda i, _: i < 9, lambda i, y: (i + 1, tf.multiply(y, y, name="square")), [0, x])
    tf.enable_control_flow_v2()
    try:
        z = tf.cond(x > 0, lambda: tf.log(x - 5.0, name="log"), lambda: x, name="choice")
    finally:
        tf.disable_control_flow_v2()
    with checked() as s:
        for out, node in ((y, "while/square"), (z, "choice/then_branch/log")):
            with pytest.raises(tf.errors.InvalidArgumentError, match="made 1") as caught:
                s.run(out, {x: 4})
            assert caught.value.node is not None and caught.value.node.startswith(node)


def test_numbers_of_a_session() -> None:
    x, out = small()
    v = tf.Variable(np.zeros([10, 10], np.float32))
    text = tf.Variable([b"abc", b"de"])
    with tf.Session() as s:
        assert s.stats().plans == 0
        s.run([v.initializer, text.initializer])
        for _ in range(60):
            s.run(out, {x: np.ones((2, 2))})
        handle = s.partial_run_setup(out, [x])
        found = s.stats()
        assert (found.plans, found.compiled, found.hits, found.misses, found.runs) == (2, 1, 59, 3, 61)
        assert (found.partial_plans, found.partial_runs) == (1, 1)
        assert found.variables == 2 and found.bytes == 400 + 2 * 8 + 5
        assert found.constants >= 16 and found.steps > 5
        s.partial_run(handle, out, {x: np.ones((2, 2))})
        assert s.stats().partial_runs == 0
