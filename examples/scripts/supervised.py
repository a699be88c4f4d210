"""The Supervisor of older programs: a managed session that restores by itself, with saved summaries.

Run: icefloe exec examples/scripts/supervised.py
"""

import os
import tempfile

import numpy as np
import tensorflow as tf


def build():
    with tf.variable_scope("model"):
        position = tf.get_variable("position", initializer=tf.constant([4.0, -3.0]))
    loss = tf.reduce_sum(tf.square(position - [1.0, 2.0]), name="loss")
    global_step = tf.Variable(0, name="global_step", trainable=False)
    train_op = tf.train.RMSPropOptimizer(0.1).minimize(loss, global_step=global_step)
    tf.summary.scalar("loss", loss)
    return position, loss, global_step, train_op


def train(logdir, steps):
    with tf.Graph().as_default():
        position, loss, global_step, train_op = build()
        summary_op = tf.summary.merge_all()
        sv = tf.train.Supervisor(logdir=logdir, summary_op=None, save_model_secs=0, global_step=global_step)
        with sv.managed_session() as sess:
            print("starts at step %d" % sess.run(global_step))
            while not sv.should_stop():
                sess.run(train_op)
                step = sess.run(global_step)
                if step % 10 == 0:
                    sv.summary_computed(sess, sess.run(summary_op))
                if step >= steps:
                    break
            print("step %d: loss %.4f, position %s" % (step, sess.run(loss), np.round(sess.run(position), 3)))
            sv.saver.save(sess, sv.save_path, global_step=global_step)


def main():
    tf.logging.set_verbosity(tf.logging.ERROR)
    logdir = os.path.join(tempfile.mkdtemp(), "run")
    train(logdir, 30)
    train(logdir, 60)
    print(sorted(name for name in os.listdir(logdir) if name.endswith(".index")))
    steps = []
    for name in sorted(tf.gfile.Glob(os.path.join(logdir, "events*"))):
        for event in tf.train.summary_iterator(name):
            steps += [event.step for value in event.summary.value if value.tag.startswith("loss")]
    print("summaries of steps:", sorted(step for step in steps if step > 30))


if __name__ == "__main__":
    main()
