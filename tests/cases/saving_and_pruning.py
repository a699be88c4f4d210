"""Run as a program: saves step after step with a Saver that keeps one checkpoint, with little rest.

python saving_and_pruning.py FOLDER SAVES
"""

from __future__ import annotations

import os
import sys
import time

import numpy as np

import icefloe as tf


def main(folder: str, saves: int) -> None:
    step = tf.get_variable("step", initializer=np.int32(0), use_resource=False)
    names = [tf.get_variable(f"w{i}", initializer=np.zeros(200, np.float32), use_resource=False) for i in range(8)]
    advance = tf.group(tf.assign_add(step, 1), *[tf.assign_add(w, tf.ones([200])) for w in names])
    saver = tf.train.Saver(max_to_keep=1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(saves):
            session.run(advance)
            saver.save(session, os.path.join(folder, "m"), global_step=step, write_meta_graph=False)
            time.sleep(0.002)


if __name__ == "__main__":
    os.fsync = lambda fd: None  # type: ignore[assignment]  # a reader sees what the system holds
    main(sys.argv[1], int(sys.argv[2]))
