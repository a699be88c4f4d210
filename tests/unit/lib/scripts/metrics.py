"""Functions of tf.metrics. Those of the k best are left out: more is known here of what SetSize gives."""

_INPUTS = """
yes = tf.placeholder(tf.float32, [4], name='yes')
guess = tf.placeholder(tf.float32, [4], name='guess')
w4 = tf.placeholder(tf.float32, [4], name='w4')
ids = tf.placeholder(tf.int64, [2, 2], name='ids')
scores = tf.placeholder(tf.float32, [2, 5], name='scores')
"""

SCRIPTS = [
    _INPUTS + script
    for script in (
        "tf.metrics.mean(f)",
        "tf.metrics.mean(f, weights=g, name='m')",
        "tf.metrics.mean(f, 2.0, metrics_collections=['a'], updates_collections=['b'])\n"
        "tf.constant([t.name for t in tf.get_collection('a') + tf.get_collection('b')])\n"
        "tf.constant([v.name for v in tf.local_variables() + tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)])",
        "tf.metrics.mean(dyn, tf.placeholder(tf.float32, [None]))",
        "tf.metrics.mean(f, tf.ones([3, 4]))",
        "tf.metrics.mean_tensor(f), tf.metrics.mean_tensor(f, [[1.0], [2.0]])",
        "tf.metrics.accuracy(i, l)",
        "tf.metrics.accuracy(i, f3)",
        "tf.metrics.accuracy(tf.constant([[1], [2]]), tf.constant([1, 2]), weights=[1.0, 0.5], name='acc')",
        "tf.metrics.accuracy(any, f)",
        "tf.metrics.mean_absolute_error(f, g), tf.metrics.mean_absolute_error(f, g, weights=[[1.0], [2.0]])",
        "tf.metrics.mean_squared_error(f, g, name='mse')",
        "tf.metrics.root_mean_squared_error(f, g, metrics_collections='m', updates_collections='u')",
        "tf.metrics.mean_relative_error(f, g, tf.ones([2, 3]))",
        "tf.metrics.mean_cosine_distance(f, g, 1)",
        "tf.metrics.percentage_below(f, 0.5)",
        "tf.metrics.mean_per_class_accuracy(i, l, 4), tf.metrics.mean_per_class_accuracy(iv, iv, 4, w4)",
        "tf.metrics.mean_iou(i, i, 4)",
        "tf.metrics.mean_iou(i, i, 4, weights=f, name='iou')",
        "tf.metrics.true_positives(yes, guess)",
        "tf.metrics.false_positives(yes, guess, w4, name='fp')",
        "tf.metrics.true_negatives(yes, guess), tf.metrics.false_negatives(yes, guess, 2.0)",
        "tf.metrics.precision(yes, guess)",
        "tf.metrics.recall(yes, guess, weights=w4, metrics_collections='m', updates_collections='u')",
        "tf.metrics.true_positives_at_thresholds(yes, guess, [0.2, 0.5])",
        "tf.metrics.false_negatives_at_thresholds(yes, guess, [0.2, 0.5], weights=w4)",
        "tf.metrics.true_negatives_at_thresholds(yes, guess, [0.5]), tf.metrics.false_positives_at_thresholds(yes, guess, "
        "[0.5])",
        "tf.metrics.precision_at_thresholds(yes, guess, [0.2, 0.5])",
        "tf.metrics.recall_at_thresholds(yes, guess, [0.2, 0.5], name='r')",
        "tf.metrics.auc(yes, guess)",
        "tf.metrics.auc(yes, guess, w4, num_thresholds=5, curve='PR', summation_method='careful_interpolation')",
        "tf.metrics.auc(yes, guess, num_thresholds=4, summation_method='minoring')",
        "tf.metrics.auc(yes, guess, curve='PR', summation_method='majoring', thresholds=[0.5, 0.25])",
        "tf.metrics.auc(yes, guess, curve='X')",
        "tf.metrics.auc(yes, guess, summation_method='x')",
        "tf.metrics.auc(tf.placeholder(tf.bool, [None]), tf.placeholder(tf.float32, [None]), num_thresholds=3)",
        "tf.metrics.sensitivity_at_specificity(yes, guess, 0.7, num_thresholds=5)",
        "tf.metrics.sensitivity_at_specificity(yes, guess, 1.7)",
        "tf.metrics.specificity_at_sensitivity(yes, guess, 0.7, num_thresholds=5)",
        "tf.metrics.specificity_at_sensitivity(yes, guess, -1)",
        "tf.metrics.average_precision_at_k(ids, scores, 0)",
        "tf.enable_resource_variables()\ntf.metrics.mean(f)",
    )
]
