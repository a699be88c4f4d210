"""Recurrent networks: tf.nn.rnn_cell, tf.nn.dynamic_rnn and their like."""

_INPUTS = """
cells = tf.nn.rnn_cell
seq = tf.placeholder(tf.float32, [2, 5, 3], name='seq')
part = tf.placeholder(tf.float32, [None, None, 3], name='part')
steps = [tf.placeholder(tf.float32, [2, 3], name=f'step{i}') for i in range(2)]
lengths = tf.placeholder(tf.int32, [2], name='lengths')
"""

SCRIPTS = [
    _INPUTS + script
    for script in (
        # cells
        "cells.BasicRNNCell(4)(f, tf.zeros([2, 4]))",
        "cells.BasicRNNCell(4, activation=tf.nn.relu, name='c')(f, tf.zeros([2, 4]))",
        "cells.GRUCell(4)(f, tf.zeros([2, 4]))",
        "cells.GRUCell(4, kernel_initializer=tf.ones_initializer(), bias_initializer=tf.zeros_initializer())(f, "
        "tf.zeros([2, 4]))",
        "c = cells.BasicLSTMCell(4)\nc(f, c.zero_state(2, tf.float32))",
        "c = cells.BasicLSTMCell(4, forget_bias=0.5, state_is_tuple=False, activation=tf.nn.relu)\n"
        "c(f, c.zero_state(2, tf.float32))",
        "c = cells.LSTMCell(4)\nc(f, c.zero_state(2, tf.float32))",
        "c = cells.LSTMCell(4, use_peepholes=True, cell_clip=1.0, num_proj=3, proj_clip=2.0, "
        "initializer=tf.ones_initializer())\nc(f, c.zero_state(2, tf.float32))",
        "c = cells.LSTMCell(4, state_is_tuple=False, num_unit_shards=2)\nc(f, c.zero_state(2, tf.float32))",
        "c = cells.LSTMCell(4)\ns = c.zero_state(2, tf.float32)\nc(f, s), c(g, s)",
        "c = cells.BasicRNNCell(4)\nc.zero_state(lengths[0], tf.float64), c.get_initial_state(batch_size=2, dtype=tf.float16)\n"
        "c.get_initial_state(inputs=f)",
        "c = cells.MultiRNNCell([cells.LSTMCell(4), cells.GRUCell(3)])\nc(f, c.zero_state(2, tf.float32))",
        "c = cells.MultiRNNCell([cells.GRUCell(4), cells.GRUCell(3)], state_is_tuple=False)\n"
        "c(f, c.zero_state(2, tf.float32))",
        "c = cells.MultiRNNCell([cells.GRUCell(3), cells.GRUCell(3)])\nc(f, c.zero_state(2, tf.float32))\n"
        "tf.constant([v.name for v in c.trainable_variables] + [str(c.state_size), str(c.output_size)])",
        "c = cells.DropoutWrapper(cells.LSTMCell(4), input_keep_prob=0.5, output_keep_prob=0.6, state_keep_prob=0.7)\n"
        "c(f, c.zero_state(2, tf.float32))",
        "c = cells.DropoutWrapper(cells.GRUCell(4), output_keep_prob=f[0, 0], seed=7)\nc(f, c.zero_state(2, tf.float32))",
        "c = cells.DropoutWrapper(cells.LSTMCell(4), 0.5, 0.5, 0.5, True, input_size=3, dtype=tf.float32, seed=3)\n"
        "c(f, c.zero_state(2, tf.float32))",
        "c = cells.DropoutWrapper(cells.MultiRNNCell([cells.GRUCell(4), cells.LSTMCell(3)]), state_keep_prob=0.5)\n"
        "c(f, c.zero_state(2, tf.float32))",
        "cells.DropoutWrapper(cells.GRUCell(4), 1.5)",
        "cells.DropoutWrapper(cells.GRUCell(4), variational_recurrent=True)",
        "c = cells.ResidualWrapper(cells.GRUCell(3))\nc(f, c.zero_state(2, tf.float32))",
        "c = cells.ResidualWrapper(cells.GRUCell(3), lambda x, y: x * y)\nc(f, c.zero_state(2, tf.float32))",
        "c = cells.DeviceWrapper(cells.GRUCell(3), '/cpu:1')\nc(f, c.zero_state(2, tf.float32))",
        "cells.MultiRNNCell([])",
        "cells.MultiRNNCell([cells.LSTMCell(3)], state_is_tuple=False)",
        "cells.GRUCell(4)(i, tf.zeros([2, 4]))",
        "cells.GRUCell(4)(f3, tf.zeros([2, 4]))",
        "cells.GRUCell(4, dtype=tf.int32)",
        "with tf.variable_scope('a'):\n    c = cells.BasicRNNCell(4)\n    c(f, tf.zeros([2, 4]))\n"
        "with tf.variable_scope('b'):\n    c(g, tf.zeros([2, 4]))\n    cells.BasicRNNCell(4)(g, tf.zeros([2, 4]))",
        "c = cells.LSTMCell(4, reuse=tf.AUTO_REUSE, name='one')\nd = cells.LSTMCell(4, reuse=tf.AUTO_REUSE, name='one')\n"
        "c(f, c.zero_state(2, tf.float32)), d(g, d.zero_state(2, tf.float32))",
        """
class Plus(cells.RNNCell):
    @property
    def state_size(self):
        return 3
    @property
    def output_size(self):
        return 3
    def call(self, inputs, state):
        w = tf.get_variable('w', [3])
        return inputs * w + state, state + 1.0
c = Plus()
tf.nn.dynamic_rnn(c, seq, dtype=tf.float32)
tf.constant([v.name for v in c.variables] + [c.name])
""",
        # dynamic
        "tf.nn.dynamic_rnn(cells.BasicRNNCell(4), seq, dtype=tf.float32)",
        "tf.nn.dynamic_rnn(cells.LSTMCell(4), seq, lengths, dtype=tf.float32)",
        "tf.nn.dynamic_rnn(cells.GRUCell(4), part, tf.placeholder(tf.int64, [None]), dtype=tf.float32, time_major=True, "
        "scope='mine')",
        "tf.nn.dynamic_rnn(cells.GRUCell(4), part, dtype=tf.float32, parallel_iterations=3, swap_memory=True)",
        "tf.nn.dynamic_rnn(cells.GRUCell(4), seq, initial_state=tf.ones([2, 4]))",
        "tf.nn.dynamic_rnn(cells.MultiRNNCell([cells.LSTMCell(4), cells.BasicLSTMCell(3)]), seq, dtype=tf.float32)",
        "tf.nn.dynamic_rnn(cells.DropoutWrapper(cells.LSTMCell(4), 0.5), seq, dtype=tf.float32)",
        "tf.nn.dynamic_rnn(cells.BasicRNNCell(4), seq)",
        "tf.nn.dynamic_rnn(cells.BasicRNNCell(4), f, dtype=tf.float32)",
        "tf.nn.dynamic_rnn(cells.BasicRNNCell(4), seq, f, dtype=tf.float32)",
        "tf.nn.dynamic_rnn(3, seq, dtype=tf.float32)",
        "tf.nn.dynamic_rnn(cells.BasicRNNCell(4), tf.placeholder(tf.float32, [2, 5, None]), dtype=tf.float32)",
        "with tf.variable_scope('s', reuse=tf.AUTO_REUSE):\n    c = cells.GRUCell(4)\n"
        "    tf.nn.dynamic_rnn(c, seq, dtype=tf.float32), tf.nn.dynamic_rnn(c, seq, dtype=tf.float32)",
        "tf.nn.bidirectional_dynamic_rnn(cells.LSTMCell(4), cells.GRUCell(3), seq, dtype=tf.float32)",
        "tf.nn.bidirectional_dynamic_rnn(cells.GRUCell(4), cells.GRUCell(4), seq, lengths, dtype=tf.float32)",
        "tf.nn.bidirectional_dynamic_rnn(cells.GRUCell(4), cells.GRUCell(4), seq, time_major=True, dtype=tf.float32, "
        "scope='b')",
        # static
        "tf.nn.static_rnn(cells.LSTMCell(4), steps, dtype=tf.float32)",
        "tf.nn.static_rnn(cells.GRUCell(4), steps, dtype=tf.float32, sequence_length=lengths)",
        "tf.nn.static_rnn(cells.GRUCell(4), steps, initial_state=tf.ones([2, 4]), scope='mine')",
        "tf.nn.static_rnn(cells.GRUCell(4), steps)",
        "tf.nn.static_rnn(cells.GRUCell(4), f, dtype=tf.float32)",
        "tf.nn.static_rnn(cells.GRUCell(4), [], dtype=tf.float32)",
        "tf.nn.static_rnn(cells.GRUCell(4), [tf.placeholder(tf.float32, [2, None])], dtype=tf.float32)",
        "tf.nn.static_bidirectional_rnn(cells.LSTMCell(4), cells.LSTMCell(4), steps, dtype=tf.float32)",
        "tf.nn.static_bidirectional_rnn(cells.GRUCell(4), cells.GRUCell(4), steps, dtype=tf.float32, "
        "sequence_length=lengths)",
        """
class Saver:
    def state(self, name):
        return tf.identity(tf.ones([2, 4]), name='s_' + name)
    def save_state(self, name, value):
        return tf.identity(value, name='saved_' + name)
tf.nn.static_state_saving_rnn(cells.LSTMCell(4), steps, Saver(), ('c', 'h'))
tf.nn.static_state_saving_rnn(cells.GRUCell(4), steps, Saver(), 'g', scope='two')
""",
        "tf.nn.static_state_saving_rnn(cells.LSTMCell(4), steps, None, 'c')",
        # raw
        """
array = tf.TensorArray(tf.float32, 5).unstack(tf.transpose(seq, [1, 0, 2]))
cell = cells.LSTMCell(4)
def loop_fn(time, output, state, loop_state):
    next_state = cell.zero_state(2, tf.float32) if output is None else state
    finished = time >= lengths
    all_finished = tf.reduce_all(finished)
    x = tf.cond(all_finished, lambda: tf.zeros([2, 3]), lambda: array.read(time))
    return finished, x, next_state, output, None
arrays, state, loop_state = tf.nn.raw_rnn(cell, loop_fn)
arrays.stack()
""",
        """
def loop_fn(time, output, state, loop_state):
    if output is None:
        return lengths < 0, f, tf.zeros([2, 4]), tf.zeros([2, 1]), tf.constant(1)
    return time >= lengths, f, state, output[:, :1], loop_state + 1
tf.nn.raw_rnn(cells.GRUCell(4), loop_fn)
""",
        "tf.nn.raw_rnn(cells.GRUCell(4), 3)",
    )
]
