"""Values and specs of feature columns."""

START = """
F = tf.feature_column
pathlib.Path('words.txt').write_text('x\\\\ny\\\\nz\\\\n')
SP = tf.SparseTensor
features = {
    'price': tf.constant([[1.0], [5.5]]), 'size': tf.constant([2, 7]), 'vec': tf.constant([[1.0, 2.0], [3.0, 4.0]]),
    'color': tf.constant([['red', ''], ['blue', 'red']]), 'id': SP([[0, 0], [1, 0], [1, 1]], [1, 0, 2], [2, 2]),
    'w': SP([[0, 0], [1, 0], [1, 1]], [0.5, 2.0, 1.5], [2, 2]), 'word': tf.constant(['y', 'q']),
}
ones = tf.ones_initializer()
price, size = F.numeric_column('price'), F.numeric_column('size', normalizer_fn=lambda x: tf.to_float(x) * 10.0)
vec = F.numeric_column('vec', shape=[2])
buckets = F.bucketized_column(price, [0.0, 2.0, 6.0])
color = F.categorical_column_with_vocabulary_list('color', ['red', 'green', 'blue'])
hashed = F.categorical_column_with_hash_bucket('color', 10)
ident = F.categorical_column_with_identity('id', 3)
small = F.categorical_column_with_identity('id', 2, default_value=0)
word = F.categorical_column_with_vocabulary_file('word', 'words.txt', num_oov_buckets=1)
weighted = F.weighted_categorical_column(ident, 'w')
crossed = F.crossed_column(['color', ident], 20)
def S(*fetches):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return [np.round(v, 4).tolist() for v in session.run(fetches)]
def layer(*columns, **more):
    return S(F.input_layer(features, columns, **more))
def model(column, **more):
    cols = {}
    out = F.linear_model(features, column, cols_to_vars=cols, **more)
    names = [v.name.split('/')[-1] for key in cols for v in cols[key]]
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for vs in cols.values():
            for v in vs:
                session.run(v.assign(np.arange(np.prod(v.shape.as_list())).reshape(v.shape.as_list()) + 1.0))
        return [names, np.round(session.run(out), 4).tolist()]
"""

CALLS = [
    START,
    "layer(price)",
    "layer(vec, size, price)",
    "layer(buckets, price)",
    "layer(F.indicator_column(color))",
    "layer(F.indicator_column(hashed), F.indicator_column(ident))",
    "layer(F.indicator_column(weighted))",
    "layer(F.indicator_column(small), F.indicator_column(word))",
    "layer(F.indicator_column(crossed))",
    "layer(F.embedding_column(color, 2, initializer=ones))",
    "layer(F.embedding_column(weighted, 3, 'sum', ones))",
    "layer(F.embedding_column(ident, 3, 'sqrtn', ones, max_norm=0.5))",
    "layer(*F.shared_embedding_columns([ident, F.categorical_column_with_identity('size', 3, 0)], 2, initializer=ones))",
    "model(price)",
    "model([vec, buckets])",
    "model([color, hashed], units=2)",
    "model(weighted, sparse_combiner='mean')",
    "model([crossed, ident])",
    "F.make_parse_example_spec([price, vec, color, weighted])",
    "F.make_parse_example_spec([crossed, buckets])",
    "F.make_parse_example_spec([F.embedding_column(ident, 2), F.indicator_column(hashed)])",
    "[c.name for c in (price, buckets, color, weighted, crossed, F.indicator_column(ident), F.embedding_column(word, 2))]",
    "[c.name for c in F.shared_embedding_columns([ident, small], 2)] if False else None",
    "price",
    "buckets",
    "color",
    "hashed",
    "ident",
    "weighted",
    "F.numeric_column('p', shape=[2], default_value=[1, 2], dtype=tf.float64)",
    "F.sequence_categorical_column_with_identity('a', 3)",
    "F.sequence_categorical_column_with_hash_bucket('a', 3)",
    "F.sequence_categorical_column_with_vocabulary_list('a', ['x', 'y'], num_oov_buckets=2)",
    "F.sequence_numeric_column('a', shape=3)",
    "F.sequence_numeric_column('a').name",
    "F.make_parse_example_spec([F.sequence_categorical_column_with_identity('a', 3)])",
    "F.numeric_column(5)",
    "F.numeric_column('p', shape=[0])",
    "F.numeric_column('p', shape=['a'])",
    "F.numeric_column('p', default_value='a')",
    "F.numeric_column('p', shape=[2], default_value=[1.0])",
    "F.numeric_column('p', dtype=tf.string)",
    "F.numeric_column('p', normalizer_fn=5)",
    "F.bucketized_column(price, [])",
    "F.bucketized_column(price, [2, 1])",
    "F.bucketized_column(vec, [1]).num_buckets",
    "F.categorical_column_with_hash_bucket('a', 0)",
    "F.categorical_column_with_hash_bucket('a', None)",
    "F.categorical_column_with_hash_bucket('a', 5, tf.float32)",
    "F.categorical_column_with_vocabulary_list('a', [])",
    "F.categorical_column_with_vocabulary_list('a', ['x', 'x'])",
    "F.categorical_column_with_vocabulary_list('a', ['x'], default_value=0, num_oov_buckets=1)",
    "F.categorical_column_with_vocabulary_list('a', ['x'], dtype=tf.int64)",
    "F.categorical_column_with_vocabulary_file('a', 'missing')",
    "F.categorical_column_with_vocabulary_file('a', '')",
    "F.categorical_column_with_identity('a', 0)",
    "F.categorical_column_with_identity('a', 3, 3)",
    "F.weighted_categorical_column(ident, 'w', tf.string)",
    "F.crossed_column(['a'], 5)",
    "F.crossed_column(['a', 'b'], 0)",
    "F.embedding_column(ident, 0)",
    "F.embedding_column(ident, 2, ckpt_to_load_from='x')",
    "F.embedding_column(ident, 2, initializer=5)",
    "F.input_layer({}, price)",
    "F.input_layer({'price': tf.constant(1.0)}, price)",
    "F.input_layer(features, [])",
    "F.input_layer(features, {})",
    "F.linear_model(features, [])",
    "F.input_layer({'price': tf.ones([2, 1]), 'vec': tf.ones([3, 2])}, [price, vec])",
]
