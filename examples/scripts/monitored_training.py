"""A MonitoredTrainingSession with hooks: trains, saves, stops, and goes on where it stopped.

Run: icefloe exec examples/scripts/monitored_training.py [--checkpoint_dir=DIR]
"""

import tempfile

import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string("checkpoint_dir", None, "Where checkpoints and summaries are kept; default a new folder.")
FLAGS = tf.app.flags.FLAGS


class LossHook(tf.train.SessionRunHook):
    """Collects the loss of every step, and prints the first and the last."""

    def __init__(self, loss):
        self._loss = loss

    def begin(self):
        self._losses = []

    def after_create_session(self, session, coord):
        print("session begins at step %d" % session.run(tf.train.get_global_step()))

    def before_run(self, run_context):
        return tf.train.SessionRunArgs({"loss": self._loss})

    def after_run(self, run_context, run_values):
        self._losses.append(run_values.results["loss"])

    def end(self, session):
        print("%d steps: loss %.4f -> %.4f" % (len(self._losses), self._losses[0], self._losses[-1]))


def model():
    """Fit y = 3 x - 1 by a line."""
    x = tf.constant(np.linspace(-1, 1, 20), tf.float32)
    target = 3 * x - 1
    slope = tf.get_variable("slope", [], initializer=tf.zeros_initializer())
    offset = tf.get_variable("offset", [], initializer=tf.zeros_initializer())
    loss = tf.losses.mean_squared_error(target, slope * x + offset)
    tf.summary.scalar("loss", loss)
    global_step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.3, global_step, decay_steps=10, decay_rate=0.9)
    train_op = tf.train.MomentumOptimizer(rate, 0.5).minimize(loss, global_step=global_step)
    return train_op, loss


def train(folder, last_step):
    with tf.Graph().as_default():
        train_op, loss = model()
        hooks = [
            tf.train.StopAtStepHook(last_step=last_step),
            tf.train.NanTensorHook(loss),
            tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=20),
            LossHook(loss),
        ]
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=folder,
            hooks=hooks,
            save_checkpoint_steps=10,
            save_summaries_steps=5,
            log_step_count_steps=None,
        ) as mon_sess:
            while not mon_sess.should_stop():
                mon_sess.run(train_op)


def main(_):
    folder = FLAGS.checkpoint_dir or tempfile.mkdtemp()
    train(folder, last_step=25)
    train(folder, last_step=40)
    latest = tf.train.latest_checkpoint(folder)
    print("latest checkpoint: %s" % latest[len(folder) + 1 :])
    for name, shape in tf.train.list_variables(latest):
        if not shape and "Momentum" not in name:
            print("%s: %.4f" % (name, tf.train.load_variable(latest, name)))


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.ERROR)
    tf.app.run()
