"""The main job, step by step: load what TensorFlow wrote, run it, change it, save it, restore it into another graph.

Run: python examples/main_job.py [OUT]     (`make run` does it; files are left under OUT, `out/` by default)
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import icefloe as tf

FIXTURE = Path(__file__).resolve().parents[1] / "fixtures" / "main_job"


def step(text: str) -> None:
    print(f"\n== {text}")


def main(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    expected = np.load(FIXTURE / "expected.npz")

    step("Load model.ckpt-30.meta, which TensorFlow wrote")
    trained = tf.Graph()
    with trained.as_default():
        saver = tf.train.import_meta_graph(str(FIXTURE / "model.ckpt-30.meta"))
    print(
        f"{len(trained.get_operations())} operations; variables:", [v.name for v in trained.get_collection("variables")]
    )

    with tf.Session(graph=trained) as sess:
        step("Restore its checkpoint; nothing is initialised")
        saver.restore(sess, str(FIXTURE / "model.ckpt-30"))
        print("global_step =", sess.run("global_step:0"))

        step("Run a fetch")
        y = sess.run("y:0", feed_dict={"x:0": expected["x"]})
        print("y             =", y)
        print("TensorFlow's y =", expected["y"])
        if not np.allclose(y, expected["y"], rtol=1e-5):
            raise SystemExit("these differ")

        step("Train one step and change a variable")
        sess.run("train", feed_dict={"x:0": expected["x"], "target:0": expected["y"] + 1})
        with trained.as_default():
            double = tf.assign(trained.get_tensor_by_name("layer/b:0"), [1.0, 2.0])
        sess.run(double)
        print("layer/b =", sess.run("layer/b:0"), " global_step =", sess.run("global_step:0"))

        step(f"Save to {out}/model.ckpt")
        prefix = saver.save(sess, str(out / "model.ckpt"), global_step=31)
        for path in sorted(out.iterdir()):
            print(f"  {path.name:40s} {path.stat().st_size:8d} bytes")

    step("Build a different graph with a variable of the same name, restore without initialising, run")
    other = tf.Graph()
    with other.as_default():
        with tf.variable_scope("layer"):
            b = tf.get_variable("b", [2])
        total = tf.reduce_sum(b * 10.0, name="total")
        restore_b = tf.train.Saver([b])
        with tf.Session() as sess:
            restore_b.restore(sess, prefix)
            print("total =", sess.run(total))
        tf.save_graph(other, out / "other.pb")

    step("Inspect what was saved")
    for name, entry in tf.open_checkpoint(prefix).entries.items():
        print(f"  {name:28s} {entry.dtype.name:8s} {tuple(entry.shape)}")
    print(tf.identify(out / "other.pb"))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
