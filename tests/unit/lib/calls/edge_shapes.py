"""Kernels and shape rules where shapes are empty, unknown or of a rank that nobody thought of."""

CALLS = [
    """
    def run(*fetches, feed=None):
        with tf.Session() as session:
            return [np.asarray(session.run(f, feed)).tolist() for f in fetches]

    splits = np.array([0, 2, 4], np.int64)
    """,
    "[tf.shape(tf.linalg.logm(np.zeros(s, np.complex64))).shape.as_list() for s in [(0, 0), (2, 0, 0)]]",
    "[np.shape(run(tf.linalg.logm(np.zeros(s, np.complex64)))[0]) for s in [(0, 0), (2, 0, 0)]]",
    "[np.shape(run(f(np.zeros((3, 0, 0))))[0]) for f in (tf.linalg.expm, tf.linalg.sqrtm)]",
    # counts of values in more than one axis
    "run(tf.raw_ops.RaggedBincount(splits=splits, values=[[1, 2], [1, 0]], size=3, weights=[[1.0, 2.0], [1.0, 0.0]]))",
    "run(tf.raw_ops.RaggedBincount(splits=splits, values=[1, 2, 1, 0], size=3, weights=[[1.0, 2.0], [1.0, 0.0]]))",
    "run(tf.raw_ops.RaggedBincount(splits=splits, values=[1, 2, 1, 0], size=[3], weights=tf.zeros([0])))",
    # gradients of slices joined, of unknown rank
    """
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    joined = tf.gather(tf.concat([x, y], 1), [1, 0])
    feed = {x: np.ones((3, 2)), y: np.ones((3, 1))}
    result = run(*[tf.convert_to_tensor(g) for g in tf.gradients(joined, [x, y])], feed=feed)
    """,
    """
    x, y = tf.placeholder(tf.float32, [3, 2]), tf.placeholder(tf.float32, [3, 1])
    joined = tf.gather(tf.concat([x, y], -1), [1, 0])
    feed = {x: np.ones((3, 2)), y: np.ones((3, 1))}
    result = run(*[tf.convert_to_tensor(g) for g in tf.gradients(joined, [x, y])], feed=feed)
    """,
    # what shape rules refuse or do not know
    "tf.raw_ops.EmptyTensorList(element_shape=np.ones((2, 2), np.int32), max_num_elements=1, element_dtype=tf.float32)",
    "tf.raw_ops.TensorListReserve(element_shape=np.ones((2, 2), np.int32), num_elements=1, element_dtype=tf.float32)",
    "tf.image.adjust_contrast(np.ones((2, 2, 3), np.float32), [1.0, 2.0])",
    "tf.sets.size(tf.SparseTensor([[0, 0]], [1], [2, 3])).shape",
]
