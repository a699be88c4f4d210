"""`python saving_shards.py PREFIX COUNT VALUE`: save a sharded checkpoint of one value so often; see test_save_lock.py."""

from __future__ import annotations

import os
import sys

import numpy as np

import icefloe as tf


def main(prefix: str, count: int, value: float) -> None:
    os.fsync = lambda fd: None  # type: ignore[assignment]
    for i in range(4):
        with tf.device(f"/cpu:{i % 2}"):
            tf.get_variable(f"v{i}", initializer=np.full(2000, value, np.float32))
    saver = tf.train.Saver(sharded=True)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(count):
            saver.save(session, prefix, write_meta_graph=False)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
