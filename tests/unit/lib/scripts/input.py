"""Input pipelines of queues: producers, batches of all kinds, and the queue runners they leave behind."""

SHOW = """
        from_proto = [q.to_proto() for q in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)]
        tf.constant([str(p) for p in from_proto] + [v.name for v in tf.local_variables()])
"""


def shown(script: str) -> str:
    """The script, then a node that tells of the queue runners and local variables."""
    return f"\n        {script}{SHOW}"


BATCHES = ("batch", "shuffle_batch")
NUMBERS = {"batch": "4, capacity=10", "shuffle_batch": "4, 10, 2, seed=3"}
JOINED = {"batch_join": "4, 10", "shuffle_batch_join": "4, 10, 2, seed=3"}
MAYBE = {"batch": "{}, 4, capacity=10", "shuffle_batch": "4, 10, 2, {}, seed=3"}
MAYBE_JOINED = {"batch_join": "{}, 4, 10", "shuffle_batch_join": "4, 10, 2, {}, seed=3"}
SPARSE = "tf.SparseTensor(tf.constant([[0, 1], [2, 3]], tf.int64), v3[:2], tf.constant([3, 4], tf.int64))"

SCRIPTS = [
    "tf.train.match_filenames_once('a*')",
    "tf.train.match_filenames_once(sv, name='m')",
    "tf.train.limit_epochs(f)",
    "tf.train.limit_epochs(f, 3)",
    "tf.train.limit_epochs(f, 3, name='e')",
    "tf.train.limit_epochs(f, 0)",
    shown("tf.train.input_producer(f)"),
    shown("tf.train.input_producer(f, num_epochs=2, shuffle=False, capacity=7, name='p')"),
    shown("tf.train.input_producer(any, [2], seed=4, shared_name='s', summary_name='full').dequeue_many(2)"),
    "tf.train.input_producer(any)",
    shown("tf.train.input_producer(f, cancel_op=tf.no_op(name='no'))"),
    shown("tf.train.string_input_producer(['a', 'b'])"),
    shown("tf.train.string_input_producer(sv, 3, seed=5, name='p').dequeue()"),
    shown("tf.train.string_input_producer(tf.placeholder(tf.string, [None]), shuffle=False)"),
    "tf.train.string_input_producer([])",
    shown("tf.train.range_input_producer(10)"),
    shown("tf.train.range_input_producer(is_, 2, False, name='r').dequeue()"),
    shown("tf.train.slice_input_producer([f, i])"),
    shown("tf.train.slice_input_producer([dyn, [1, 2, 3]], num_epochs=1, shuffle=False, name='z')"),
    "tf.train.slice_input_producer([])",
    *[
        shown(script)
        for kind in BATCHES
        for script in (
            f"tf.train.{kind}([f, is_], {NUMBERS[kind]})",
            f"tf.train.{kind}({{'x': f, 'a': is_}}, {NUMBERS[kind]}, num_threads=3, name='n')",
            f"tf.train.{kind}({{'x': f}}, {NUMBERS[kind]}, enqueue_many=True, allow_smaller_final_batch=True)",
            f"tf.train.{kind}([any], {NUMBERS[kind]}, shapes=[[2, 2]], shared_name='s')",
            f"tf.train.{kind}([f, {SPARSE}], {NUMBERS[kind]})",
            f"tf.train.{kind}([f, {SPARSE}], {NUMBERS[kind]}, enqueue_many=True, shapes=[[3], [1]])",
            f"tf.train.{kind}({SPARSE!r}, {NUMBERS[kind]})",
        )
    ],
    "tf.train.batch([any], 4)",
    "tf.train.batch([], 4)",
    "tf.train.shuffle_batch([f], 4, 10, 10)",
    shown("tf.train.batch([dyn, f], 4, dynamic_pad=True)"),
    shown("tf.train.batch([dyn, f], is_, dynamic_pad=True, enqueue_many=True)"),
    *[
        shown(script)
        for kind, numbers in JOINED.items()
        for script in (
            f"tf.train.{kind}([[f, is_], [g, 3]], {numbers})",
            f"tf.train.{kind}([{{'x': f, 'a': is_}}, {{'a': 3, 'x': g}}], {numbers}, enqueue_many=False, name='n')",
            f"tf.train.{kind}([[dyn], [f]], {numbers}, enqueue_many=True, allow_smaller_final_batch=True)",
            f"tf.train.{kind}([[f, {SPARSE}], [g, {SPARSE}]], {numbers})",
        )
    ],
    "tf.train.batch_join([], 4)",
    "tf.train.batch_join([{'a': f}, {'b': f}], 4)",
    "tf.train.batch_join([[f], [i]], 4)",
    "tf.train.batch_join([[f], [v3]], 4)",
    shown("tf.train.batch_join([[dyn], [f]], 4, dynamic_pad=True)"),
    *[
        shown(f"tf.train.maybe_{kind}([f, is_], {numbers.format(keep)}{more})")
        for kind, numbers in MAYBE.items()
        for keep, more in (("True", ""), ("False", ""), ("b[0, 0]", ", name='n'"))
    ],
    *[
        shown(f"tf.train.maybe_{kind}([f, i], {numbers.format(keep)}, enqueue_many=True)")
        for kind, numbers in MAYBE.items()
        for keep in ("bv", "b[0, 0]")
    ],
    *[
        shown(f"tf.train.maybe_{kind}([[f, is_], [g, 4]], {numbers.format('b[0, 0]')})")
        for kind, numbers in MAYBE_JOINED.items()
    ],
    shown(f"tf.train.maybe_batch([{SPARSE}], b[0, 0], 4)"),
    shown(f"tf.train.maybe_batch([{SPARSE}, v3], b[0], 4, enqueue_many=True, shapes=[[1], []])"),
    shown(f"tf.train.maybe_batch([{SPARSE}], b[0, 0], 4, enqueue_many=True, shapes=[[1]])"),
    "tf.train.maybe_batch([f], bv, 4)",
    "tf.train.maybe_batch([f], b, 4, enqueue_many=True)",
    "tf.train.maybe_batch([f], tf.placeholder(tf.bool), 4)",
]
