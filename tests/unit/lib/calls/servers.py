"""Calls of clusters and servers: what they say of themselves, and what sessions of one server share."""

CALLS = [
    "c = tf.train.ClusterSpec({'worker': ['a:1', 'b:2'], 'ps': {0: 'p:1', 2: 'q:2'}})",
    "c.jobs, c.num_tasks('ps'), c.task_indices('ps'), c.task_address('worker', 1), c.job_tasks('ps')",
    "c.as_dict(), bool(c), bool(tf.train.ClusterSpec({}))",
    "c, c == tf.train.ClusterSpec(c), c == tf.train.ClusterSpec(c.as_cluster_def()), c != tf.train.ClusterSpec({})",
    "str(c.as_cluster_def())",
    "c.num_tasks('x')",
    "c.task_indices('x')",
    "c.task_address('x', 0)",
    "c.task_address('ps', 1)",
    "c.job_tasks('x')",
    "tf.train.ClusterSpec({'w': 'a:1'}).as_dict()",
    "tf.train.ClusterSpec({'w': [3]})",
    "tf.train.ClusterSpec({3: ['a:1']})",
    "tf.train.ClusterSpec(['a:1'])",
    "tf.train.Server(3)",
    "tf.train.Server(c)",
    "tf.train.Server(c, 'worker')",
    "tf.train.Server(c, 'x')",
    "s = tf.train.Server.create_local_server()",
    "str(s.server_def)",
    "v = tf.Variable([1.0, 2.0], name='v')",
    "one, two = tf.Session(s.target), tf.Session(s.target)",
    """
    def told(session):
        try:
            return session.run(v)
        except tf.errors.FailedPreconditionError as error:
            return next(line for line in error.message.splitlines() if 'uninitialized' in line)
    """,
    "told(two)",
    "one.run(v.initializer), two.run(v).tolist(), two.run(v.assign_add([1.0, 1.0])).tolist(), one.run(v).tolist()",
    "one.close(), two.run(v).tolist(), tf.Session(s.target).run(v).tolist()",
    """
    with tf.Graph().as_default(), tf.Session(s.target) as other:
        result = other.run(tf.Variable([0.0, 0.0], name='v')).tolist()
    """,
    "q = tf.FIFOQueue(3, tf.float32, shared_name='q')",
    "two.run(q.enqueue(5.0)), tf.Session(s.target).run(q.dequeue())",
    "x = tf.random_uniform([], seed=3)",
    "a, b = tf.Session(s.target), tf.Session(s.target)",
    "first = a.run(x)",
    "b.run(x) == first, a.run(x) == first",
    "tf.Session.reset('')",
    "slow = tf.train.Server.create_local_server(config=tf.ConfigProto(operation_timeout_in_ms=50))",
    """
    try:
        tf.Session(slow.target).run(tf.FIFOQueue(1, tf.float32).dequeue())
    except tf.errors.DeadlineExceededError:
        result = 'too slow'
    """,
]
