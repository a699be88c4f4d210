"""Softmax regression by feeding: four clouds of points in the plane, told apart by a linear model.

Run: icefloe exec examples/scripts/softmax_regression.py [--steps=200] [--learning_rate=0.5]
"""

import numpy as np
import tensorflow as tf

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_integer("steps", 200, "Number of training steps.")
flags.DEFINE_float("learning_rate", 0.5, "Step width of gradient descent.")

CENTERS = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, 0.0], [0.0, -2.0]])


def clouds(random, count):
    labels = random.randint(len(CENTERS), size=count)
    points = CENTERS[labels] + random.normal(scale=0.7, size=(count, 2))
    return points.astype(np.float32), np.eye(len(CENTERS), dtype=np.float32)[labels]


def main(_):
    random = np.random.RandomState(0)
    test_points, test_labels = clouds(random, 500)

    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y_ = tf.placeholder(tf.float32, [None, 4], name="labels")
    W = tf.Variable(tf.zeros([2, 4]), name="weights")
    b = tf.Variable(tf.zeros([4]), name="biases")
    y = tf.matmul(x, W) + b

    cross_entropy = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=y))
    train_step = tf.train.GradientDescentOptimizer(FLAGS.learning_rate).minimize(cross_entropy)
    correct_prediction = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
    accuracy = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(FLAGS.steps):
            points, labels = clouds(random, 50)
            _, loss = sess.run([train_step, cross_entropy], feed_dict={x: points, y_: labels})
            if step % 50 == 0:
                print("step %d: cross entropy %.4f" % (step, loss))
        print("accuracy: %.3f" % sess.run(accuracy, feed_dict={x: test_points, y_: test_labels}))
        print("weights:\n%s" % np.round(W.eval(), 2))


if __name__ == "__main__":
    tf.app.run()
