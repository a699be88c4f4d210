"""partial_run: a graph computed in several calls, with decisions in Python in between.

Run: icefloe exec examples/scripts/partial_run.py
"""

import numpy as np
import tensorflow as tf


def main():
    tf.set_random_seed(2)
    observation = tf.placeholder(tf.float32, [3], name="observation")
    action = tf.placeholder(tf.int32, [], name="action")
    reward = tf.placeholder(tf.float32, [], name="reward")

    weights = tf.Variable([[0.1, -0.2], [0.0, 0.3], [0.2, 0.1]], name="weights")
    scores = tf.squeeze(tf.matmul(tf.expand_dims(observation, 0), weights), 0)
    probabilities = tf.nn.softmax(scores)
    chosen = tf.gather(probabilities, action)
    loss = -tf.log(chosen) * reward
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.control_dependencies([train_op]):
        done = tf.identity(loss)

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        world = np.random.RandomState(4)
        for episode in range(3):
            handle = sess.partial_run_setup([probabilities, chosen, done], [observation, action, reward])
            seen = world.normal(size=3).astype(np.float32)
            likely = sess.partial_run(handle, probabilities, feed_dict={observation: seen})
            picked = int(np.argmax(likely))
            share = sess.partial_run(handle, chosen, feed_dict={action: picked})
            gain = 1.0 if seen[picked] > 0 else -1.0
            cost = sess.partial_run(handle, done, feed_dict={reward: gain})
            print("episode %d: p=%s picks %d (%.3f), reward %+.0f, loss %.4f"
                  % (episode, np.round(likely, 3), picked, share, gain, cost))  # fmt: skip
        print("weights:\n%s" % np.round(sess.run(weights), 4))

        handle = sess.partial_run_setup([probabilities], [observation])
        sess.partial_run(handle, probabilities, feed_dict={observation: np.zeros(3)})
        try:
            sess.partial_run(handle, probabilities)
        except (tf.errors.InvalidArgumentError, RuntimeError, ValueError) as error:
            print("a second fetch is refused:", type(error).__name__)


if __name__ == "__main__":
    main()
