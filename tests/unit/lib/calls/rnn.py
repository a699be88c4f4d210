"""Values of recurrent networks and of their gradients."""

CALLS = [
    """
    cells = tf.nn.rnn_cell
    data = np.sin(np.arange(2 * 4 * 3)).reshape(2, 4, 3).astype(np.float32)

    def ran(build):
        with tf.Graph().as_default():
            with tf.variable_scope('v', initializer=tf.constant_initializer(0.3)):
                y, s = build(tf.constant(data))
            grads = tf.gradients([tf.reduce_sum(t) for t in tf.nest.flatten([y, s])], tf.trainable_variables())
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                made = session.run([tf.nest.flatten(y), tf.nest.flatten(s), grads])
            names = [v.name for v in tf.trainable_variables()]
            return names, [[np.round(np.asarray(t, np.float64), 4).tolist() for t in part] for part in made]

    result = sorted(n for n in dir(cells) if n[0].isupper())
    """,
    "ran(lambda x: tf.nn.dynamic_rnn(cells.BasicRNNCell(2), x, dtype=tf.float32))",
    "ran(lambda x: tf.nn.dynamic_rnn(cells.LSTMCell(2), x, [4, 2], dtype=tf.float32))",
    "ran(lambda x: tf.nn.dynamic_rnn(cells.LSTMCell(2, use_peepholes=True, num_proj=1, cell_clip=0.5), x, [1, 3], "
    "dtype=tf.float32))",
    "ran(lambda x: tf.nn.dynamic_rnn(cells.GRUCell(2), x, dtype=tf.float32, time_major=True))",
    "ran(lambda x: tf.nn.dynamic_rnn(cells.MultiRNNCell([cells.BasicLSTMCell(2), cells.ResidualWrapper("
    "cells.GRUCell(2))]), x, dtype=tf.float32))",
    "ran(lambda x: tf.nn.bidirectional_dynamic_rnn(cells.GRUCell(2), cells.LSTMCell(1), x, [3, 4], dtype=tf.float32))",
    "ran(lambda x: tf.nn.static_rnn(cells.LSTMCell(2), tf.unstack(x, axis=1), dtype=tf.float32, "
    "sequence_length=[4, 1]))",
    "ran(lambda x: tf.nn.static_bidirectional_rnn(cells.GRUCell(1), cells.GRUCell(1), tf.unstack(x, axis=1), "
    "dtype=tf.float32, sequence_length=[2, 3])[:2])",
    """
    def led(x):
        array = tf.TensorArray(tf.float32, 4).unstack(tf.transpose(x, [1, 0, 2]))
        cell = cells.GRUCell(2)

        def loop_fn(time, output, state, loop_state):
            if output is None:
                return tf.constant([False, False]), array.read(0), tf.zeros([2, 2]), None, None
            finished = time >= [2, 4]
            x = tf.cond(tf.reduce_all(finished), lambda: tf.zeros([2, 3]), lambda: array.read(time))
            return finished, x, state, output, None

        arrays, state, _ = tf.nn.raw_rnn(cell, loop_fn)
        return arrays.stack(), state

    result = ran(led)
    """,
]
