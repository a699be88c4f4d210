"""Queues, barriers, accumulators and readers: the nodes their classes add, and what they refuse."""

KINDS = {
    "FIFOQueue": "tf.FIFOQueue(10, [tf.float32, tf.int32], [[3], []]",
    "PaddingFIFOQueue": "tf.PaddingFIFOQueue(10, [tf.float32, tf.int32], [[3], []]",
    "RandomShuffleQueue": "tf.RandomShuffleQueue(10, 2, [tf.float32, tf.int32], [[3], []]",
}

SCRIPTS = [
    *[
        f"""
        q = {make}, name='a/b')
        q.enqueue([v3, is_])
        q.enqueue((v3, 4), name='put')
        q.enqueue_many([dyn, iv])
        q.enqueue_many([[[1.0, 2.0, 3.0]], [4]], name='many')
        q.dequeue()
        x, y = q.dequeue_many(4)
        tf.identity(x)
        q.dequeue_many(is_, name='take')
        q.dequeue_up_to(5)
        q.close()
        q.close(cancel_pending_enqueues=True, name='cancel')
        q.size()
        q.is_closed()
        tf.constant([q.name, str(q.dtypes), str(q.shapes), str(q.names)])
        """
        for make in KINDS.values()
    ],
    *[
        f"""
        with tf.name_scope('s'), tf.control_dependencies([f]):
            q = {make}, names=['x', 'y'], shared_name='shared')
        q.enqueue({{'y': is_, 'x': v3}})
        q.enqueue_many({{'y': iv, 'x': dyn}})
        d = q.dequeue()
        tf.identity(d['y'])
        tf.identity(q.dequeue_many(2)['x'])
        """
        for make in KINDS.values()
    ],
    """
    q = tf.FIFOQueue(3, tf.string)
    q.enqueue(ss)
    q.enqueue([s])
    tf.identity(q.dequeue())
    q.dequeue_many(3)
    """,
    """
    q = tf.PriorityQueue(5, tf.string, [[]])
    q.enqueue([3, 'x'])
    q.enqueue_many([tf.cast(iv, tf.int64), sv])
    q.dequeue_many(3)
    tf.constant([str(q.dtypes), str(q.shapes)])
    """,
    "tf.PriorityQueue(5, tf.string).dequeue()",
    "tf.PaddingFIFOQueue(3, [tf.float32], [[None, 2]]).dequeue_many(3)",
    "tf.FIFOQueue(3, [tf.float32], tf.TensorShape([2])).dequeue()",
    "tf.FIFOQueue(3, [tf.float32, tf.int32], [[2], [3, 4]]).dequeue_up_to(3)",
    "tf.FIFOQueue(3, [tf.float32], [2, 3]).dequeue()",
    """
    tf.set_random_seed(5)
    tf.RandomShuffleQueue(5, 1, tf.float32)
    tf.RandomShuffleQueue(5, 1, tf.float32, seed=7)
    tf.RandomShuffleQueue(5, 1, tf.float32, shared_name='r')
    tf.RandomShuffleQueue(5, 1, tf.float32, seed=7, shared_name='r')
    """,
    "tf.RandomShuffleQueue(5, 1, tf.float32, seed=7)",
    """
    qs = [tf.FIFOQueue(3, [tf.float32], [[n, 2]]) for n in (2, 3)]
    q = tf.QueueBase.from_list(is_, qs)
    q.dequeue()
    q.size()
    tf.constant(str(q.shapes))
    """,
    "tf.QueueBase.from_list(0, [])",
    "tf.QueueBase.from_list(0, [tf.FIFOQueue(3, [tf.float32]), tf.FIFOQueue(3, [tf.int32])])",
    "tf.QueueBase.from_list(0, [tf.FIFOQueue(3, [tf.float32], names='x'), tf.FIFOQueue(3, [tf.float32])])",
    "tf.FIFOQueue(3, [tf.float32], [[2], [3]])",
    "tf.FIFOQueue(3, [tf.float32], [[None]])",
    "tf.FIFOQueue(3, [tf.float32], 5)",
    "tf.FIFOQueue(3, [tf.float32], names=['a', 'b'])",
    "tf.PaddingFIFOQueue(3, [tf.float32], None)",
    "tf.PaddingFIFOQueue(3, [tf.float32], [2])",
    "tf.PaddingFIFOQueue(3, [tf.float32], [tf.TensorShape(None)])",
    "tf.PaddingFIFOQueue(3, [tf.float32], [[2], [3]])",
    "tf.FIFOQueue(3, [tf.float32], [[2]]).enqueue(f)",
    "tf.FIFOQueue(3, [tf.float32], [[2]]).enqueue_many(f)",
    "tf.FIFOQueue(3, [tf.float32], [[3]]).enqueue(i)",
    "tf.FIFOQueue(3, [tf.float32]).enqueue({'a': f})",
    "tf.FIFOQueue(3, [tf.float32], names='a').enqueue(f)",
    "tf.FIFOQueue(3, [tf.float32], names='a').enqueue({'b': f})",
    "tf.FIFOQueue(3, [tf.float32, tf.int32]).enqueue_many([f, iv])",
    "tf.FIFOQueue(3, [tf.float32], [[]]).dequeue_many(-1)",
    "tf.FIFOQueue(3, [tf.float32], [[]]).enqueue_many(1.0)",
    """
    a = tf.ConditionalAccumulator(tf.float32, [2, None], shared_name='x', name='s/acc')
    a.apply_grad(f)
    a.apply_grad([[1.0, 2.0], [3.0, 4.0]], local_step=is_, name='add')
    a.take_grad(3)
    a.take_grad(is_, name='take')
    a.num_accumulated()
    a.set_global_step(5)
    a.set_global_step(l[0, 0], name='step')
    tf.constant([a.name, str(a.dtype)])
    """,
    "tf.ConditionalAccumulator(tf.float32, [2, 2]).apply_grad(f)",
    "tf.ConditionalAccumulator(tf.float32, reduction_type='SUM').take_grad(1)",
    "tf.ConditionalAccumulator(tf.float32, reduction_type='MAX')",
    """
    a = tf.SparseConditionalAccumulator(tf.float32, [None, 3], reduction_type='SUM')
    a.apply_grad(iv[:2], f)
    a.apply_grad([0, 1], f, [5, 3], local_step=is_)
    a.apply_indexed_slices_grad(tf.IndexedSlices(f, iv[:2], tf.constant([5, 3])), 2)
    a.apply_indexed_slices_grad(tf.IndexedSlices(f, iv[:2]), name='add')
    a.take_grad(1)
    tf.identity(a.take_indexed_slices_grad(2).values)
    a.num_accumulated()
    a.set_global_step(5)
    """,
    """
    q = tf.FIFOQueue(3, tf.string, [[]])
    for r in (
        tf.WholeFileReader(), tf.TextLineReader(), tf.TextLineReader(2, 'lines'), tf.IdentityReader('same'),
        tf.FixedLengthRecordReader(4), tf.FixedLengthRecordReader(4, 1, 2, 3, 'fixed', 'ZLIB'), tf.TFRecordReader(),
    ):
        r.read(q)
        r.read_up_to(q.queue_ref, 4)
        r.read_up_to(q, l[0, 0], name='some')
        r.num_records_produced()
        r.num_work_units_completed()
        r.serialize_state()
        r.restore_state(ss)
        r.reset()
        tf.constant(r.supports_serialize)
    """,
    """
    r = tf.LMDBReader(name='x')
    r.read(tf.FIFOQueue(3, tf.string, [[]]))
    r.num_records_produced()
    r.restore_state(ss)
    r.reset()
    """,
]
