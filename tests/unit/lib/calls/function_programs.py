"""Programs with tf.function: in loops and conditionals, with optimizers, arrays, one's own gradients."""

CALLS = [
    """
    def values(*fetches, feed=None):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return [np.round(np.asarray(v, np.float64), 3).tolist() for v in session.run(list(fetches), feed)]

    x = tf.constant([1.0, 2.0])

    @tf.function
    def square(a):
        return a * a
    """,
    """
    r = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, square(a)), [0, x])[1]
    result = values(r, tf.gradients(r, x)[0])
    """,
    """
    p = tf.placeholder(tf.bool, [])
    r = tf.cond(p, lambda: square(x), lambda: x)
    g = tf.gradients(r, x)[0]
    result = values(r, g, feed={p: True}), values(r, g, feed={p: False})
    """,
    """
    @tf.function
    def scoped(a):
        with tf.variable_scope('s', reuse=tf.AUTO_REUSE):
            return a * tf.get_variable('w', [2], initializer=tf.ones_initializer())

    result = values(scoped(x), scoped(x + 1)), [v.name for v in tf.global_variables()]
    """,
    """
    w = tf.Variable([1.0, 1.0], use_resource=True)

    @tf.function
    def loss(a):
        return tf.reduce_sum(tf.square(a - w))

    lost = loss(x * 3)
    train = tf.train.GradientDescentOptimizer(0.25).minimize(lost, var_list=[w])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(train)
        result = session.run(w).tolist(), float(session.run(lost))
    """,
    """
    w = tf.Variable([1.0, 1.0], use_resource=True)
    optimizer = tf.train.GradientDescentOptimizer(0.25)

    @tf.function
    def step(a):
        lost = tf.reduce_sum(tf.square(a - w))
        optimizer.apply_gradients(zip(tf.gradients(lost, [w]), [w]))
        return lost

    lost = step(x * 3)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        result = [float(session.run(lost)) for _ in range(3)]
    """,
    """
    @tf.function
    def rows():
        array = tf.TensorArray(tf.float32, size=3)
        for i in range(3):
            array = array.write(i, x * i)
        return array.stack()

    r = rows()
    result = values(r, tf.gradients(r, x)[0])
    """,
    """
    Pair = collections.namedtuple('Pair', 'a b')

    @tf.function
    def turned(p):
        return Pair(p.b, p.a), {'k': [p.a + 1]}

    r = turned(Pair(x, x * 2))
    result = type(r[0]).__name__, values(r[0].a, r[0].b, r[1]['k'][0])
    """,
    """
    @tf.custom_gradient
    def doubled(a):
        return a * 2, lambda dy: dy * 10

    result = values(tf.gradients(tf.function(lambda a: doubled(a))(x), x)[0])
    """,
    """
    with tf.control_dependencies([tf.constant(1.0)]):
        r = square(x)
    result = len(r.op.control_inputs), values(r)
    """,
    "values(tf.function(lambda a: tf.py_func(lambda v: v + 1, [a], tf.float32))(x))",
    """
    r = tf.function(lambda a: tf.map_fn(lambda v: v * v, a))(x)
    result = values(r, tf.gradients(r, x)[0])
    """,
]
