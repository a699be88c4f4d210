"""What makes the first answer come soon: a run imports what its ops need and no more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

import icefloe as tf

PROGRAM = """
import sys
import numpy as np
import icefloe as tf

session = tf.Session(graph=tf.load_graph(sys.argv[1]))
print(session.run("y:0", {"x:0": np.ones((2, 3), np.float32)}).sum())
print(*sorted(m for m in sys.modules if m.startswith(("icefloe.ops.", "icefloe.autodiff", "scipy", "difflib"))))
"""


def test_a_product_loads_no_other_kernels(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        product = tf.matmul(x, tf.constant(np.ones((3, 4), np.float32)))
        tf.identity(tf.nn.relu(tf.nn.bias_add(product, tf.constant(np.ones(4, np.float32)))), name="y")
    tf.save_graph(graph, tmp_path / "graph.pb")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "graph.pb")], capture_output=True, text=True, check=True
    )
    answer, loaded = done.stdout.splitlines()
    assert float(answer) == 32
    modules = {name.removeprefix("icefloe.ops.") for name in loaded.split()}
    families = {name for name in modules if "." not in name}
    assert families == {"allocation", "array", "flow", "math", "nn", "wording"}
    assert modules - families == {
        "array.constants",
        "array.passing",
        "array.values",
        "flow.dead",
        "math.products",
        "nn.activations",
        "nn.bias",
        "nn.finishing",
    }
