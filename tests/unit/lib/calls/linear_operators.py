"""Values of linear operators of each kind, rounded."""

START = """
D = tf.float64
def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    value = np.asarray(value)
    if value.dtype.kind in 'fc':
        value = np.round(value, 3) + 0.0
    return value.tolist()
def A(values, dtype=np.float64):
    return tf.constant(np.array(values, dtype))
def said(error):
    text = str(getattr(error, 'message', error))
    return type(error).__name__ + ': ' + text[max(text.find('assertion failed'), 0):].splitlines()[0][:60]
def built(function):
    try:
        got = function()
        if isinstance(got, tf.linalg.LinearOperator):
            return (type(got).__name__, got.name, built(got.to_dense))
        return got
    except (NotImplementedError, ValueError, TypeError, tf.errors.OpError) as error:
        return said(error)
def run(found):
    tensors = [t for f in found for t in (f if isinstance(f, tuple) else [f]) if isinstance(t, tf.Tensor)]
    with tf.Session() as session:
        values = dict(zip(map(id, tensors), session.run(tensors)))
        def value(f):
            if isinstance(f, tuple):
                return [value(x) for x in f]
            if isinstance(f, tf.Operation):
                try:
                    return session.run(f)
                except tf.errors.OpError as error:
                    return said(error)
            return plain(values[id(f)]) if id(f) in values else f
        return [value(f) for f in found]
def of(function):
    return run([built(function)])[0]
def V(op):
    n, m = op.shape.as_list()[-1], op.shape.as_list()[-2]
    x = A(np.arange(n * 2).reshape(n, 2) % 5 + 1.0, op.dtype.as_numpy_dtype)
    y = A(np.arange(m * 2).reshape(m, 2) % 3 + 1.0, op.dtype.as_numpy_dtype)
    tests = {
        'dense': op.to_dense, 'matmul': lambda: op.matmul(x), 'matvec': lambda: op.matvec(x[:, 0]),
        'adjoint matmul': lambda: op.matmul(y, adjoint=True), 'arg': lambda: op.matmul(tf.linalg.adjoint(x), adjoint_arg=True),
        'solve': lambda: op.solve(y), 'adjoint solve': lambda: op.solve(x, adjoint=True),
        'solvevec': lambda: op.solvevec(y[:, 0]), 'det': op.determinant, 'log': op.log_abs_determinant,
        'diag': op.diag_part, 'trace': op.trace, 'add': lambda: op.add_to_tensor(op.to_dense()), 'cond': op.cond,
        'eigvals': lambda: tf.sort(tf.real(op.eigvals())), 'H': op.adjoint, 'inverse': op.inverse, 'cholesky': op.cholesky,
        'product': lambda: op.matmul(op.adjoint()), 'non_singular': op.assert_non_singular, 'adjoint?': op.assert_self_adjoint,
        'positive': op.assert_positive_definite, 'shape': op.shape_tensor, 'batch': op.batch_shape_tensor,
        'rank': op.tensor_rank_tensor, 'columns': op.domain_dimension_tensor, 'rows': op.range_dimension_tensor,
    }
    if isinstance(op, tf.linalg.LinearOperatorLowRankUpdate):
        del tests['adjoint?']
    facts = [op.name, op.shape.as_list(), op.dtype, op.is_square, op.is_non_singular, op.is_self_adjoint]
    return facts + [op.is_positive_definite, sorted(op.parameters), dict(zip(tests, run([built(test) for test in tests.values()])))]
L = tf.linalg
full = L.LinearOperatorFullMatrix(A([[4.0, 1.0], [2.0, 3.0]]))
pd = L.LinearOperatorFullMatrix(A([[4.0, 1.0], [1.0, 3.0]]), is_self_adjoint=True, is_positive_definite=True, name='pd')
tril = L.LinearOperatorLowerTriangular(A([[2.0, 9.0], [1.0, 3.0]]))
diag = L.LinearOperatorDiag(A([2.0, -1.0, 3.0]))
pdiag = L.LinearOperatorDiag(A([[2.0, 1.0], [4.0, 3.0]]), is_positive_definite=True)
eye = L.LinearOperatorIdentity(2, dtype=D)
"""

CALLS = [
    START,
    "V(full)",
    "V(pd)",
    "V(tril)",
    "V(diag)",
    "V(pdiag)",
    "V(L.LinearOperatorDiag(A([1 + 2j, 3.0], np.complex128)))",
    "V(eye)",
    "V(L.LinearOperatorIdentity(2, batch_shape=[2], dtype=D, assert_proper_shapes=True))",
    "V(L.LinearOperatorScaledIdentity(3, A(2.5)))",
    "V(L.LinearOperatorScaledIdentity(2, A([2.0, 4.0]), is_positive_definite=True, assert_proper_shapes=True))",
    "V(L.LinearOperatorZeros(2, dtype=D))",
    "V(L.LinearOperatorZeros(2, 3, dtype=D, is_square=False, is_self_adjoint=False))",
    "V(L.LinearOperatorAdjoint(full))",
    "V(L.LinearOperatorAdjoint(L.LinearOperatorFullMatrix(A([[1 + 1j, 2], [3, 4]], np.complex128))))",
    "V(L.LinearOperatorInversion(full))",
    "V(L.LinearOperatorInversion(pd))",
    "V(L.LinearOperatorComposition([full, tril]))",
    "V(L.LinearOperatorComposition([tril, tril.adjoint()], is_self_adjoint=True, is_positive_definite=True))",
    "V(L.LinearOperatorKronecker([full, tril]))",
    "V(L.LinearOperatorKronecker([pd, pdiag]))",
    "V(L.LinearOperatorHouseholder(A([1.0, 2.0, 2.0])))",
    "V(L.LinearOperatorPermutation([2, 0, 1], dtype=D))",
    "V(L.LinearOperatorTridiag(A([[1.0, 2.0, 0.0], [5.0, 6.0, 7.0], [0.0, 1.0, 2.0]])))",
    "V(L.LinearOperatorTridiag([A([1.0, 2.0, 0.0]), A([5.0, 6.0, 7.0]), A([0.0, 1.0, 2.0])], 'sequence', "
    "is_self_adjoint=True))",
    "V(L.LinearOperatorTridiag(A([[1.0, 2.0], [3.0, 4.0]]), 'matrix'))",
    "V(L.LinearOperatorLowRankUpdate(pdiag, A([[1.0], [2.0]]), A([3.0]), is_diag_update_positive=True))",
    "V(L.LinearOperatorLowRankUpdate(diag, A([[1.0, 0.0], [2.0, 1.0], [0.0, 1.0]]), v=A(np.ones([3, 2]))))",
    "V(L.LinearOperatorLowRankUpdate(L.LinearOperatorIdentity(2, dtype=D), A([[1.0], [2.0]])))",
    "V(L.LinearOperatorCirculant(A([6.0, 1.0, 1.0], np.complex128), input_output_dtype=D))",
    "V(L.LinearOperatorCirculant(A([6.0, 1 + 1j, 1 - 1j], np.complex128), tf.complex128))",
    "V(L.LinearOperatorCirculant2D(A([[4.0, 2.0], [3.0, 1.0]]), tf.complex128))",
    "V(L.LinearOperatorCirculant3D(A(np.arange(1.0, 9.0).reshape(2, 2, 2)), tf.complex128))",
    "of(lambda: L.LinearOperatorCirculant(A([6.0, 1.0, 1.0])).convolution_kernel())",
    "V(L.LinearOperatorToeplitz(A([1.0, 2.0, 3.0]), A([1.0, 4.0, 5.0])))",
    "V(L.LinearOperatorBlockDiag([full, tril]))",
    "V(L.LinearOperatorBlockDiag([pd, pdiag]))",
    "V(L.LinearOperatorBlockLowerTriangular([[full], [tril, pd]]))",
    "[of(lambda: full.matmul(other)) for other in (eye, tril, diag, pd)]",
    "[of(lambda: one.matmul(other)) for one in (eye, tril, pdiag) for other in (eye, tril, pdiag, full)]",
    "[of(lambda: one.solve(other)) for one in (eye, tril, pdiag, full) for other in (eye, tril, pdiag)]",
    "block = L.LinearOperatorBlockDiag([full, eye]); result = of(lambda: tf.stack(block.matmul([A(np.ones([2, 1])), "
    "A(np.ones([2, 1]))])))",
    "of(lambda: tf.stack(block.solve([A(np.ones([2, 1])), A(np.ones([2, 1]))])))",
    "of(lambda: block.matmul(block))",
    "of(lambda: full @ A(np.ones([2, 1])))",
    "full.matmul(A(np.ones([3, 1])))",
    "full.matmul(tf.ones([2, 1]))",
    "L.LinearOperatorFullMatrix(A([1.0]))",
    "L.LinearOperatorFullMatrix(tf.ones([2, 2], tf.int32))",
    "L.LinearOperatorDiag(A([1.0]), is_self_adjoint=False)",
    "L.LinearOperatorIdentity(-1)",
    "L.LinearOperatorIdentity(2, is_square=False)",
    "L.LinearOperatorPermutation([0, 0])",
    "L.LinearOperatorHouseholder(A([1.0]), is_positive_definite=True)",
    "L.LinearOperatorKronecker([])",
    "L.LinearOperatorComposition([full, L.LinearOperatorIdentity(2)])",
    "L.LinearOperatorInversion(L.LinearOperatorZeros(2))",
    "L.LinearOperatorTridiag(A([[1.0]]), 'x')",
    "L.LinearOperatorBlockLowerTriangular([[full], [tril]])",
    "L.LinearOperatorFullMatrix(A([[1.0]]), is_positive_definite=True, is_non_singular=False)",
    "L.LinearOperatorFullMatrix(A([[1.0, 2.0]]), is_square=False).determinant()",
    "of(lambda: L.expm(A([[1.0, 2.0], [0.5, -1.0]])))",
    "of(lambda: L.expm(tf.constant([[[0.01, 0.0], [0.02, 0.0]], [[3.0, 4.0], [1.0, 2.0]]])))",
    "of(lambda: L.expm(A(np.diag([9.0, -1.0]) * 3)))",
    "of(lambda: L.expm(A([[1j, 2.0], [0.5, -1.0]], np.complex128)))",
]
