"""LinearOperators as arguments of functions of matrices; log-sums of RaggedTensors; samples of shapes of unknown rank."""

CALLS = [
    """
    full = tf.linalg.LinearOperatorFullMatrix([[2.0, 1.0], [1.0, 4.0]], is_self_adjoint=True, is_positive_definite=True)
    plain = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    diagonal = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    x = tf.constant([[1.0, 2.0], [3.0, 5.0]])

    def value(made):
        made = made.to_dense() if hasattr(made, 'to_dense') else made
        with tf.Session() as session:
            return np.round(np.asarray(session.run(made), np.float64), 4).tolist()
    """,
    "value(tf.matmul(x, plain)), value(tf.matmul(plain, x)), value(tf.matmul(a=plain, b=x, adjoint_a=True))",
    "value(tf.matmul(x, plain, adjoint_a=True)), value(tf.matmul(x, plain, adjoint_b=True))",
    "type(tf.matmul(plain, diagonal)).__name__, value(tf.matmul(plain, diagonal, adjoint_b=True))",
    "tf.matmul(plain, x, transpose_a=True)",
    "tf.matmul(plain, x, a_is_sparse=True)",
    "tf.matmul(plain, tf.ones([3, 2]))",
    "value(tf.linalg.matvec(plain, [1.0, 2.0])), value(tf.linalg.matvec(plain, [1.0, 2.0], adjoint_a=True))",
    "[value(getattr(tf.linalg, name)(full)) for name in ('adjoint', 'cholesky', 'diag_part', 'det', 'inv', 'logdet', 'trace')]",
    "value(tf.trace(full)), value(tf.matrix_determinant(full)), value(tf.matrix_inverse(plain, adjoint=True))",
    "value(tf.linalg.solve(plain, x, adjoint=True)), value(tf.matrix_solve(full, x))",
    "tf.linalg.solve(x, plain)",
    "tf.linalg.logdet(plain)",
    """
    ragged = tf.ragged.constant([[1.0, 2.0], [], [3.0, 700.0]])

    def rows(made):
        with tf.Session() as session:
            made = session.run(made)
        if hasattr(made, 'to_list'):
            return [np.round(row, 4).tolist() for row in made.to_list()]
        return np.round(np.asarray(made, np.float64), 3).tolist()
    """,
    "rows(tf.reduce_logsumexp(ragged, axis=1)), rows(tf.reduce_logsumexp(ragged))",
    "rows(tf.reduce_logsumexp(ragged, axis=1, keepdims=True)), rows(tf.reduce_logsumexp(ragged, axis=[0, 1]))",
    """
    result = []
    for shape in (3, [3], [2, 3], []):
        drawn = tf.distributions.Bernoulli(probs=[0.1, 0.2]).sample(tf.placeholder_with_default(np.int32(shape), None))
        with tf.Session() as session:
            result.append(session.run(drawn).shape)
    """,
    """
    result = []
    for dtype in ('float32', 'float64'):
        p = tf.constant([0.0, 1e-9, 0.3, 0.9, 1.0, 2.0, float('nan')], dtype)
        quantile = tf.distributions.Normal(tf.constant(0.0, dtype), tf.constant(1.0, dtype)).quantile(p)
        with tf.Session() as session:
            result += [['%.4g' % n for n in made] for made in session.run([quantile, tf.gradients(quantile, p)[0]])]
    """,
]
