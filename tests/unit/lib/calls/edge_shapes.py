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
    """
    def lists(op, **more):
        return getattr(tf.raw_ops, op)(element_shape=np.ones((2, 2), np.int32), **more)
    """,
    "lists('TensorListScatter', tensor=[1.0], indices=[0])",
    "lists('TensorListScatterV2', tensor=[1.0], indices=[0], num_elements=1)",
    "lists('TensorListFromTensor', tensor=[1.0])",
    "lists('TensorListSplit', tensor=[1.0], lengths=np.int64([1]))",
    """
    result = []
    for dims, form, rate in (([1, 2, None, None], 'NCHW', [2, 2]), ([1, None, None, 2], None, [2, 1]), (None, 'NCHW', 2)):
        image = tf.placeholder(tf.float32, dims)
        for padding in ('SAME', 'VALID'):
            made = tf.nn.convolution(image, np.zeros((3, 3, 2, 20), np.float32), padding, data_format=form, dilation_rate=rate)
            result.append(str(made.shape))
    """,
    """
    indices, sizes = np.int64([[0], [1]]), np.int64([1, 1])
    tf.raw_ops.SparseBincount(indices=indices, values=[1, 1], dense_shape=sizes, size=[1], weights=np.float32([]))
    """,
]
