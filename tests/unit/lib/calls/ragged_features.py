"""RaggedFeatures, and what parsing Examples gives for them."""

START = """
R = tf.io.RaggedFeature
def example(**features):
    made = tf.train.Example()
    for key, values in features.items():
        kind = 'float_list' if isinstance(values[0] if values else 0.0, float) else 'int64_list'
        getattr(made.features.feature[key], kind).value.extend(values)
    return made.SerializeToString()
batch = [example(v=[1.0, 2.0, 3.0, 4.0], l=[1, 3], s=[0, 1, 4], t=[0, 1], m=[1, 4], r=[0, 1, 1, 1]),
         example(v=[5.0, 6.0], l=[2, 0], s=[0, 2, 2], t=[0, 2], m=[2, 2], r=[0, 0]), example()]
def P(feature, serialized=batch, parse=tf.parse_example):
    with tf.Session() as session:
        got = session.run(parse(serialized, {'f': feature})['f'])
    return [got.to_list(), str(got.dtype), str(got.row_splits.dtype)] if hasattr(got, 'to_list') else got.tolist()
"""

CALLS = [
    START,
    "P(R(tf.float32, 'v'))",
    "P(R(tf.float32, 'v', row_splits_dtype=tf.int64))",
    "P(R(tf.float32, 'v', [R.RowLengths('l')]), batch[:2])",
    "P(R(tf.float32, 'v', [R.RowSplits('s')]), batch[:2])",
    "P(R(tf.float32, 'v', [R.RowStarts('t')]), batch[:2])",
    "P(R(tf.float32, 'v', [R.RowLimits('m')], validate=True), batch[:2])",
    "P(R(tf.float32, 'v', [R.ValueRowIds('r')]), batch[:2])",
    "P(R(tf.float32, 'v', [R.UniformRowLength(2)]))",
    "P(R(tf.float32, 'v', [R.RowLengths('l'), R.UniformRowLength(1)]), batch[:2])",
    "P(R(tf.float32, 'v'), batch[0], tf.parse_single_example)",
    "P(R(tf.float32, 'v', [R.RowLengths('l')]), batch[0], tf.parse_single_example)",
    "P(R(tf.float32, 'v', [R.UniformRowLength(2)]), batch[0], tf.parse_single_example)",
    "R(tf.float32)",
    "R(tf.int64, 'k', [R.RowSplits('s'), R.UniformRowLength(2)], tf.int64, True)",
    "R(tf.float64)",
    "R(tf.int64, 5)",
    "R(tf.int64, '')",
    "R(tf.int64, partitions=5)",
    "R(tf.int64, row_splits_dtype=tf.float32)",
    "R(tf.int64, validate=5)",
    "tf.parse_example(batch, {'a': R(tf.float32, 'v'), 'b': R(tf.int64, 'v')})",
]
