"""Functions that parse examples, CSV, JSON and bytes."""

FEATURES = """
features = {
    'fixed': tf.FixedLenFeature([2], tf.float32),
    'given': tf.FixedLenFeature([], tf.int64, default_value=7),
    'odd name!': tf.FixedLenFeature([1, 2], tf.string, [['a', 'b']]),
    'any': tf.VarLenFeature(tf.string),
    'many': tf.FixedLenSequenceFeature([3], tf.float32, allow_missing=True),
    'more': tf.FixedLenSequenceFeature([], tf.string, allow_missing=True, default_value='x'),
}
"""
SEQUENCES = """
context = {'length': tf.FixedLenFeature([], tf.int64, 3), 'name': tf.VarLenFeature(tf.string)}
lists = {
    'rows': tf.FixedLenSequenceFeature([2], tf.float32),
    'maybe': tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
    'words': tf.VarLenFeature(tf.string),
}
"""

SCRIPTS = [
    FEATURES + "tf.parse_example(sv, features)",
    FEATURES + "tf.io.parse_example(ss, features, 'pe')",
    FEATURES + "tf.parse_example(sv, features, example_names=['a', 'b', 'c', 'd'])",
    FEATURES + "tf.parse_single_example(ss, features)",
    FEATURES + "tf.parse_single_example(ss, features, name='ps', example_names='one')",
    FEATURES + "tf.parse_single_example(tf.placeholder(tf.string, name='p'), features)",
    FEATURES + "tf.parse_single_example(sv, features)",
    FEATURES + "[tf.identity(x) for x in tf.parse_example(sv, {'given': features['given']}).values()]",
    """
    found = tf.parse_example(sv, {
        'sparse': tf.SparseFeature('ids', 'values', tf.float32, 10),
        'wide': tf.SparseFeature(['i', 'j'], 'values', tf.float32, [10, 20], already_sorted=True),
        'values': tf.VarLenFeature(tf.float32),
    })
    tf.constant(sorted(found))
    """,
    "tf.parse_example(sv, {})",
    "tf.parse_single_example(ss, None)",
    "tf.parse_single_example(ss, {})",
    "tf.parse_example(sv, {'a': tf.FixedLenSequenceFeature([], tf.int64)})",
    "tf.parse_example(sv, {'a': tf.FixedLenFeature([None], tf.int64)})",
    "tf.parse_example(sv, {'a': tf.FixedLenFeature([2, None], tf.int64)})",
    "tf.parse_example(sv, {'a': tf.FixedLenFeature(None, tf.int64)})",
    "tf.parse_example(sv, {'a': tf.FixedLenFeature([], None)})",
    "tf.parse_example(sv, {'a': tf.VarLenFeature(None)})",
    "tf.parse_example(sv, {'a': 3})",
    "tf.parse_example(sv, {'a': tf.SparseFeature('', 'v', tf.float32, 10)})",
    "tf.parse_example(sv, {'a': tf.SparseFeature('i', 'i', tf.float32, 10)})",
    "tf.parse_example(sv, {'a': tf.SparseFeature('i', 'v', tf.float32, 10), 'v': tf.FixedLenFeature([], tf.float32)})",
    SEQUENCES + "tf.io.parse_sequence_example(sv, context, lists)",
    SEQUENCES + "tf.io.parse_sequence_example(sv, context, lists, ['a', 'b', 'c', 'd'], 'qs')",
    SEQUENCES + "tf.parse_single_sequence_example(ss, context, lists)",
    SEQUENCES + "tf.io.parse_single_sequence_example(ss, sequence_features=lists, example_name='e', name='sq')",
    SEQUENCES + "tf.parse_single_sequence_example(ss, lists, context)",
    SEQUENCES + "tf.parse_single_sequence_example(sv, context)",
    "tf.parse_single_sequence_example(ss)",
    "tf.io.parse_sequence_example(sv)",
    """
    tf.parse_single_sequence_example(
        ss, sequence_features={'a': tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True, default_value=1)}
    )
    """,
    "tf.decode_raw(sv, tf.int16)",
    "tf.io.decode_raw(ss, tf.float32, False, 'dr')",
    "tf.decode_raw(bytes=sv, out_type=tf.uint8)",
    "tf.decode_raw(sv)",
    "tf.decode_csv(sv, [[1], [''], [0.5]])",
    "tf.io.decode_csv(ss, [[1], tf.constant([], tf.string)], ';', False, 'dc', 'NA', [0, 2])",
    "tf.decode_csv(ss, [[1], ['']], select_cols=[1, 0])",
    "tf.decode_csv(ss, [[1], ['']], select_cols=[-1, 0])",
    "tf.decode_csv(ss, [[1], ['']], select_cols=[1])",
    "tf.decode_json_example(sv, 'dj')",
    "tf.serialize_tensor(f)",
    "tf.io.serialize_tensor([1, 2], name='st')",
    "tf.parse_tensor(ss, tf.float32)",
]
