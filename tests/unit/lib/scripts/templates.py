"""Templates, and scopes of variables in the places where they are easily entered or left in the wrong way."""

SCRIPTS = [
    """
def scale(x, name):
    return x * tf.get_variable(name, [], initializer=tf.constant_initializer(2.0))
t = tf.make_template("scale", scale, name="w")
a, b = t(f), t(g)
""",
    """
t = tf.make_template("t", lambda x: x + tf.get_variable("v", [3]), create_scope_now_=True)
t(f)
t(g)
""",
    """
t = tf.make_template("t", lambda x: x + tf.get_variable("v", [3]))
u = tf.make_template("t", lambda x: x + tf.get_variable("v", [3]))
t(f), u(f), t(g), u(g)
""",
    """
t = tf.make_template("t", lambda x: x + tf.get_variable("v", [3]), unique_name_="one")
u = tf.make_template("t", lambda x: x + tf.get_variable("v", [3]), unique_name_="one")
t(f)
try:
    u(f)
except ValueError as error:
    raise ValueError(str(error).split(" Originally")[0])
""",
    """
def getter(getter, name, **arguments):
    return tf.identity(getter(name, **arguments), name="got")
t = tf.make_template("t", lambda x: x + tf.get_variable("v", [3]), custom_getter_=getter)
with tf.variable_scope("outer"):
    t(f)
t(g)
""",
    """
t = tf.make_template("t", lambda x: x + tf.get_variable("v", [3]))
with tf.variable_scope("outer"):
    t(f)
tf.constant([t.name, t.variable_scope.name, t.variable_scope_name] + [v.name for v in t.variables + t.weights])
tf.constant([v.name for v in t.trainable_variables + t.trainable_weights + t.global_variables] + [str(t.local_variables)])
""",
    """
def two(x):
    tf.get_variable("frozen", [3], trainable=False)
    tf.get_local_variable("own", [3])
    return x + tf.get_variable("v", [3])
t = tf.make_template("t", two)
tf.constant([str(t.variables), str(t.variable_scope_name)])
t(f)
tf.constant([v.name for v in t.variables + t.non_trainable_variables])
""",
    """
t = tf.make_template("t", lambda x: x + tf.Variable(1.0))
t(f)
try:
    t(f)
except ValueError as error:
    raise ValueError(str(error).split(", perhaps")[0])
""",
    "tf.make_template(None, lambda x: x)",
    # Scopes of variables
    """
with tf.variable_scope("scope", auxiliary_name_scope=False) as scope:
    tf.constant([scope.original_name_scope, tf.get_variable("w", []).name])
with tf.variable_scope(scope, auxiliary_name_scope=False) as again:
    tf.constant([again.original_name_scope, tf.get_variable("x", []).name])
with tf.variable_scope("outer"):
    with tf.variable_scope("inner", auxiliary_name_scope=False) as inner:
        tf.constant([inner.original_name_scope, tf.get_variable("w", []).name])
""",
    """
scope = tf.variable_scope("bb")
with tf.variable_scope("aa"):
    scope.__enter__()
    with tf.variable_scope("cc"):
        try:
            scope.__exit__(None, None, None)
        except RuntimeError as error:
            told = str(error)
    scope.__exit__(None, None, None)
    tf.get_variable("v", [])
tf.constant(told)
""",
    """
def creator(next_creator, **arguments):
    return next_creator(**arguments)
stack = tf.get_default_graph()._variable_creator_stack
scope = tf.variable_creator_scope(creator)
scope.__enter__()
with tf.variable_creator_scope(creator):
    scope.__exit__(None, None, None)
""",
    # Initial values
    """
def body(i):
    tf.Variable(tf.zeros([]))
    return i + 1
try:
    tf.while_loop(lambda i: i < 3, body, [0])
except ValueError as error:
    raise ValueError(str(error).split("variable ")[0] + str(error).split("from ")[1])
""",
    """
def body(i):
    tf.Variable(tf.zeros([]), use_resource=True)
    return i + 1
try:
    tf.while_loop(lambda i: i < 3, body, [0])
except ValueError as error:
    raise ValueError(str(error).split("from ")[1].split(" Got:")[0])
""",
    # Parts of variables
    "tf.create_partitioned_variables([10, 43], [11, 1], tf.zeros([10, 43]))",
    "tf.create_partitioned_variables([10, 43], [1, 50], tf.zeros([10, 43]))",
    """
def init(shape, dtype=None, partition_info=None):
    return tf.zeros(shape) + float(partition_info.single_offset(shape)) + partition_info.single_slice_dim(shape)
tf.get_variable("v", [5, 3], initializer=init, partitioner=tf.fixed_size_partitioner(3))
""",
    """
def init(shape, dtype=None, partition_info=None):
    return tf.zeros(shape) + partition_info.single_slice_dim([3, 3, 3])
tf.get_variable("v", [5, 3], initializer=init, partitioner=tf.fixed_size_partitioner(3))
""",
    """
def init(shape, dtype=None, partition_info=None):
    return tf.zeros(shape) + partition_info.single_slice_dim([6, 3])
tf.get_variable("v", [5, 3], initializer=init, partitioner=tf.fixed_size_partitioner(3))
""",
    """
def init(shape, dtype=None, partition_info=None):
    return tf.zeros(shape) + partition_info.single_slice_dim(None)
tf.get_variable("v", [5, 3], initializer=init, partitioner=tf.fixed_size_partitioner(3))
""",
    'tf.Variable.SaveSliceInfo.from_spec("a b")',
    'tf.Variable.SaveSliceInfo.from_spec("4 a,0")',
    """
for name in ("__module__", "__name__", "__qualname__", "__doc__"):
    tf.constant(getattr(tf.Variable.__add__, name) == getattr(tf.Tensor.__add__, name))
tf.constant(tf.Variable(1.0)._distribute_strategy is None)
""",
]
