"""Values of metrics after two steps."""

CALLS = [
    """
    steps = [
        {'yes': [0, 1, 1, 0], 'guess': [0.1, 0.8, 0.4, 0.6], 'ids': [[1, 2], [0, 4]], 'a': [0, 1, 2, 1],
         'b': [0, 2, 2, 1], 'scores': [[0.1, 0.5, 0.2, 0.15, 0.05], [0.3, 0.1, 0.4, 0.1, 0.1]]},
        {'yes': [1, 1, 0, 0], 'guess': [0.9, 0.3, 0.2, 0.55], 'ids': [[3, 3], [2, 1]], 'a': [1, 1, 0, 2],
         'b': [1, 0, 0, 2], 'scores': [[0.1, 0.1, 0.2, 0.55, 0.05], [0.3, 0.2, 0.25, 0.15, 0.1]]},
    ]
    kinds = {'yes': (tf.float32, [4]), 'guess': (tf.float32, [4]), 'ids': (tf.int64, [2, 2]), 'a': (tf.int64, [4]),
             'b': (tf.int64, [4]), 'scores': (tf.float32, [2, 5])}

    def ran(build):
        with tf.Graph().as_default():
            fed = {name: tf.placeholder(*kind) for name, kind in kinds.items()}
            value, update = build(**fed)
            with tf.Session() as session:
                session.run(tf.local_variables_initializer())
                made = [session.run(value)]
                for step in steps:
                    made.append(session.run(update, {fed[name]: step[name] for name in step}))
                made.append(session.run(value))
        return [np.round(np.asarray(m, np.float64), 5).tolist() for m in made]

    result = sorted(name for name in dir(tf.metrics) if name[0] != '_')
    """,
    "ran(lambda yes, guess, **_: tf.metrics.mean(guess, yes))",
    "ran(lambda yes, guess, **_: tf.metrics.mean_tensor(guess, yes))",
    "ran(lambda a, b, guess, **_: tf.metrics.accuracy(a, b, guess))",
    "ran(lambda yes, guess, **_: tf.metrics.root_mean_squared_error(yes, guess))",
    "ran(lambda yes, guess, **_: tf.metrics.mean_relative_error(yes, guess, guess))",
    "ran(lambda yes, guess, **_: tf.metrics.mean_cosine_distance(yes, guess, 0))",
    "ran(lambda guess, **_: tf.metrics.percentage_below(guess, 0.5))",
    "ran(lambda a, b, **_: tf.metrics.mean_per_class_accuracy(a, b, 3))",
    "ran(lambda a, b, guess, **_: tf.metrics.mean_iou(a, b, 4, guess))",
    "[ran(lambda a, b, **_: f(a, b)) for f in (tf.metrics.true_positives, tf.metrics.false_positives, "
    "tf.metrics.true_negatives, tf.metrics.false_negatives, tf.metrics.precision, tf.metrics.recall)]",
    "[ran(lambda yes, guess, **_: f(yes, guess, [0.25, 0.5])) for f in (tf.metrics.precision_at_thresholds, "
    "tf.metrics.recall_at_thresholds, tf.metrics.true_negatives_at_thresholds)]",
    "[ran(lambda yes, guess, **_: tf.metrics.auc(yes, guess, curve=c, summation_method=m)) for c in ('ROC', 'PR') "
    "for m in ('trapezoidal', 'careful_interpolation', 'minoring', 'majoring')]",
    "ran(lambda yes, guess, **_: tf.metrics.sensitivity_at_specificity(yes, guess, 0.7))",
    "ran(lambda yes, guess, **_: tf.metrics.specificity_at_sensitivity(yes, guess, 0.7))",
    "[ran(lambda ids, scores, **_: f(ids, scores, k)) for k in (1, 2, 3) for f in (tf.metrics.precision_at_k, "
    "tf.metrics.recall_at_k, tf.metrics.average_precision_at_k)]",
    "[ran(lambda ids, scores, **_: f(ids, scores, 2, class_id=2)) for f in (tf.metrics.precision_at_k, "
    "tf.metrics.recall_at_k)]",
    "ran(lambda ids, scores, **_: tf.metrics.average_precision_at_k(ids, scores, 2, weights=[1.0, 3.0]))",
    """
    def picked(ids):
        return tf.SparseTensor(tf.where(ids > 1), tf.gather_nd(ids, tf.where(ids > 1)), [2, 2])

    result = [ran(lambda ids, scores, **_: f(picked(ids), scores, 2)) for f in (tf.metrics.precision_at_k,
              tf.metrics.recall_at_k, tf.metrics.average_precision_at_k)]
    """,
    "ran(lambda ids, scores, **_: tf.metrics.recall_at_k(ids[:, 0], scores, 3, weights=[2.0, 1.0], name='r'))",
    "ran(lambda ids, **_: tf.metrics.precision_at_top_k(ids, tf.constant([[1, 2], [3, 4]]), class_id=1))",
    """
    def collected(**given):
        names = []
        for f in (tf.metrics.recall_at_k, tf.metrics.average_precision_at_k):
            value, update = f(given['ids'], given['scores'], 2, metrics_collections='m', updates_collections='u')
            names.append((value.name, update.name))
        variables = [v.name for v in tf.local_variables()]
        return names, variables, [t.name for t in tf.get_collection('m') + tf.get_collection('u')]

    with tf.Graph().as_default():
        result = collected(**{name: tf.placeholder(*kind) for name, kind in kinds.items()})
    """,
    "tf.metrics.average_precision_at_k(tf.zeros([2, 2], tf.int64), tf.ones([2, 3]), 0)",
]
