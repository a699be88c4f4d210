"""Checkpoints: saved with numbers and a limit, restored whole, in part and under other names, and read without a graph.

Run: icefloe exec examples/scripts/checkpoints.py
"""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.python.tools import inspect_checkpoint


def main():
    folder = tempfile.mkdtemp()
    prefix = os.path.join(folder, "model.ckpt")

    with tf.Graph().as_default():
        v1 = tf.get_variable("v1", shape=[3], initializer=tf.zeros_initializer())
        v2 = tf.get_variable("v2", shape=[2, 2], initializer=tf.constant_initializer(np.arange(4.0)))
        increase = v1.assign(v1 + 1)
        halve = v2.assign(v2 / 2)
        saver = tf.train.Saver(max_to_keep=2)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for step in range(1, 5):
                sess.run([increase, halve])
                path = saver.save(sess, prefix, global_step=step)
        print("saved:", os.path.basename(path))
        print("kept:", [os.path.basename(p) for p in saver.last_checkpoints])

    latest = tf.train.latest_checkpoint(folder)
    print("latest:", os.path.basename(latest))
    state = tf.train.get_checkpoint_state(folder)
    print("all:", [os.path.basename(p) for p in state.all_model_checkpoint_paths])

    with tf.Graph().as_default(), tf.Session() as sess:
        saver = tf.train.import_meta_graph(latest + ".meta")
        saver.restore(sess, latest)
        print("imported graph:", sess.run("v1:0"), sess.run("v2:0").tolist())

    with tf.Graph().as_default(), tf.Session() as sess:
        renamed = tf.get_variable("other", [3])
        fresh = tf.get_variable("fresh", [2], initializer=tf.ones_initializer())
        saver = tf.train.Saver({"v1": renamed})
        sess.run(fresh.initializer)
        saver.restore(sess, latest)
        print("restored as another name:", sess.run(renamed), "beside", sess.run(fresh))
        print("not initialized:", sess.run(tf.report_uninitialized_variables()).tolist())

    reader = tf.train.NewCheckpointReader(latest)
    for key, shape in sorted(reader.get_variable_to_shape_map().items()):
        print("in the file: %s %s sum %.4f" % (key, shape, reader.get_tensor(key).sum()))

    inspect_checkpoint.print_tensors_in_checkpoint_file(latest, "", True)
    inspect_checkpoint.print_tensors_in_checkpoint_file(latest, "", False, count_exclude_pattern="v1")
    inspect_checkpoint.print_tensors_in_checkpoint_file(latest, "v2", False)
    inspect_checkpoint.print_tensors_in_checkpoint_file(latest, "v3", False)

    with tf.Graph().as_default(), tf.Session() as sess:
        tf.get_variable("v3", [1])
        try:
            tf.train.Saver().restore(sess, latest)
        except tf.errors.NotFoundError:
            print("v3 is not in the checkpoint")


if __name__ == "__main__":
    main()
