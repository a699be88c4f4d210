"""A convolutional network on images of bars, with summaries for TensorBoard.

Run: icefloe exec examples/scripts/convnet.py [--log_dir=DIR] [--max_steps=60]
"""

import argparse
import os
import tempfile

import numpy as np
import tensorflow as tf

FLAGS = None
SIZE = 8


def images(random, count):
    """Return noisy images with a bar across, upright or diagonal, and which it is."""
    labels = random.randint(3, size=count)
    pictures = random.normal(scale=0.3, size=(count, SIZE, SIZE, 1)).astype(np.float32)
    for picture, label in zip(pictures, labels):
        place = random.randint(1, SIZE - 1)
        if label == 0:
            picture[place, :, 0] += 1
        elif label == 1:
            picture[:, place, 0] += 1
        else:
            picture[np.arange(SIZE), np.arange(SIZE), 0] += 1
    return pictures, labels


def weight_variable(shape):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1), name="weights")


def bias_variable(shape):
    return tf.Variable(tf.constant(0.1, shape=shape), name="biases")


def variable_summaries(var):
    with tf.name_scope("summaries"):
        mean = tf.reduce_mean(var)
        tf.summary.scalar("mean", mean)
        tf.summary.scalar("stddev", tf.sqrt(tf.reduce_mean(tf.square(var - mean))))
        tf.summary.histogram("histogram", var)


def network(x, keep_prob):
    with tf.name_scope("conv1"):
        W = weight_variable([3, 3, 1, 8])
        variable_summaries(W)
        conv = tf.nn.relu(tf.nn.conv2d(x, W, strides=[1, 1, 1, 1], padding="SAME") + bias_variable([8]))
        pool = tf.nn.max_pool(conv, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    with tf.name_scope("fc1"):
        flat = tf.reshape(pool, [-1, SIZE // 2 * SIZE // 2 * 8])
        hidden = tf.nn.relu(tf.matmul(flat, weight_variable([SIZE // 2 * SIZE // 2 * 8, 16])) + bias_variable([16]))
        tf.summary.histogram("activations", hidden)
    with tf.name_scope("dropout"):
        dropped = tf.nn.dropout(hidden, keep_prob=keep_prob, seed=7)
    with tf.name_scope("fc2"):
        return tf.matmul(dropped, weight_variable([16, 3])) + bias_variable([3])


def train():
    tf.set_random_seed(1)
    random = np.random.RandomState(1)
    test_pictures, test_labels = images(random, 200)

    x = tf.placeholder(tf.float32, [None, SIZE, SIZE, 1], name="x-input")
    y_ = tf.placeholder(tf.int64, [None], name="y-input")
    keep_prob = tf.placeholder(tf.float32)
    logits = network(x, keep_prob)
    with tf.name_scope("cross_entropy"):
        cross_entropy = tf.losses.sparse_softmax_cross_entropy(labels=y_, logits=logits)
    tf.summary.scalar("cross_entropy", cross_entropy)
    with tf.name_scope("train"):
        train_step = tf.train.AdamOptimizer(0.005).minimize(cross_entropy)
    with tf.name_scope("accuracy"):
        accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y_), tf.float32))
    tf.summary.scalar("accuracy", accuracy)
    merged = tf.summary.merge_all()

    with tf.Session() as sess:
        train_writer = tf.summary.FileWriter(os.path.join(FLAGS.log_dir, "train"), sess.graph)
        test_writer = tf.summary.FileWriter(os.path.join(FLAGS.log_dir, "test"))
        tf.global_variables_initializer().run()
        for step in range(FLAGS.max_steps):
            if step % 20 == 0:
                feed = {x: test_pictures, y_: test_labels, keep_prob: 1.0}
                summary, acc, loss = sess.run([merged, accuracy, cross_entropy], feed_dict=feed)
                test_writer.add_summary(summary, step)
                print("step %d: accuracy %.2f, loss %.3f" % (step, acc, loss))
            pictures, labels = images(random, 50)
            feed = {x: pictures, y_: labels, keep_prob: 0.9}
            summary, _ = sess.run([merged, train_step], feed_dict=feed)
            train_writer.add_summary(summary, step)
        feed = {x: test_pictures, y_: test_labels, keep_prob: 1.0}
        print("final accuracy: %.2f" % accuracy.eval(feed_dict=feed))
        train_writer.close()
        test_writer.close()

    (event_file,) = tf.gfile.Glob(os.path.join(FLAGS.log_dir, "test", "events*"))
    for event in tf.train.summary_iterator(event_file):
        for value in event.summary.value:
            if value.tag.startswith("accuracy"):
                print("event of step %d: accuracy %.2f" % (event.step, value.simple_value))


def main(_):
    if tf.gfile.Exists(FLAGS.log_dir):
        tf.gfile.DeleteRecursively(FLAGS.log_dir)
    tf.gfile.MakeDirs(FLAGS.log_dir)
    train()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--max_steps", type=int, default=60, help="Number of training steps.")
    parser.add_argument("--log_dir", default=os.path.join(tempfile.mkdtemp(), "logs"), help="Where summaries go.")
    FLAGS, unparsed = parser.parse_known_args()
    tf.app.run(main=main)
