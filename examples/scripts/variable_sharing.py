"""Variable scopes: shared, nested and partitioned variables, regularizers, moving averages.

Run: icefloe exec examples/scripts/variable_sharing.py
"""

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops
from tensorflow.python.ops import array_ops, init_ops, math_ops, variable_scope


def dense(x, units, name):
    with variable_scope.variable_scope(name):
        kernel = variable_scope.get_variable(
            "kernel", [x.get_shape()[-1], units], initializer=init_ops.glorot_uniform_initializer(seed=1)
        )
        bias = variable_scope.get_variable("bias", [units], initializer=init_ops.zeros_initializer())
        return math_ops.tanh(math_ops.matmul(x, kernel) + bias)


def tower(x):
    hidden = dense(x, 4, "first")
    return dense(hidden, 2, "second")


def main():
    x = array_ops.placeholder(tf.float32, [None, 3])
    regularizer = lambda w: 0.1 * tf.nn.l2_loss(w)  # noqa: E731
    with tf.variable_scope("shared", regularizer=regularizer) as scope:
        left = tower(x)
        scope.reuse_variables()
        right = tower(-x)
    with tf.variable_scope("own"):
        other = tower(x)
    try:
        with tf.variable_scope("shared"):
            tf.get_variable("first/kernel", [3, 4])
    except ValueError as error:
        print("refused:", str(error).split(",")[0].split(".")[0])

    with tf.variable_scope("wide", partitioner=tf.fixed_size_partitioner(3)):
        parts = tf.get_variable("table", [7, 2], initializer=tf.ones_initializer())
    loss = tf.reduce_sum(tf.square(left - right)) + tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
    shared = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="shared")
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=shared)
    ema = tf.train.ExponentialMovingAverage(decay=0.9)
    with tf.control_dependencies([train_op]):
        update = ema.apply(shared)

    for variable in tf.global_variables():
        if "ExponentialMovingAverage" not in variable.op.name:
            print(variable.op.name, variable.get_shape())
    print("partitions:", [p.op.name for p in parts])
    print("collection:", len(ops.get_collection(ops.GraphKeys.REGULARIZATION_LOSSES)), "losses")

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        values = np.array([[1.0, 2.0, 3.0], [0.5, -0.5, 0.0]], np.float32)
        l, r, o = sess.run([left, right, other], {x: values})
        print("left = -right:", np.allclose(l, -r), " same start elsewhere:", np.allclose(l, o))
        for _ in range(20):
            sess.run(update, {x: values})
        kernel = shared[0]
        print("loss after 20 steps: %.3f" % sess.run(loss, {x: values}))
        now, average = sess.run([kernel, ema.average(kernel)])
        print("kernel %.3f, its average %.3f" % (np.abs(now).sum(), np.abs(average).sum()))
        print("restored by:", sorted(ema.variables_to_restore())[:2])


if __name__ == "__main__":
    main()
