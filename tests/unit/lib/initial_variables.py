"""Variables with random initial values, made the same way on icefloe and on TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np


def _initializers(tf: Any) -> dict[str, Any]:
    init = tf.initializers
    return {
        "random_uniform": tf.random_uniform_initializer(-2.0, 3.0),
        "random_normal": tf.random_normal_initializer(1.0, 0.5),
        "truncated_normal": tf.truncated_normal_initializer(stddev=0.1),
        "uniform_unit_scaling": tf.uniform_unit_scaling_initializer(1.3),
        "variance_scaling": tf.variance_scaling_initializer(2.0, "fan_avg", "normal"),
        "untruncated": tf.variance_scaling_initializer(1.0, "fan_out", "untruncated_normal"),
        "glorot_uniform": tf.glorot_uniform_initializer(),
        "glorot_normal": tf.glorot_normal_initializer(),
        "he_normal": init.he_normal(),
        "he_uniform": init.he_uniform(),
        "lecun_normal": init.lecun_normal(),
        "lecun_uniform": init.lecun_uniform(),
        "constant": tf.constant_initializer(0.1),
        "default": None,
    }


def values(tf: Any) -> dict[str, np.ndarray]:
    """Return the initial values of all variables, each graph in a session of its own."""
    found: dict[str, np.ndarray] = {}
    for seed in (None, 0, 42, 2**31 + 5):
        with tf.Graph().as_default():
            tf.set_random_seed(seed)
            variables = _variables(tf, seeded=seed is not None)
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                found.update({f"{seed}/{name}": np.asarray(session.run(v)) for name, v in variables.items()})
    return found


def _variables(tf: Any, *, seeded: bool) -> dict[str, Any]:
    made = {}
    if seeded:
        for name, initializer in _initializers(tf).items():
            made[name] = tf.get_variable(name, [3, 3, 4, 5], initializer=initializer)
        for dtype in ("float16", "bfloat16", "float64"):
            made[dtype] = tf.get_variable(dtype, [7, 3], dtype=dtype)
            made[f"{dtype}_normal"] = tf.get_variable(
                f"{dtype}_normal", [7, 3], dtype=dtype, initializer=tf.truncated_normal_initializer()
            )
        made["resource"] = tf.get_variable("resource", [6, 2], use_resource=True)
        parts = tf.get_variable("parts", [7, 3], partitioner=tf.fixed_size_partitioner(3))
        made.update({f"part_{i}": part for i, part in enumerate(parts)})
        made["integers"] = tf.Variable(tf.random_uniform([9], -5, 100, tf.int32))
        made["shuffled"] = tf.Variable(tf.random_shuffle(tf.range(11)))
        made["classes"] = tf.Variable(tf.random.categorical([[0.1, 0.2, 0.3]], 9))
    # An op's own seed counts with and without the graph's.
    made["own_normal"] = tf.Variable(tf.random_normal([3, 4], seed=7))
    made["own_uniform"] = tf.get_variable("own", [5], initializer=tf.random_uniform_initializer(seed=-3))
    made["own_truncated"] = tf.Variable(tf.truncated_normal([17], 2.0, 3.0, seed=123456789, dtype=tf.float64))
    return made
