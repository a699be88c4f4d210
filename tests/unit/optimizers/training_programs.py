"""A small model, and what TensorFlow's optimizers make of it.

fixtures/make/training.py trains it on TensorFlow and writes fixtures/gradients/training.json.gz: the losses step by step, the
names of the optimizer's variables and the graph's nodes; the tests hold icefloe's against those.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

GOLDEN = Path(__file__).resolve().parents[3] / "fixtures" / "gradients" / "training.json.gz"
STEPS = 6

INPUTS = np.random.RandomState(0).randn(8, 3).astype(np.float32)
TARGETS = np.random.RandomState(1).randn(8, 2).astype(np.float32)

# name -> the optimizer, of `train` and the global step `step`
OPTIMIZERS: dict[str, str] = {
    "gradient descent": "train.GradientDescentOptimizer(0.1)",
    "momentum": "train.MomentumOptimizer(0.1, 0.9)",
    "nesterov": "train.MomentumOptimizer(0.1, lambda: 0.9, use_nesterov=True, name='nest')",
    "adam": "train.AdamOptimizer(0.05)",
    "adagrad": "train.AdagradOptimizer(0.1)",
    "adagrad da": "train.AdagradDAOptimizer(0.1, step, l1_regularization_strength=0.01)",
    "adadelta": "train.AdadeltaOptimizer(1.0)",
    "rms prop": "train.RMSPropOptimizer(0.05, momentum=0.5)",
    "rms prop centered": "train.RMSPropOptimizer(0.05, centered=True)",
    "ftrl": "train.FtrlOptimizer(0.1, l1_regularization_strength=0.01, accum_name='acc')",
    "ftrl shrinkage": "train.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=0.01, beta=0.1)",
    "proximal descent": "train.ProximalGradientDescentOptimizer(0.1, 0.01, 0.01)",
    "proximal adagrad": "train.ProximalAdagradOptimizer(0.1)",
    "decay": "train.GradientDescentOptimizer(train.exponential_decay(0.1, step, 2, 0.5))",
}
CASES = [f"{name}|{kind}" for name in OPTIMIZERS for kind in ("reference", "resource")]


def run(tf: Any, case: str) -> dict[str, Any]:
    """Return losses, names and nodes of a case."""
    name, kind = case.split("|")
    graph = tf.Graph()
    with graph.as_default():
        with tf.variable_scope("net", use_resource=kind == "resource"):
            weights = tf.get_variable("w", initializer=np.full((3, 4), 0.3, np.float32))
            bias = tf.get_variable("b", initializer=np.linspace(-1, 1, 4).astype(np.float32))
            table = tf.get_variable("e", initializer=np.linspace(-1, 1, 12).reshape(6, 2).astype(np.float32))
            out = tf.get_variable("o", initializer=np.linspace(-0.5, 1, 8).reshape(4, 2).astype(np.float32))
            tf.get_variable("unused", [2], initializer=tf.zeros_initializer())
        hidden = tf.nn.relu(tf.matmul(INPUTS, weights) + bias)
        made = tf.matmul(hidden, out) + tf.gather(table, [0, 1, 2, 3, 0, 1, 2, 5])
        loss = tf.reduce_mean(tf.square(made - TARGETS))
        step = tf.train.get_or_create_global_step()
        optimizer = eval(OPTIMIZERS[name], {"train": tf.train, "step": step})
        train = optimizer.minimize(loss, step)
        names = [v.name for v in optimizer.variables()] + optimizer.get_slot_names() + [train.name]
        losses = []
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(STEPS):
                losses.append(float(session.run(loss)))
                session.run(train)
            count = int(session.run(step))
    nodes = [
        f"{n.name} = {n.op}({', '.join(n.input)}) {sorted(s.decode() for s in n.attr['_class'].list.s)}"
        for n in graph.as_graph_def().node
    ]
    return {"losses": losses, "step": count, "names": names, "nodes": nodes}
