"""Lookup tables: initializers, tables of each kind, ids of words, and the ops that their methods make."""

# Names that tables share hold a random number; here one that is always the same.
FIXED = "from unittest import mock\nwith mock.patch('uuid.uuid4', lambda: 'u'):\n  "

_KEY_VALUE = "tf.lookup.KeyValueTensorInitializer"
_TABLES = [
    f"i = {_KEY_VALUE}(['a', 'b'], [1, 2]); tf.lookup.StaticHashTable(i, -1)",
    f"i = {_KEY_VALUE}(['a', 'b'], [1, 2], tf.string, tf.int64, name='ini'); t = tf.lookup.StaticHashTable(i, -1, name='t')",
    f"i = {_KEY_VALUE}([1, 2], ['a', 'b'], tf.int64); t = tf.lookup.StaticHashTable(i, '?'); t.lookup(l); t.size(); t[l]",
    f"i = {_KEY_VALUE}(sv, iv); t = tf.lookup.StaticHashTable(i, 0); t.lookup(s); t.lookup(sv, name='x'); t.size(name='n')",
    f"i = {_KEY_VALUE}(['a'], [1]); t = tf.lookup.StaticHashTable(i, -1); t.lookup(f)",
    f"i = {_KEY_VALUE}(['a'], [1]); t = tf.lookup.StaticHashTable(i, 'x')",
    f"i = {_KEY_VALUE}(['a'], [1, 2]); t = tf.lookup.StaticHashTable(i, 0)",
    f"i = {_KEY_VALUE}(['a'], [1], tf.string, tf.int64); t = tf.lookup.StaticHashTable(i, 0); t.export(); t.export(name='e')",
    f"i = {_KEY_VALUE}(['a'], [1], tf.string, tf.int64); t = tf.lookup.StaticHashTable(i, 0); tf.tables_initializer()",
    f"i = {_KEY_VALUE}(['a'], [1], tf.string, tf.int64); t = tf.lookup.StaticHashTable(i, 0)\n"
    "  t.lookup(tf.SparseTensor([[0, 0]], ['a'], [1, 1]))",
    f"i = {_KEY_VALUE}(['a'], [1], tf.string, tf.int64); t = tf.lookup.StaticHashTable(i, 0, experimental_is_anonymous=True)\n"
    "  t.lookup(s)",
    f"with tf.name_scope('outer'):\n    i = {_KEY_VALUE}(['a'], [1]); t = tf.lookup.StaticHashTable(i, 0); t.lookup(s)",
    f"with tf.device('/cpu:1'):\n    i = {_KEY_VALUE}(['a'], [1]); t = tf.lookup.StaticHashTable(i, 0)\n  t.lookup(s)",
    f"with tf.container('box'):\n    i = {_KEY_VALUE}(['a'], [1]); t = tf.lookup.StaticHashTable(i, 0)",
    f"i = {_KEY_VALUE}(['a'], [1]); a = tf.lookup.StaticHashTable(i, 0); b = tf.lookup.StaticHashTable(i, 0); b.lookup(s)",
    f"i = {_KEY_VALUE}(['a', 'b'], [1, 2], tf.string, tf.int64)\n"
    "  t = tf.lookup.StaticVocabularyTable(i, 3); t.lookup(s); t.size(); t.lookup(sv, name='x')",
    f"i = {_KEY_VALUE}([1, 2], [0, 1], tf.int64, tf.int64)\n"
    "  t = tf.lookup.StaticVocabularyTable(i, 3, tf.int64, name='v'); t.lookup(l)",
    f"i = {_KEY_VALUE}([1, 2], [0, 1], tf.int64, tf.int64)\n"
    "  t = tf.lookup.StaticVocabularyTable(i, 3, tf.int32); t.lookup(iv)",
    f"i = {_KEY_VALUE}(['a'], [0], tf.string, tf.int64); t = tf.lookup.StaticVocabularyTable(i, 0)",
    f"i = {_KEY_VALUE}(['a'], [0], tf.string, tf.int32); t = tf.lookup.StaticVocabularyTable(i, 1)",
    f"i = {_KEY_VALUE}(['a'], [0], tf.string, tf.int64); t = tf.lookup.StaticVocabularyTable(i, 1, tf.int64)",
    "t = tf.lookup.StaticVocabularyTable(None, 3); t.lookup(s); t.size()",
    "t = tf.lookup.StaticVocabularyTable(None, 3); t.lookup(l)",
    f"i = {_KEY_VALUE}(['a'], [0], tf.string, tf.int64); t = tf.lookup.StaticVocabularyTable(i, 2)\n"
    "  t.lookup(tf.SparseTensor([[0, 0]], ['a'], [1, 1])); tf.tables_initializer()",
    "i = tf.lookup.TextFileInitializer('words.txt', tf.string, 0, tf.int64, 1); t = tf.lookup.StaticHashTable(i, -1)\n"
    "  t.lookup(s); tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)",
    "i = tf.lookup.TextFileInitializer(ss, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,\n"
    "    tf.lookup.TextFileIndex.LINE_NUMBER, vocab_size=5, delimiter=' ', name='file')\n"
    "  t = tf.lookup.StaticHashTable(i, -1)",
    "i = tf.lookup.TextFileInitializer('words.txt', tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER, tf.string,\n"
    "    tf.lookup.TextFileIndex.WHOLE_LINE, value_index_offset=2)\n  t = tf.lookup.StaticHashTable(i, '')",
    "tf.lookup.TextFileInitializer('', tf.string, 0, tf.int64, 1)",
    "tf.lookup.TextFileInitializer('w', tf.string, tf.lookup.TextFileIndex.LINE_NUMBER, tf.int64, 1)",
    "tf.lookup.TextFileInitializer('w', tf.int64, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, 1)",
    "tf.lookup.TextFileInitializer('w', tf.string, -3, tf.int64, 1)",
    "tf.lookup.TextFileInitializer('w', tf.string, 0, tf.string, tf.lookup.TextFileIndex.LINE_NUMBER)",
    "tf.lookup.TextFileInitializer('w', tf.string, 0, tf.int64, 1, vocab_size=0)",
]

_MUTABLE = [
    "t = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)",
    "t = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1); t.insert(['a'], [1]); t.lookup(s); t.size()",
    "t = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0]); t.insert(l, f); t.remove(l); t.export()",
    "t = tf.lookup.experimental.MutableHashTable(tf.int64, tf.string, '', name='t', checkpoint=False)\n"
    "t.lookup(l, name='x'); t.insert([1], ['a'], name='in'); t.remove(l, name='r'); t.export(name='e'); t.size(name='n')",
    "t = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1); t.lookup(l, dynamic_default_values=l)",
    "t = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1); t.lookup(s)",
    "t = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1); t.insert(s, l)",
    "t = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1); t.insert(l, s)",
    "t = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1, experimental_is_anonymous=True); t.lookup(l)",
    "t = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1); tf.train.Saver()",
    "with tf.container('box'), tf.name_scope('s'):\n"
    "  t = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1); t.lookup(s)",
    "t = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, 0, -2)",
    "t = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, 0, -2, initial_num_buckets=8, name='d')\n"
    "t.insert([1], [2]); t.lookup(l); t.size(); t.remove(l); t.erase(l); t.export(name='e')",
    "t = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, [0.0, 1.0], 0, -2, checkpoint=False); t.lookup(l)",
    "t = tf.lookup.experimental.DenseHashTable(tf.string, tf.int64, -1, '', '-', name='d'); t.insert_or_assign(sv, [1, 2, 3, 4])",
    "t = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, 0, -2, experimental_is_anonymous=True); t.lookup(l)",
    "t = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, 0, -2); tf.train.Saver()",
    "t = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, 0, -2); t.lookup(s)",
    "tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, 'a', -2)",
]

SCRIPTS = [*[FIXED + table for table in _TABLES], *_MUTABLE, "tf.tables_initializer(); tf.tables_initializer(name='x')"]
