"""tf.debugging, tf.config.experimental, tf.compat and tf.test: what they say, and the nodes of `assert_shapes`."""

CALLS = [
    """
    import datetime
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    y = tf.placeholder(tf.float32, [4, None], name='y')
    u = tf.placeholder(tf.float32, name='u')
    s = tf.constant(2.0, name='s')
    sparse = tf.SparseTensor([[0, 0]], [1.0], [2, 3])

    def nodes(start):
        return [(op.name, op.type, [t.name for t in op.inputs], sorted(c.name for c in op.control_inputs))
                for op in tf.get_default_graph().get_operations()[start:]]

    def count():
        return len(tf.get_default_graph().get_operations())

    def run(fetch, feeds):
        with tf.Session() as session:
            try:
                return session.run(fetch, feeds)
            except tf.errors.InvalidArgumentError as error:
                return [line for line in error.message.splitlines() if 'assertion failed' in line]
    """,
    # assert_shapes
    "tf.debugging.assert_shapes([(x, ('N', 'Q')), (y, ('Q', 'D'))])",
    "tf.debugging.assert_shapes([(x, ('N', 4))])",
    "tf.debugging.assert_shapes([(x, ('N', '4'))], message='hey')",
    "tf.debugging.assert_shapes([(x, ('N', '*'))])",
    "tf.debugging.assert_shapes([(x, 4)], message='no')",
    "tf.debugging.assert_shapes([(x, ('N',))])",
    "tf.debugging.assert_shapes([(x, (..., 'N', 'M', 'K'))])",
    "tf.debugging.assert_shapes([(s, (2,))])",
    "tf.debugging.assert_shapes([(y, (5, None))])",
    "tf.debugging.assert_shapes({x: ('N', 3), y: ('N', 'D')}).name",
    """
    start = count()
    check = tf.debugging.assert_shapes([(x, ('N', 3)), (y, ('N', 'D')), (u, (..., 'D'))], name='check')
    result = check.name, nodes(start)
    """,
    "run(check, {x: np.zeros((4, 3)), y: np.zeros((4, 2)), u: np.zeros((7, 2))})",
    "run(check, {x: np.zeros((5, 3)), y: np.zeros((4, 2)), u: np.zeros((7, 2))})",
    "run(check, {x: np.zeros((4, 3)), y: np.zeros((4, 2)), u: np.zeros((7, 3))})",
    """
    start = count()
    low = tf.debugging.assert_shapes([(u, ('A', 'B')), (s, ()), (s, (1,)), (x, None), (y, ('.', None))], message='low')
    result = nodes(start)
    """,
    "run(low, {u: np.zeros((2, 2))})",
    "run(low, {u: 1.0})",
    "run(tf.debugging.assert_shapes([(u, ('A', 'A'))], data=['both', x], summarize=1), {u: [[1.0, 2.0]], x: [[1., 2, 3]]})",
    "run(tf.debugging.assert_shapes([(sparse, ('A', 'B')), (x, ('C', 'B'))]), {x: np.zeros((2, 3))})",
    "run(tf.debugging.assert_shapes([(x, 'nq'), (y, 'nd')]), {x: np.zeros((4, 3)), y: np.zeros((4, 1))})",
    # process options
    """
    e = tf.config.experimental
    result = [e.get_device_policy(), e.get_synchronous_execution()]
    for policy in ('explicit', 'warn', 'silent_for_int32', None):
        e.set_device_policy(policy)
        result.append(e.get_device_policy())
    e.set_synchronous_execution(False)
    result.append(e.get_synchronous_execution())
    e.set_synchronous_execution(True)
    result += [e.get_synchronous_execution(), e.enable_mlir_bridge(), e.disable_mlir_bridge()]
    """,
    """
    result = []
    for function in (e.get_memory_info, e.get_memory_usage, e.reset_memory_stats):
        for device in ('CPU:0', '/device:CPU:0', '/job:localhost/replica:0/task:0/device:CPU:0', 'GPU:0', 'bad', 'CPU'):
            try:
                result.append(function(device))
            except ValueError as error:
                result.append(str(error))
    """,
    """
    d = tf.debugging
    result = [d.get_log_device_placement()]
    d.set_log_device_placement(True)
    result.append(d.get_log_device_placement())
    d.set_log_device_placement(False)
    """,
    """
    tf.debugging.enable_check_numerics()
    tf.debugging.enable_check_numerics()
    result = []
    with tf.Graph().as_default():
        a = tf.placeholder(tf.float32, [None], name='a')
        logarithm = tf.log(a, name='logarithm') + 1.0
        with tf.Session() as session:
            result.append(session.run(logarithm, {a: [1.0]}).tolist())
            try:
                session.run(logarithm, {a: [-1.0]})
            except tf.errors.InvalidArgumentError as error:
                result.append(('logarithm' in str(error), 'NaN' in str(error)))
    tf.debugging.disable_check_numerics()
    tf.debugging.disable_check_numerics()
    with tf.Graph().as_default(), tf.Session() as session:
        result.append(bool(np.isnan(session.run(tf.log(tf.constant(-1.0))))))
    """,
    # compat
    """
    c = tf.compat
    result = [c.forward_compatible(2026, 1, 15), c.forward_compatible(2026, 1, 16), c.forward_compatible(2000, 99, 99)]
    with c.forward_compatibility_horizon(2200, 1, 1):
        result += [c.forward_compatible(2199, 12, 31), c.forward_compatible(2200, 1, 1)]
    with c.forward_compatibility_horizon(2000, 1, 1):
        result += [c.forward_compatible(2026, 1, 15)]
    result += [c.forward_compatible(2199, 12, 31)]
    """,
    "[[kind.__name__ for kind in kinds] for kinds in (c.integral_types, c.real_types, c.complex_types)]",
    "[kind.__name__ for kind in c.bytes_or_text_types]",
    # tests and benchmarks
    "str(tf.test.benchmark_config())",
    """
    class Timed(tf.test.Benchmark):
        def benchmarkIt(self):
            with tf.Session() as session:
                return self.run_op_benchmark(session, s + 1.0, min_iters=3, extras={'k': 'v'}, mbs=2)

        def benchmarkOther(self):
            self.report_benchmark(iters=2, metrics=[{'value': 1.0}])

    made = Timed().benchmarkIt()
    result = [made['iters'], made['name'], made['extras']['k'], made['wall_time'] > 0, made['extras']['wall_time_stdev'] >= 0]
    """,
    "Timed().benchmarkOther()",
    "tf.test.Benchmark.is_abstract(), Timed.is_abstract()",
    """
    class Base:
        @staticmethod
        def make():
            return 'base'

    class Derived(Base):
        kept = 1

    stubs = tf.test.StubOutForTesting()
    stubs.SmartSet(Base, 'make', lambda: 'stub')
    stubs.Set(Derived, 'kept', 2)
    result = [Base.make(), Derived.make(), Derived.kept]
    stubs.SmartUnsetAll()
    result += [Base.make(), Base().make(), Derived.kept]
    stubs.UnsetAll()
    result += [Derived.kept]
    with tf.test.StubOutForTesting() as stubs:
        stubs.SmartSet(datetime, 'date', None)
        result += [datetime.date]
    result += [datetime.date.__name__]
    """,
    "tf.test.StubOutForTesting().Set(Derived, 'none', 1)",
    "tf.test.StubOutForTesting().SmartSet(Derived, 'none', 1)",
]
