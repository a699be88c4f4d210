"""Calls of tf.function and tf.wrap_function: nodes, values, errors."""

CALLS = [
    """
    def nodes(start=0):
        listed = []
        for op in tf.get_default_graph().get_operations()[start:]:
            waits = sorted(source.name for source in op.control_inputs)
            listed.append((op.name, op.type, [t.name for t in op.inputs], waits, [str(t.shape) for t in op.outputs]))
        return listed

    def count():
        return len(tf.get_default_graph().get_operations())

    def values(*fetches):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return [np.asarray(session.run(f, {x: [[1, 2, 3], [4, 5, 6]]})).tolist() for f in fetches]

    x = tf.placeholder(tf.float32, [2, 3], name='x')
    v = tf.Variable(2.0, use_resource=True, name='v')
    """,
    # calls, defaults, structures
    """
    @tf.function
    def scaled(a, by=3, *, on=True):
        return {'y': a * by * v + x, 'z': [a, None]}

    start = count()
    y = scaled(x)
    more = scaled(x, by=4, on=False)
    with tf.name_scope('scope'):
        again = scaled(x)
    result = y, more, again, nodes(start)
    """,
    "scaled.experimental_get_tracing_count(), scaled.name",
    "values(y['y'], more['y'], again['z'][0])",
    # gradients: of the arguments, of what is taken in, of the second order
    """
    start = count()
    grads = tf.gradients(y['y'], [x, v])
    result = [g.shape for g in grads], [n[:3] for n in nodes(start)][:4]
    """,
    "values(*grads)",
    """
    @tf.function
    def cubed(a):
        return a * a * a

    first = tf.gradients(cubed(x), x)[0]
    second = tf.gradients(first, x)[0]
    third = tf.gradients(second, x)[0]
    result = values(first, second, third)
    """,
    """
    @tf.function
    def branching(a):
        return tf.cond(a[0, 0] > 0.0, lambda: tf.sin(a) * v, lambda: a)

    g = tf.gradients(branching(x), [x, v])
    result = [np.round(u, 4).tolist() for u in values(*g)]
    """,
    """
    @tf.function
    def looping(a):
        return tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * a), [0, a])[1]

    result = values(looping(x), tf.gradients(looping(x), x)[0])
    """,
    """
    @tf.function
    def outer(a):
        return scaled(a)['y'] + tf.gradients(cubed(a), a)[0]

    result = values(outer(x), tf.gradients(outer(x), x)[0])
    """,
    """
    @tf.function
    def dropped(a):
        return tf.nn.dropout(a, rate=0.5)

    d = dropped(x)
    g = tf.gradients(d, x)[0]
    with tf.Session() as session:
        a, b = session.run([d, g], {x: np.ones([2, 3])})
    result = (a == b).all()
    """,
    """
    @tf.function
    def gathered(a, table):
        return tf.gather(table, tf.cast(a[0], tf.int32) - 1)

    table = tf.Variable([[1.0], [2.0], [3.0]], use_resource=True)
    g = tf.gradients(gathered(x, table), table)[0]
    result = values(gathered(x, table), tf.convert_to_tensor(g))
    """,
    # order and effects
    """
    @tf.function
    def stepped():
        v.assign_add(1.0)
        a = v * 10.0
        v.assign(a)
        return a, v.read_value()

    start = count()
    t = stepped()
    u = stepped()
    result = nodes(start), values(t, v)
    """,
    """
    @tf.function
    def only_effect(a):
        v.assign_sub(a)

    start = count()
    r = only_effect(1.0)
    with tf.control_dependencies([tf.get_default_graph().get_operations()[-1]]):
        after = v.read_value()
    result = r, values(after)
    """,
    """
    w = tf.Variable(1.0, use_resource=True)

    @tf.function
    def effects(a):
        n = tf.cond(a[0, 0] > 0.0, lambda: [w.assign(5.0).op, v.assign(7.0).op], lambda: [tf.no_op(), tf.no_op()])
        i = tf.while_loop(lambda i: i < 3, lambda i: [tf.identity(i + 1) if w.assign_add(1.0) is not None else i], [0])
        return n[1]

    result = values(effects(x), w, v)
    """,
    # what it is traced anew for
    """
    seen = []

    @tf.function
    def noting(a):
        seen.append('tensor' if hasattr(a, 'shape') else a)
        return a

    ones = tf.ones([2, 3])
    for a in (ones, ones, tf.ones([3, 3]), tf.ones([2, 3], tf.int32), 1, 1, 2, 1.0, True, 's', None,
              np.ones([2, 3], np.float32), np.ones([2, 3]), np.float32(1), [1, 2], [1, 2], (1, 2), {'k': 1}):
        noting(a)
    result = seen
    """,
    """
    seen = []

    @tf.function(reduce_retracing=True)
    def relaxed(a):
        seen.append(a.shape)
        return a

    for a in (tf.ones([2, 3]), tf.ones([3, 3]), tf.ones([4, 3]), tf.ones([4, 5]), tf.ones([1, 1])):
        relaxed(a)
    result = seen
    """,
    "noting({1, 2})",
    # variables made at the first call
    """
    class Layer:
        def __init__(self):
            self.w = None

        @tf.function
        def __call__(self, a):
            if self.w is None:
                self.w = tf.Variable(tf.ones([3]) * 2, name='w')
            return a * self.w

    start = count()
    layer, other = Layer(), Layer()
    p = layer(x)
    q = layer(x + 1)
    o = other(x)
    result = [n[:3] for n in nodes(start)], [w.name for w in tf.global_variables()]
    """,
    "values(p, q, o, tf.gradients(p, layer.w)[0])",
    """
    @tf.function
    def careless(a):
        return a + tf.Variable(2.0)

    try:
        careless(x)
    except ValueError as error:
        result = 'tf.function only supports singleton tf.Variables created on the first call.' in str(error)
    """,
    # input_signature
    """
    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, name='given'), tf.TensorSpec([], tf.int32)])
    def signed(a, n):
        return a * tf.cast(n, tf.float32)

    start = count()
    r = signed(x, 2), signed([[1, 2, 3]], tf.constant(3)), signed(n=1, a=np.zeros([4, 3]))
    result = r, nodes(start)
    """,
    "signed(1)",
    "signed(x, 1, 2)",
    "signed(tf.ones([2, 2]), 1)",
    "signed(tf.ones([2, 3], tf.int32), 1)",
    "tf.function(3)",
    "tf.function(lambda a: a, input_signature=3)",
    """
    @tf.function
    def tensors_only(a):
        return object()

    try:
        tensors_only(x)
    except TypeError as error:
        result = str(error).split(';')[0], str(error).split(',')[-1]
    """,
    # concrete functions
    """
    c = signed.get_concrete_function()
    result = (c.inputs, c.outputs, c.structured_outputs, c.structured_input_signature, c.captured_inputs, c.variables,
              c.output_dtypes, c.output_shapes, c.name.startswith(b'__inference_signed_'))
    """,
    "values(c(x, tf.constant(2)), c(given=x, n=tf.constant(3)))",
    """
    def many(a, b=2, *c, **k):
        return a

    d = tf.function(many).get_concrete_function(tf.TensorSpec([None], tf.int32), 3, k=tf.TensorSpec([], tf.float32))
    result = d.structured_input_signature, d.inputs, d(tf.constant([1, 2]), 3, k=1.0).shape
    """,
    "scaled.get_concrete_function(x).captured_inputs == [v.handle, x]",
    "[w.name for w in scaled.get_concrete_function(x).variables]",
    "tf.function(lambda s: s)(tf.SparseTensor([[0, 1]], [1.0], [2, 2])).dense_shape.shape",
    """
    with tf.Graph().as_default() as graph, tf.device('/cpu:1'):
        noting(1.5)
        noting(tf.constant(1.5))
    result = graph.get_operations()[-1].device
    """,
    # wrap_function
    """
    def build(q):
        with tf.variable_scope('s'):
            w = tf.get_variable('w', [3], initializer=tf.ones_initializer())
        b = tf.Variable(3.0, name='b')
        return {'o': q * w + b}

    start = count()
    wrapped = tf.wrap_function(build, [tf.TensorSpec([None, 3], tf.float32)])
    o = wrapped(x)
    result = (nodes(start), wrapped.inputs, wrapped.outputs, wrapped.structured_outputs, wrapped.captured_inputs,
              [w.name for w in wrapped.variables], [op.name for op in wrapped.graph.get_operations()])
    """,
    "values(o['o'], tf.gradients(o['o'], wrapped.variables)[0])",
    """
    pruned = wrapped.prune('Placeholder:0', {'m': 'mul:0', 'op': 'add'})
    result = pruned.structured_outputs, pruned(x), values(pruned(x)['m'])
    """,
    "values(wrapped.prune('mul:0', 'add:0')(x * 0))",
    """
    try:
        wrapped.prune('mul', 'add:0')
    except ValueError as error:
        result = str(error).split('\\n')[0]
    """,
    "values(wrapped.prune('Placeholder:0', 'mul/ReadVariableOp:0')(x))",
]
