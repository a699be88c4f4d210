"""`tf.config`: values and messages are TensorFlow 2.21's, asked on a machine without GPUs."""

from __future__ import annotations

import pytest

import icefloe as tf
from icefloe import process_options
from icefloe.lib import process_config


@pytest.fixture(autouse=True)
def fresh_options(monkeypatch: pytest.MonkeyPatch) -> None:
    options = process_options.ProcessOptions()
    for module in (
        "lib.process_config",
        "lib.debugging_options",
        "graph.seeds",
        "resources.manager",
        "runtime.settings",
    ):
        monkeypatch.setattr(f"icefloe.{module}.OPTIONS", options)


def test_the_cpu_is_the_only_device() -> None:
    (cpu,) = tf.config.list_physical_devices()
    assert cpu == tf.config.PhysicalDevice("/physical_device:CPU:0", "CPU")
    assert tf.config.list_physical_devices("GPU") == tf.config.experimental.list_physical_devices("GPU") == []
    assert tf.config.list_logical_devices() == [tf.config.LogicalDevice("/device:CPU:0", "CPU")]
    tf.config.set_visible_devices([], "GPU")
    tf.config.set_visible_devices(cpu)
    assert tf.config.get_visible_devices() == [cpu]
    assert tf.config.get_logical_device_configuration(cpu) is None
    assert tf.config.experimental.get_device_details(cpu) == {}
    for devices, kind in ((["x"], None), ([cpu], "GPU")):
        with pytest.raises(ValueError, match="Unrecognized device: "):
            tf.config.set_visible_devices(devices, kind)
    with pytest.raises(ValueError, match="Cannot set memory growth on non-GPU and non-Pluggable devices"):
        tf.config.experimental.set_memory_growth(cpu, True)
    with pytest.raises(tf.errors.UnimplementedError, match="into 2 devices"):
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)


def test_options_are_those_of_sessions_without_a_config() -> None:
    assert tf.config.optimizer.get_experimental_options() == {
        "disable_model_pruning": False,
        "disable_meta_optimizer": False,
    }
    changes = {"min_graph_nodes": -1, "constant_folding": False, "disable_meta_optimizer": True, "nonsense": 1}
    tf.config.optimizer.set_experimental_options(changes)
    assert tf.config.optimizer.get_experimental_options() == {
        "constant_folding": False,
        "disable_model_pruning": False,
        "disable_meta_optimizer": True,
        "min_graph_nodes": -1,
    }
    assert (tf.config.get_soft_device_placement(), tf.config.optimizer.get_jit()) == (False, "")
    tf.config.set_soft_device_placement(True)
    tf.config.optimizer.set_jit("autoclustering")
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(3)
    made = process_config.OPTIONS.to_proto()
    assert made.allow_soft_placement and made.inter_op_parallelism_threads == 3
    assert made.graph_options.optimizer_options.global_jit_level == tf.OptimizerOptions.ON_1
    assert made.graph_options.rewrite_options.min_graph_nodes == -1
    with tf.Graph().as_default(), tf.Session() as session:
        assert session._settings.intra_op_parallelism_threads == 1
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=2)) as session:
        assert session._settings.intra_op_parallelism_threads == 2
    with pytest.raises(tf.errors.UnimplementedError, match="icefloe builds and runs graphs"):
        tf.config.run_functions_eagerly(True)
    assert not tf.config.functions_run_eagerly()


def test_determinism_wants_a_seed() -> None:
    tf.config.experimental.enable_op_determinism()
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(RuntimeError, match="Random ops require a seed to be set when determinism is enabled"):
            tf.random_uniform([2])
        drawn = tf.raw_ops.TruncatedNormal(shape=[2], dtype=tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="random ops must have a seed specified"):
            session.run(drawn)
        assert session.run(tf.random_uniform([2], seed=1)).shape == (2,)
    process_config.disable_op_determinism()
    assert not process_config.is_op_determinism_enabled()
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.random_uniform([2])).shape == (2,)


def test_sessions_made_while_numbers_are_checked_name_the_node() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2])
        y = tf.log(x, name="logarithm")
        unchecked = tf.Session()
        tf.debugging.enable_check_numerics(stack_height_limit=5)
        checked, configured = tf.Session(), tf.Session(config=tf.ConfigProto())
        tf.debugging.disable_check_numerics()
        later = tf.Session()
        for session in (checked, configured):
            with pytest.raises(tf.errors.InvalidArgumentError, match="logarithm.*NaN"):
                session.run(y, {x: [1.0, -1.0]})
        for session in (unchecked, later):
            assert session.run(y, {x: [1.0, -1.0]})[0] == 0.0
        for session in (unchecked, checked, configured, later):
            session.close()


def test_what_is_looked_into_is_in_the_config() -> None:
    tf.debugging.set_log_device_placement(True)
    assert process_config.OPTIONS.to_proto().log_device_placement
    with pytest.raises(ValueError, match="Invalid argument `device_policy`: 'bad'"):
        tf.config.experimental.set_device_policy("bad")
    tf.debugging.enable_traceback_filtering()
    assert not tf.debugging.is_traceback_filtering_enabled()
    tf.debugging.disable_traceback_filtering()
