"""Linear operators and the matrix exponential."""

L = "L = tf.linalg; "
FULL = L + "op = L.LinearOperatorFullMatrix(sq); "
PD = L + "op = L.LinearOperatorFullMatrix(sq, is_self_adjoint=True, is_positive_definite=True, name='pd'); "
TRIL = L + "op = L.LinearOperatorLowerTriangular(sq); "
DIAG = L + "op = L.LinearOperatorDiag(v3); "
BATCH = L + "op = L.LinearOperatorDiag(dyn); "
EYE = L + "op = L.LinearOperatorIdentity(3); "
ALL = (
    "op.matmul(sq); op.matvec(v3); op.matmul(sq, adjoint=True); op.solve(sq); op.solvevec(v3); op.determinant(); "
    "op.log_abs_determinant(); op.to_dense(); op.diag_part(); op.trace(); op.add_to_tensor(sq); op.shape_tensor(); "
    "op.batch_shape_tensor(); op.domain_dimension_tensor(); op.range_dimension_tensor(); op.tensor_rank_tensor()"
)

SCRIPTS = [
    FULL + ALL,
    PD + ALL,
    TRIL + ALL,
    DIAG + ALL,
    EYE + ALL,
    BATCH + "op.to_dense(); op.shape_tensor(); op.trace(); op.domain_dimension_tensor()",
    L + "op = L.LinearOperatorScaledIdentity(3, tf.constant(2.0)); " + ALL,
    L + "op = L.LinearOperatorZeros(3); op.matmul(sq); op.determinant(); op.trace(); op.diag_part(); op.to_dense()",
    FULL + "op = L.LinearOperatorAdjoint(op); " + ALL,
    FULL + "op = L.LinearOperatorInversion(op); op.matmul(sq); op.solve(sq); op.determinant(); op.to_dense()",
    TRIL + "op = L.LinearOperatorComposition([op, L.LinearOperatorDiag(v3)]); " + ALL,
    L + "op = L.LinearOperatorHouseholder(v3); " + ALL,
    L + "op = L.LinearOperatorPermutation([2, 0, 1]); op.matmul(sq); op.solve(sq); op.to_dense(); op.diag_part()",
    L + "op = L.LinearOperatorToeplitz(v3, v3); op.matmul(sq); op.to_dense(); op.diag_part(); op.trace()",
    L + "op = L.LinearOperatorTridiag(sq); op.matmul(sq); op.to_dense(); op.diag_part(); op.shape_tensor()",
    L + "op = L.LinearOperatorCirculant(v3); op.to_dense(); op.determinant(); op.trace(); op.diag_part()",
    DIAG + "op.inverse(); op.adjoint(); op.matmul(op); op.solve(op); op.cond(); op.eigvals()",
    PD + "op.cholesky(); op.assert_self_adjoint(); op.inverse(); op.cond(); op.assert_positive_definite()",
    FULL + "op.assert_non_singular(); op.matmul(L.LinearOperatorDiag(v3)).to_dense()",
    L + "op = L.LinearOperatorBlockDiag([L.LinearOperatorFullMatrix(sq), L.LinearOperatorIdentity(2)]); op.to_dense(); "
    "op.determinant(); op.trace(); op.matmul(tf.ones([5, 1]))",
    L + "op = L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag(v3), tf.ones([3, 1])); " + ALL,
    L + "op = L.LinearOperatorKronecker([L.LinearOperatorFullMatrix(sq), L.LinearOperatorIdentity(2)]); op.to_dense(); "
    "op.determinant(); op.trace(); op.matmul(tf.ones([6, 1])); op.diag_part()",
    "tf.linalg.expm(sq)",
    "tf.linalg.expm(tf.ones([2, 2], tf.float64), name='ex')",
    "tf.linalg.expm(i[:, :2])",
]
