"""Functions of tf.losses and the collections they fill."""

SCRIPTS = [
    "tf.losses.absolute_difference(f, g)",
    "tf.losses.absolute_difference(f, g, 2.0, 'ad', 'own')",
    "tf.losses.absolute_difference(f, g, weights=[[1.0], [0.0]])",
    "tf.losses.absolute_difference(f, g, weights=tf.ones([2, 3]), reduction=tf.losses.Reduction.MEAN)",
    "tf.losses.absolute_difference(f, g, reduction=tf.losses.Reduction.NONE)",
    "tf.losses.absolute_difference(f, g, reduction=tf.losses.Reduction.SUM)",
    "tf.losses.absolute_difference(f, g, reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE)",
    "tf.losses.absolute_difference(f, g, reduction='median')",
    "tf.losses.absolute_difference(f, v3)",
    "tf.losses.absolute_difference(f, g, weights=[[1.0, 2.0]])",
    "tf.losses.absolute_difference(f, g, weights=[1.0, 2.0, 3.0])",
    "tf.losses.absolute_difference(None, g)",
    "tf.losses.absolute_difference(i, f, weights=0.0)",
    "tf.losses.absolute_difference(dyn, dyn * 2.0, weights=is_)",
    "tf.losses.cosine_distance(f, g, 1)",
    "tf.losses.cosine_distance(f, g, dim=0, scope='cd')",
    "tf.losses.cosine_distance(f, g)",
    "tf.losses.hinge_loss(f, g)",
    "tf.losses.hinge_loss(b, f, scope='hl')",
    "tf.losses.huber_loss(f, g)",
    "tf.losses.huber_loss(f, g, delta=0.5, weights=3.0)",
    "tf.losses.log_loss(f, g)",
    "tf.losses.log_loss(f, g, epsilon=1e-3)",
    "tf.losses.mean_squared_error(f, g)",
    "tf.losses.mean_squared_error(d, d, weights=tf.constant([[1.0, 0.0, 1.0]]))",
    "tf.losses.mean_squared_error(h, h)",
    "tf.losses.mean_pairwise_squared_error(f, g)",
    "tf.losses.mean_pairwise_squared_error(f, g, weights=[[1.0], [2.0]], scope='mp')",
    "tf.losses.mean_pairwise_squared_error(dyn, dyn, weights=2.0)",
    "tf.losses.sigmoid_cross_entropy(f, g)",
    "tf.losses.sigmoid_cross_entropy(i, f, label_smoothing=0.1)",
    "tf.losses.softmax_cross_entropy(f, g)",
    "tf.losses.softmax_cross_entropy(i, f, label_smoothing=0.1, weights=[1.0, 2.0])",
    "tf.losses.sparse_softmax_cross_entropy([0, 2], f)",
    "tf.losses.sparse_softmax_cross_entropy([[0], [2]], f, weights=[[1.0], [0.5]])",
    "tf.losses.sparse_softmax_cross_entropy(l, f3, scope='xe')",
    "tf.losses.compute_weighted_loss(f)",
    "tf.losses.compute_weighted_loss(i, 2)",
    "tf.losses.compute_weighted_loss(h, weights=f[:, :1], scope='wl', loss_collection=None)",
    """
    tf.losses.mean_squared_error(f, g)
    tf.losses.add_loss(tf.reduce_sum(f))
    tf.losses.get_total_loss()
    """,
    """
    tf.get_variable('w', [2], regularizer=lambda x: tf.nn.l2_loss(x) * 0.5)
    tf.losses.mean_squared_error(f, g)
    tf.losses.get_regularization_loss()
    tf.losses.get_total_loss(name='all')
    tf.constant(len(tf.losses.get_regularization_losses()) + 10 * len(tf.losses.get_losses()))
    """,
    "tf.losses.get_regularization_loss()",
    "tf.losses.get_total_loss()",
    """
    with tf.name_scope('a'):
        tf.losses.mean_squared_error(f, g)
    tf.losses.mean_squared_error(f, g, scope='b')
    tf.constant([x.name for x in tf.losses.get_losses('a')])
    """,
    "tf.losses.absolute_difference(any, any, weights=any)",
    "tf.losses.mean_squared_error(dyn, dyn, weights=dyn)",
    "tf.losses.mean_squared_error(dyn, dyn, weights=tf.placeholder(tf.float32, [None, 1], name='w'))",
    "tf.losses.mean_pairwise_squared_error(dyn, dyn, weights=tf.placeholder(tf.float32, [None], name='w'))",
    "tf.losses.sparse_softmax_cross_entropy(tf.placeholder(tf.int64, name='labels'), f)",
    "tf.losses.sparse_softmax_cross_entropy(tf.placeholder(tf.int64, name='labels'), f, weights=any)",
    "tf.losses.sparse_softmax_cross_entropy(tf.placeholder(tf.int64, [None, None], name='labels'), any)",
    "tf.confusion_matrix(tf.placeholder(tf.int64, name='labels'), tf.placeholder(tf.int64, name='found'), 3)",
]
