"""Learning rates and moving averages."""

STEP = "step = tf.train.get_or_create_global_step(); "
V = "v = tf.Variable([1.0, 2.0], name='v'); w = tf.get_variable('w', [3]); "

SCRIPTS = [
    STEP + "tf.train.exponential_decay(0.1, step, 100, 0.96)",
    "tf.train.exponential_decay(0.1, is_, 100, 0.96, staircase=True, name='ed')",
    "tf.train.exponential_decay(tf.constant(0.1, tf.float64), is_, is_, f[0, 0])",
    STEP + "tf.train.natural_exp_decay(0.1, step, 100, 0.5)",
    "tf.train.natural_exp_decay(0.1, is_, 100, 0.5, True, 'ne')",
    STEP + "tf.train.inverse_time_decay(0.1, step, 100, 0.5)",
    "tf.train.inverse_time_decay(0.1, is_, 100, 0.5, True, 'it')",
    STEP + "tf.train.piecewise_constant(step, [10, 20], [0.1, 0.01, 0.001])",
    "tf.train.piecewise_constant_decay(is_, [10], [1.0, 0.5], 'pc')",
    "tf.train.piecewise_constant(is_, [10.0], [1.0, 0.5])",
    "tf.train.piecewise_constant(is_, [10], [1, 0.5])",
    "tf.train.piecewise_constant(is_, [10], [1.0])",
    STEP + "tf.train.polynomial_decay(0.1, step, 100)",
    "tf.train.polynomial_decay(0.1, is_, 100, 0.01, 0.5, cycle=True, name='pd')",
    STEP + "tf.train.cosine_decay(0.1, step, 100)",
    "tf.train.cosine_decay(0.1, is_, 100, 0.1, 'cd')",
    STEP + "tf.train.cosine_decay_restarts(0.1, step, 100)",
    "tf.train.cosine_decay_restarts(0.1, is_, 100, 1.0, 0.9, 0.1, 'cr')",
    STEP + "tf.train.linear_cosine_decay(0.1, step, 100)",
    "tf.train.linear_cosine_decay(0.1, is_, 100, 2.0, 0.1, 0.01, 'lc')",
    STEP + "tf.train.noisy_linear_cosine_decay(0.1, step, 100)",
    "tf.set_random_seed(3); tf.train.noisy_linear_cosine_decay(0.1, is_, 100, 2.0, 0.5, 1.0, name='nl')",
    V + "tf.train.ExponentialMovingAverage(0.9).apply()",
    V + STEP + "tf.train.ExponentialMovingAverage(0.9, step, name='ema').apply([v])",
    V + "tf.train.ExponentialMovingAverage(0.9, zero_debias=True).apply([v, tf.reduce_sum(w)])",
    "tf.train.ExponentialMovingAverage(0.9).apply([f])",
    "tf.train.ExponentialMovingAverage(0.9, zero_debias=True).apply([dyn])",
    "tf.train.ExponentialMovingAverage(0.9).apply([i])",
    "r = tf.Variable([1.0], name='r', use_resource=True); tf.train.ExponentialMovingAverage(0.9).apply([r])",
    V
    + """
ema = tf.train.ExponentialMovingAverage(0.9)
ema.apply([v])
ema.apply([v, w])
averages = [ema.average(v).name, ema.average(w).name, ema.average_name(v), str(ema.average(f))]
tf.constant(averages + [ema.average_name(f), ema.name])
tf.constant(sorted(f'{key}={value.name}' for key, value in ema.variables_to_restore().items()))
tf.constant(sorted(f'{key}={value.name}' for key, value in ema.variables_to_restore([w]).items()))
tf.constant([x.name for x in tf.moving_average_variables()])
""",
    """
with tf.variable_scope('s', partitioner=tf.fixed_size_partitioner(2)):
    p = tf.get_variable('p', [4, 2], initializer=tf.zeros_initializer())
ema = tf.train.ExponentialMovingAverage(0.9)
ema.apply(list(p))
tf.constant([ema.average(x)._save_slice_info.spec + ema.average(x)._save_slice_info.full_name for x in p])
""",
    V
    + """
with tf.name_scope('outer'), tf.device('/cpu:0'):
    tf.train.ExponentialMovingAverage(0.9).apply([v])
""",
]
