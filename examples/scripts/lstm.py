"""An LSTM written out: over time by tf.while_loop, by tf.scan, and unrolled; all three agree, one is trained.

Run: icefloe exec examples/scripts/lstm.py
"""

import numpy as np
import tensorflow as tf

STEPS, BATCH, UNITS = 6, 16, 8


def sequences(random):
    """Return sequences of numbers in [0, 1), and of each the mean, which the network is to learn."""
    values = random.rand(STEPS, BATCH, 1).astype(np.float32)
    return values, values.mean(axis=0)


def cell(x, state):
    """Return the next state (c, h) of an LSTM with input `x`."""
    c, h = state
    with tf.variable_scope("lstm", reuse=tf.AUTO_REUSE):
        kernel = tf.get_variable("kernel", [1 + UNITS, 4 * UNITS], initializer=tf.glorot_uniform_initializer(seed=3))
        bias = tf.get_variable("bias", [4 * UNITS], initializer=tf.zeros_initializer())
    gates = tf.nn.bias_add(tf.matmul(tf.concat([x, h], 1), kernel), bias)
    i, j, f, o = tf.split(gates, 4, axis=1)
    c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(i) * tf.tanh(j)
    return c, tf.sigmoid(o) * tf.tanh(c)


def by_while_loop(inputs, start):
    array = tf.TensorArray(tf.float32, size=STEPS).unstack(inputs)

    def body(time, state):
        return time + 1, cell(array.read(time), state)

    _, (_, h) = tf.while_loop(lambda time, _: time < STEPS, body, (tf.constant(0), start))
    return h


def by_scan(inputs, start):
    _, h = tf.scan(lambda state, x: cell(x, state), inputs, initializer=start)
    return h[-1]


def unrolled(inputs, start):
    state = start
    for x in tf.unstack(inputs):
        state = cell(x, state)
    return state[1]


def main():
    random = np.random.RandomState(0)
    inputs = tf.placeholder(tf.float32, [STEPS, BATCH, 1])
    targets = tf.placeholder(tf.float32, [BATCH, 1])
    start = (tf.zeros([BATCH, UNITS]), tf.zeros([BATCH, UNITS]))
    cell(tf.zeros([BATCH, 1]), start)  # the variables are made outside of the loops
    outputs = [by_while_loop(inputs, start), by_scan(inputs, start), unrolled(inputs, start)]

    output_weights = tf.get_variable("output", [UNITS, 1], initializer=tf.glorot_uniform_initializer(seed=4))
    loss = tf.reduce_mean(tf.square(tf.matmul(outputs[0], output_weights) - targets))
    variables = tf.trainable_variables()
    gradients, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 1.0)
    train_op = tf.train.AdamOptimizer(0.02).apply_gradients(zip(gradients, variables))

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        values, _ = sequences(random)
        first, second, third = sess.run(outputs, {inputs: values})
        print("loops agree:", np.allclose(first, second, atol=1e-6), np.allclose(first, third, atol=1e-6))
        for step in range(151):
            values, means = sequences(random)
            _, mean_error, size = sess.run([train_op, loss, norm], {inputs: values, targets: means})
            if step % 50 == 0:
                print("step %d: error %.4f, norm of gradients %.3f" % (step, mean_error, size))


if __name__ == "__main__":
    main()
