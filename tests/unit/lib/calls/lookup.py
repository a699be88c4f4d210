"""Calls of lookup tables, run in sessions: tables of text files, and what their lines may not be."""

CALLS = [
    """
    def keep(name, text):
        pathlib.Path(name).write_bytes(text)
        return name
    """,
    """
    def filled(initializer, default):
        with tf.Graph().as_default(), tf.Session() as sess:
            table = tf.lookup.StaticHashTable(initializer(), default)
            sess.run(tf.tables_initializer())
            keys, values = sess.run(table.export())
            return sorted(zip(keys.tolist(), values.tolist()), key=repr), int(sess.run(table.size()))
    """,
    """
    WHOLE, LINE = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
    def of_file(text, keys, key_index, values, value_index, **options):
        name = keep('lines.txt', text)
        init = lambda: tf.lookup.TextFileInitializer(name, keys, key_index, values, value_index, **options)
        return filled(init, '' if values == tf.string else 0)
    """,
    "of_file(b'brain\\nsalad\\nsurgery\\n', tf.string, WHOLE, tf.int64, LINE)",
    "of_file(b'brain\\nsalad\\nsurgery', tf.string, WHOLE, tf.int64, LINE)",
    "of_file(b'brain\\nsalad\\nsurgery', tf.int64, LINE, tf.string, WHOLE)",
    "of_file(b'brain\\r\\nsalad\\r\\n', tf.string, WHOLE, tf.int64, LINE)",
    "of_file(b'brain salad\\nsalad', tf.string, WHOLE, tf.int64, LINE)",
    "of_file(b'br\\xff\\x00ain\\nsalad\\n', tf.string, WHOLE, tf.int64, LINE)",
    "of_file(b'a\\nb\\nc\\n', tf.string, WHOLE, tf.int64, LINE, vocab_size=3)",
    "of_file(b'a\\nb\\nc\\n', tf.string, WHOLE, tf.int64, LINE, vocab_size=2)",
    "of_file(b'a\\nb\\nc\\n', tf.string, WHOLE, tf.int64, LINE, vocab_size=4)",
    "of_file(b'a\\nb\\nc\\n', tf.string, WHOLE, tf.int64, LINE, value_index_offset=10)",
    "of_file(b'a\\nb\\nc\\n', tf.int64, LINE, tf.string, WHOLE, value_index_offset=10)",
    "of_file(b'a\\nb\\na\\n', tf.string, WHOLE, tf.int64, LINE)",
    "of_file(b'a\\n\\nb\\n', tf.string, WHOLE, tf.int64, LINE)",
    "of_file(b'a\\nb\\n\\n', tf.string, WHOLE, tf.int64, LINE)",
    "of_file(b'\\n', tf.string, WHOLE, tf.int64, LINE)",
    "of_file(b'a\\t1\\nb\\t2\\n', tf.string, 0, tf.int64, 1)",
    "of_file(b'a,1,x\\nb,2\\n', tf.string, 0, tf.int64, 1, delimiter=',')",
    "of_file(b'a,1,x\\nb,2\\n', tf.string, 0, tf.string, 2, delimiter=',')",
    "of_file(b'a 1\\nb\\n', tf.string, 0, tf.int64, 1, delimiter=' ')",
    "of_file(b'a  1\\n', tf.string, 0, tf.int64, 1, delimiter=' ')",
    "of_file(b'1\\t2\\n3\\t4\\n', tf.int64, 1, tf.int64, 0)",
    "of_file(b'1\\t2\\n3\\t4\\n', tf.int64, 0, tf.float32, 1)",
    "of_file(b'1\\t2.5\\n3\\t-1e3\\n4\\tinf\\n', tf.int64, 0, tf.float32, 1)",
    "of_file(b'1\\t2.5\\n3\\t-1e3\\n', tf.int64, 0, tf.float64, 1)",
    "of_file(b'1\\tx\\n', tf.int64, 0, tf.float64, 1)",
    "of_file(b'1\\t2.5\\n', tf.int64, 0, tf.int64, 1)",
    "of_file(b'1\\t 2 \\n', tf.int64, 0, tf.int64, 1)",
    "of_file(b'1\\t+2\\n', tf.int64, 0, tf.int64, 1)",
    "of_file(b'1\\t0x10\\n', tf.int64, 0, tf.int64, 1)",
    "of_file(b'1\\t9223372036854775807\\n', tf.int64, 0, tf.int64, 1)",
    "of_file(b'1\\t9223372036854775808\\n', tf.int64, 0, tf.int64, 1)",
    "of_file(b'1\\t2147483647\\n', tf.int64, 0, tf.int32, 1)",
    "of_file(b'1\\t2147483648\\n', tf.int64, 0, tf.int32, 1)",
    "of_file(b'1\\t5\\n', tf.int64, 0, tf.int32, 1, value_index_offset=3)",
    "of_file(b'12\\n13\\n', tf.int64, WHOLE, tf.int64, LINE)",
    "of_file(b'12\\n13\\n', tf.int64, LINE, tf.int64, WHOLE)",
    "of_file(b'1.5\\n', tf.int64, LINE, tf.float32, WHOLE)",
    "of_file(b'a\\n', tf.string, WHOLE, tf.int64, LINE, delimiter='ab')",
    "filled(lambda: tf.lookup.TextFileInitializer('none.txt', tf.string, WHOLE, tf.int64, LINE), 0)",
    "filled(lambda: tf.lookup.TextFileInitializer('.', tf.string, WHOLE, tf.int64, LINE), 0)",
    """
    keep('words.txt', b'brain\\nsalad\\n')
    init = tf.lookup.TextFileInitializer('words.txt', tf.string, WHOLE, tf.int64, LINE)
    table = tf.lookup.StaticVocabularyTable(init, 3)
    ids = table.lookup(tf.constant(['salad', 'brain', 'one', 'two', 'three', '']))
    """,
    """
    with tf.Session() as sess:
        sess.run(ids)
    """,
    """
    with tf.Session() as sess:
        sess.run(tf.tables_initializer())
        result = sess.run(ids).tolist(), int(sess.run(table.size())), sess.run(tf.tables_initializer())
    """,
    "[t.eval(session=tf.Session()) for t in tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)]",
    """
    hashed = tf.lookup.StaticVocabularyTable(None, 4)
    with tf.Session() as sess:
        result = sess.run(hashed.lookup(tf.constant(['a', 'b', 'c', '']))).tolist(), int(sess.run(hashed.size()))
    """,
    """
    init = tf.lookup.KeyValueTensorInitializer([7], [0], tf.int64, tf.int64)
    numbers = tf.lookup.StaticVocabularyTable(init, 4, lookup_key_dtype=tf.int32)
    with tf.Session() as sess:
        sess.run(tf.tables_initializer())
        result = sess.run(numbers.lookup(tf.constant([0, 1, 7, -5, 100000]))).tolist()
    """,
    """
    counted = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name='counts')
    with tf.Session() as sess:
        sess.run(counted.insert(tf.constant(['a', 'b']), tf.constant([1, 2], tf.int64)))
        path = tf.train.Saver().save(sess, os.path.abspath('model'))
        result = tf.train.list_variables(path)
    """,
    """
    with tf.Session() as sess:
        sess.run(counted.insert(tf.constant(['c']), tf.constant([3], tf.int64)))
        tf.train.Saver().restore(sess, path)
        result = sorted(zip(*[part.tolist() for part in sess.run(counted.export())]))
    """,
    """
    dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, [0.0, 0.0], -1, -2, name='rows')
    with tf.Session() as sess:
        sess.run(dense.insert(tf.constant([5, 7], tf.int64), [[1.0, 2.0], [3.0, 4.0]]))
        sess.run(dense.remove(tf.constant([5], tf.int64)))
        path = tf.train.Saver().save(sess, os.path.abspath('dense'))
        result = tf.train.list_variables(path)
    """,
    """
    with tf.Session() as sess:
        tf.train.Saver().restore(sess, path)
        result = sess.run(dense.lookup(tf.constant([5, 7], tf.int64))).tolist(), int(sess.run(dense.size()))
    """,
]
