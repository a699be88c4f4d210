"""Calls of variables: what they say of themselves, what sessions make of them, and the errors."""

CALLS = [
    "sess = tf.Session()",
    "v = tf.Variable([1.0, 2.0], name='v')",
    "v.name, v.dtype, v.shape, v.op.type, v.device, v.trainable, v.initializer.name, v.initial_value.name",
    "str(v), v.value().name, v.read_value().name, v._ref().dtype, v.constraint, v.aggregation, v.synchronization",
    "sess.run(v)",
    "sess.run(tf.is_variable_initialized(v)), sess.run(tf.report_uninitialized_variables())",
    "sess.run(tf.global_variables_initializer())",
    "sess.run(tf.is_variable_initialized(v)), sess.run(tf.report_uninitialized_variables())",
    "sess.run(v).tolist(), v.eval(sess).tolist(), sess.run(v.assign_add([1.0, 1.0])).tolist()",
    "sess.run(v + 1.0).tolist(), sess.run(2.0 * v).tolist(), sess.run(v[1]), sess.run(-v).tolist()",
    "v.load([5.0, 6.0], sess), sess.run(v).tolist()",
    "v.load([5.0, 6.0, 7.0], sess)",
    "v.eval()",
    "sess.run(v.assign([3.0, 4.0])).tolist(), sess.run(v.assign_sub([1.0, 1.0]).op)",
    "sess.run(v).tolist()",
    "v.assign([1.0, 2.0, 3.0])",
    "v.assign(1)",
    "sess.run(v.scatter_add(tf.IndexedSlices([10.0], [1]))).tolist()",
    "sess.run(tf.scatter_update(v, [0], [7.0])).tolist(), sess.run(tf.scatter_nd_update(v, [[1]], [8.0])).tolist()",
    "sess.run(v.scatter_sub(tf.IndexedSlices([1.0], [0]))).tolist()",
    """
    proto = v.to_proto()
    result = proto.variable_name, proto.initializer_name, proto.snapshot_name, proto.initial_value_name, proto.is_resource
    """,
    "tf.Variable.from_proto(proto) == v, tf.Variable.from_proto(proto).name, tf.Variable.from_proto(proto).shape",
    "tf.Variable.from_proto(proto, import_scope='other')",
    "tf.Variable([1.0], variable_def=proto)",
    "v.to_proto('x'), v.to_proto('v') is None",
    "c = tf.Variable(3, name='c', trainable=False)",
    "sess.run(c.initializer), [sess.run(c.count_up_to(5)) for _ in range(2)], sess.run(c)",
    "sess.run(c.count_up_to(5))",
    "r = tf.Variable([[1, 2], [3, 4]], name='r', use_resource=True)",
    "r.name, r.dtype, r.shape, r.op.type, r.handle.dtype, r.initializer.name, r.trainable, str(r)",
    "sess.run(r.is_initialized())",
    "sess.run(r.initializer), sess.run(r.is_initialized()), sess.run(r).tolist()",
    "sess.run(r.assign_add([[1, 1], [1, 1]])).tolist(), sess.run(r.assign([[0, 0], [1, 1]], read_value=False))",
    "sess.run(r.read_value()).tolist(), sess.run(r[0]).tolist(), sess.run(r * 2).tolist()",
    "sess.run(r.scatter_update(tf.IndexedSlices([[9, 9]], [0]))).tolist()",
    "sess.run(r.sparse_read([1])).tolist(), sess.run(r.gather_nd([[0, 1]])).tolist()",
    "r.assign([1, 2])",
    "r.load([[5, 5], [5, 5]], sess), sess.run(r).tolist()",
    """
    proto = r.to_proto()
    result = proto.variable_name, proto.initializer_name, proto.snapshot_name, proto.initial_value_name, proto.is_resource
    """,
    "tf.Variable.from_proto(proto).name",
    "bool(v)",
    "[x.name for x in tf.global_variables()], [x.name for x in tf.trainable_variables()], tf.local_variables()",
    "tf.Variable()",
    "tf.Variable(lambda: 1.0)",
    "tf.Variable(lambda: 1.0, dtype=tf.float32, name='late').name",
    "tf.Variable(tf.placeholder(tf.float32), name='unknown')",
    "tf.Variable(tf.placeholder(tf.float32), name='unknown', validate_shape=False).shape",
    "tf.Variable(1.0, collections='x')",
    "tf.Variable([1], constraint=3)",
    "tf.Variable('text', name='t').dtype, tf.Variable(True).dtype, tf.Variable(np.float16(1)).dtype",
    """
    with tf.variable_scope('scope') as scope:
        w = tf.get_variable('w', [2, 3], initializer=tf.ones_initializer())
    result = w.name, w.shape, scope.name, scope.original_name_scope, scope.reuse
    """,
    """
    with tf.variable_scope('scope', reuse=True):
        result = tf.get_variable('w', [2, 3]) is w, tf.get_variable('w') is w
    """,
    """
    with tf.variable_scope('scope'):
        tf.get_variable('w', [2, 3])
    """,
    """
    with tf.variable_scope('scope', reuse=True):
        tf.get_variable('other', [2, 3])
    """,
    """
    with tf.variable_scope('scope', reuse=True):
        tf.get_variable('w', [3, 3])
    """,
    """
    with tf.variable_scope('scope', reuse=True):
        tf.get_variable('w', [2, 3], dtype=tf.int32)
    """,
    """
    with tf.variable_scope('scope', reuse=tf.AUTO_REUSE):
        result = tf.get_variable('w', [2, 3]) is w, tf.get_variable('new', []).name
    """,
    "tf.get_variable('bad')",
    "tf.get_variable('bad', [2], initializer=tf.constant([1.0]))",
    "tf.get_variable('bad', [None, 2])",
    "tf.get_variable('bad', [2], dtype=tf.variant)",
    "tf.get_variable('', [2])",
    "tf.get_variable('given', initializer=tf.constant([[1, 2]])).shape",
    "tf.get_variable('text', [2], dtype=tf.string).initial_value.op.type",
    """
    with tf.variable_scope('parts', partitioner=tf.fixed_size_partitioner(2)):
        p = tf.get_variable('p', [5, 2], initializer=tf.zeros_initializer())
    result = p.name, p.shape, p.dtype, [(x.name, x.shape) for x in p], len(p)
    """,
    "[x._get_save_slice_info().spec for x in p], [x.to_proto().save_slice_info_def.var_offset[:] for x in p]",
    "sess.run([x.initializer for x in p]), sess.run(p.as_tensor()).tolist()",
    "sess.run(p.assign(np.ones([5, 2], 'f'))) is not None",
    "sess.run(tf.convert_to_tensor(p)).sum()",
    """
    def getter(wrapped, name, *args, **kwargs):
        return wrapped(name + '_got', *args, **kwargs)
    with tf.variable_scope('custom', custom_getter=getter):
        result = tf.get_variable('g', [1]).name
    """,
    """
    with tf.variable_scope(None, default_name='layer'):
        one = tf.get_variable('k', []).name
    with tf.variable_scope(None, default_name='layer'):
        two = tf.get_variable('k', []).name
    result = one, two
    """,
    """
    with tf.variable_scope('a') as s, tf.variable_scope('b'):
        with tf.variable_scope(s):
            inner = tf.get_variable_scope().name
        with tf.variable_scope(s, auxiliary_name_scope=False):
            made = tf.constant(1).name
        result = inner, made, tf.get_variable('z', []).name, tf.constant(1).name
    """,
    """
    with tf.variable_scope('typed', dtype=tf.float64, use_resource=True, initializer=tf.ones_initializer()):
        y = tf.get_variable('y', [1])
    result = y.dtype, y.op.type, tf.get_variable_scope().dtype
    """,
    "type(tf.variable_scope(3)).__name__",
    """
    with tf.variable_scope(None):
        pass
    """,
    """
    with tf.variable_scope(None, default_name='x', reuse=True):
        pass
    """,
    "tf.get_variable_scope().reuse_variables(), tf.get_variable_scope().reuse",
    "tf.get_local_variable('local', [1])",
    "tf.assert_variables_initialized([v]).name",
    "tf.initialize_all_variables().type, tf.variables_initializer([]).type, tf.tables_initializer().type",
    "type(tf.GraphKeys.GLOBAL_VARIABLES).__name__, tf.get_collection('trainable_variables', 'scope')",
    "sess.close()",
]
