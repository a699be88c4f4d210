"""Calls of learning rates, moving averages and losses, run in sessions."""

CALLS = [
    "sess = tf.Session()",
    "step = tf.train.create_global_step()",
    "v = tf.Variable([1.0, 2.0], name='v')",
    "ema = tf.train.ExponentialMovingAverage(0.5)",
    "update = ema.apply([v])",
    "debiased = tf.train.ExponentialMovingAverage(0.5, zero_debias=True)",
    "update_sum = debiased.apply([tf.reduce_sum(v, name='total')])",
    "sess.run(tf.global_variables_initializer())",
    "sess.run(ema.average(v)).tolist(), sess.run(v.assign([3.0, 6.0])).tolist(), sess.run(update)",
    "sess.run(ema.average(v)).tolist(), sess.run(update), sess.run(ema.average(v)).tolist()",
    "total = tf.get_default_graph().get_tensor_by_name('total:0')",
    "[(sess.run(update_sum), float(sess.run(debiased.average(total)))) for _ in range(2)]",
    "sorted((key, value.name) for key, value in ema.variables_to_restore().items())",
    """
    rates = {
        'exponential': tf.train.exponential_decay(1.0, step, 2, 0.5),
        'staircase': tf.train.exponential_decay(1.0, step, 2, 0.5, staircase=True),
        'inverse': tf.train.inverse_time_decay(1.0, step, 2, 0.5),
        'piecewise': tf.train.piecewise_constant(step, [1, 2], [1.0, 0.5, 0.25]),
        'polynomial': tf.train.polynomial_decay(1.0, step, 4, 0.5),
        'cycle': tf.train.polynomial_decay(1.0, step, 2, 0.5, cycle=True),
    }
    """,
    """
    result = []
    for _ in range(4):
        result.append({key: round(float(value), 6) for key, value in sorted(sess.run(rates).items())})
        sess.run(tf.assign_add(step, 1))
    """,
    "weights = tf.placeholder(tf.float32)",
    "loss = tf.losses.mean_squared_error(tf.placeholder_with_default([[1.0, 2.0]], None), [[2.0, 4.0]], weights)",
    "[float(sess.run(loss, {weights: w})) for w in (1.0, [[0.0, 1.0]], [[2.0]])]",
    "sess.run(loss, {weights: [[1.0], [2.0]]})",
    "sess.run(loss, {weights: [1.0, 2.0]})",
    "float(sess.run(tf.losses.get_total_loss(), {weights: 1.0}))",
    "[x.tolist() for x in sess.run(tf.image.rot90(tf.reshape(tf.range(4), [2, 2, 1]), tf.cast(step, tf.int32)))]",
    "sess.run(tf.nn.zero_fraction([0, 1, 0, 0])).item(), sess.run(tf.is_non_decreasing([1, 1, 2])).item()",
    """
    step = tf.cast(step, tf.int32)
    signal = tf.constant(np.sin(np.arange(32)).astype('float32'))
    frames = tf.signal.stft(signal, step * 2, step)
    back = tf.signal.inverse_stft(frames, step * 2, step, window_fn=tf.signal.inverse_stft_window_fn(step))
    result = sess.run(tf.shape(frames)).tolist(), bool(np.abs(sess.run(back - signal))[8:-8].max() < 1e-5)
    """,
    "sess.close()",
]
