"""Staging areas: the nodes their classes add, and what they refuse."""

TWO = "([tf.float32, tf.int32], [[3], []])"
NAMED = "([tf.float32, tf.int32], [[3], []], names=['x', 'y'], capacity=4, memory_limit=100"

SCRIPTS = [
    f"""
    a = StagingArea{TWO}
    a.put([v3, is_])
    a.put((v3, is_), name='put')
    x, y = a.get()
    tf.identity(x)
    a.peek(0)
    a.peek(is_, name='look')
    a.size()
    a.clear()
    tf.constant([a.name, str(a.dtypes), str(a.shapes), str(a.names), str(a.capacity), str(a.memory_limit)])
    """,
    f"""
    a = StagingArea{NAMED}, shared_name='here')
    a.put({{'y': is_, 'x': v3}})
    found = a.get()
    tf.identity(found['y'])
    a.peek(1)['x'] * 2.0
    """,
    "a = StagingArea([tf.float32]); a.put(v3); tf.negative(a.get()[0]); b = StagingArea([tf.float32]); b.size(name='n')",
    "with tf.device('/cpu:0'): a = StagingArea([tf.float32])\nwith tf.device('/cpu:1'): a.put([v3]); a.get()",
    *[
        f"""
        a = MapStagingArea{TWO[:-1]}, ordered={ordered})
        key = tf.constant(5, tf.int64)
        a.put(key, [v3, is_], [0, 1])
        a.put(key, [is_], indices=[1], name='part')
        a.peek(key)
        a.get(key)
        a.get(key, [1])
        key, values = a.get()
        tf.identity(values[0])
        a.size()
        a.incomplete_size()
        a.clear()
        """
        for ordered in (False, True)
    ],
    f"""
    a = MapStagingArea{NAMED}, ordered=True)
    key = tf.constant(5, tf.int64)
    a.put(key, {{'y': is_}})
    a.put(key, {{'x': v3, 'y': is_}})
    a.get(key, ['y'])
    a.get()
    """,
    "StagingArea([tf.float32], [[3], []])",
    "StagingArea([tf.float32], names=['a', 'b'])",
    "StagingArea([tf.float32], shared_name=3)",
    "StagingArea([tf.float32]).put({'x': v3})",
    "StagingArea([tf.float32], names=['a']).put([v3])",
    "StagingArea([tf.float32], names=['a']).put({'b': v3})",
    "StagingArea([tf.float32]).put([v3, v3])",
    "StagingArea([tf.int32]).put([v3])",
    "StagingArea([tf.float32], [[4]]).put([v3])",
    "MapStagingArea([tf.float32]).put(tf.constant(1, tf.int64), [v3])",
    "MapStagingArea([tf.float32]).put(tf.constant(1, tf.int64), [v3], [0, 1])",
    "MapStagingArea([tf.float32]).get(tf.constant(1, tf.int64), 0)",
    "MapStagingArea([tf.float32]).get(tf.constant(1, tf.int64), [])",
    "MapStagingArea([tf.float32]).get(tf.constant(1, tf.int64), ['x'])",
    "MapStagingArea([tf.float32], names=['x']).get(tf.constant(1, tf.int64), ['y'])",
    "MapStagingArea([tf.float32], names=['x']).get(tf.constant(1, tf.int64), ['x', 0])",
]
