"""Names of TensorFlow 2 that its graph mode has, too: critical sections, tapes, generators, Python functions."""

CALLS = [
    """
    def values(*fetches):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            made = [session.run(f, {x: [1.0, 2.0, 3.0]}) for f in fetches]
        return [np.round(np.asarray(v, np.float64), 4).tolist() for v in made]

    def nodes(start):
        return [(op.name, op.type, [t.name for t in op.inputs], sorted(c.name for c in op.control_inputs))
                for op in tf.get_default_graph().get_operations()[start:]]

    def count():
        return len(tf.get_default_graph().get_operations())

    x = tf.placeholder(tf.float32, [3], name='x')
    v = tf.Variable(1.0, use_resource=True, name='v')
    m = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    """,
    "tf.CXX11_ABI_FLAG, tf.CXX_VERSION, tf.MONOLITHIC_BUILD",
    # critical sections
    """
    start = count()
    section = tf.CriticalSection(name='section')
    entered = section.execute(lambda: v.assign_add(x[0]).read_value(), name='run')
    result = section.name, entered, nodes(start)
    """,
    "values(entered)",
    "section.execute(lambda: section.execute(lambda: x))",
    """
    try:
        tf.CriticalSection().execute(lambda: v.assign_add(1.0).read_value())
    except ValueError as error:
        result = str(error).split('[')[0], str(error).split('requested')[1]
    """,
    """
    other = tf.CriticalSection()
    more = [section.execute(lambda: v.assign_add(1.0).read_value(), exclusive_resource_access=False) for _ in range(3)]
    with tf.Session() as session:
        session.run(v.initializer)
        result = sorted(float(a) for a in session.run(more))
    """,
    "tf.CriticalSection(critical_section_def=3)",
    # tapes
    """
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * v
    result = values(*tape.gradient(y, [x, v]))
    """,
    "tape.gradient(y, x)",
    """
    with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(x)
        y = x * x
        z = tf.reduce_sum(y)
        with tape.stop_recording():
            off = y * y
    after = y * 3
    unwatched = tf.constant(1.0)
    result = (values(tape.gradient(y, x), tape.gradient([y, z], {'a': x})['a'], tape.jacobian(y, x),
                     tape.gradient(y, x, output_gradients=tf.ones([3]) * 2)),
              [tape.gradient(*pair) for pair in ((off, x), (after, x), (y, v), (y, unwatched))],
              tape.watched_variables())
    """,
    "values(tape.gradient(y, v, unconnected_gradients='zero'))",
    """
    with tf.GradientTape() as tape:
        tape.watch(m)
        y = m * m * m
    result = values(tape.batch_jacobian(y, m))
    """,
    "tf.GradientTape().watch(3)",
    # recomputed gradients
    """
    w = tf.Variable(tf.ones([3]), use_resource=True)
    made = tf.recompute_grad(lambda a: tf.sin(a * w))(x)
    result = values(made, *tf.gradients(made, [x, w]))
    """,
    # Python functions
    "values(tf.py_function(lambda a: tf.square(a) * 2.0, [x], tf.float32))",
    "values(*tf.py_function(lambda a, b: [a + b, tf.reduce_sum(a)], [x, 2.0], [tf.float32, tf.float32]))",
    "values(tf.py_function(lambda a: np.sin(a.numpy()), [x], tf.float32))",
    "values(tf.gradients(tf.py_function(lambda a: tf.square(a) * 2.0, [x], tf.float32), x)[0])",
    "values(*tf.gradients(tf.py_function(lambda a, b: a * b, [x, v], tf.float32), [x, v]))",
    "tf.py_function(lambda a: a, [x])",
    "tf.py_function(func=lambda a: a, Tout=tf.float32)",
    "values(tf.py_function(Tout=tf.float32)(lambda a: a + 1.0)(x))",
    # rows
    "values(tf.vectorized_map(lambda row: row * tf.reduce_sum(row), m))",
    "values(*tf.vectorized_map(lambda pair: (pair[0] + pair[1], pair[1]), (m, tf.constant([1.0, 2.0]))))",
    """
    @tf.nondifferentiable_batch_function(1, 10, 1000)
    def doubled(a):
        return a * 2.0, tf.reduce_sum(a, 1)

    start = count()
    made = doubled(m)
    result = made, [n[:3] for n in nodes(start)], values(*made)
    """,
    # averages
    "values(tf.nn.compute_average_loss([1.0, 2.0]), tf.nn.compute_average_loss([1.0, 2.0], [1.0, 3.0], 4))",
    "tf.nn.compute_average_loss([1.0, 2.0], global_batch_size=1.5)",
    "values(tf.nn.scale_regularization_loss([1.0, 2.0]))",
    # connectionist temporal classification
    "logits = tf.constant(np.sin(np.arange(5 * 2 * 4)).reshape(5, 2, 4).astype(np.float32))",
    "values(*tf.nn.ctc_unique_labels(tf.constant([[1, 1, 2], [3, 4, 3]])))",
    "values(tf.nn.ctc_loss_v2([[1, 2], [3, 0]], logits, [2, 1], [5, 4]))",
    "values(tf.nn.ctc_loss_v2([[1, 2], [2, 0]], logits, [2, 1], [5, 4], blank_index=-1))",
    "values(tf.nn.ctc_loss_v2([[1, 1], [2, 0]], tf.transpose(logits, [1, 0, 2]), [2, 1], [5, 4], False, blank_index=0))",
    """
    sparse = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 2, 3], tf.int32), [2, 2])
    result = values(tf.nn.ctc_loss_v2(sparse, logits, None, [5, 4], blank_index=0))
    """,
    "tf.nn.ctc_loss_v2(sparse, logits, None, [5, 4])",
    # generators
    """
    generator = tf.random.Generator.from_seed(7)
    start = count()
    drawn = generator.normal([2]), generator.uniform([2], 1, 9, tf.int32), generator.uniform([3], maxval=2.0)
    result = drawn, generator.algorithm, [n[:2] for n in nodes(start)]
    """,
    """
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        made = []
        for f in (drawn[0], drawn[0], drawn[1], drawn[2], generator.state, generator.key):
            made.append(np.round(np.asarray(session.run(f), np.float64), 5).tolist())
    result = made
    """,
    "values(generator.truncated_normal([2]), generator.uniform_full_int([2], tf.uint32), generator.make_seeds(2))",
    "values(generator.binomial([3], 10.0, 0.5))",
    "values(tf.random.create_rng_state(5, 'philox'), tf.random.create_rng_state([1, 2], 'threefry'))",
    "values(tf.random.create_rng_state(1 << 70, 1))",
    "values(tf.random.Generator.from_key_counter(3, [1, 2], 'philox').normal([2]))",
    "values(tf.random.Generator.from_state([1, 2, 3], 'philox').state)",
    "tf.random.Generator.from_seed(1).uniform([2], None, 3, tf.int32)",
    """
    tf.random.set_global_generator(generator)
    result = tf.random.get_global_generator() is generator
    """,
    # matrices
    "values(tf.linalg.eigh_tridiagonal([1.0, 2.0, 3.0], [0.5, -1.0]))",
    "values(tf.linalg.eigh_tridiagonal([1.0, 2.0, 3.0], [0.5, -1.0], select='i', select_range=[1, 2]))",
    "values(tf.linalg.eigh_tridiagonal([1.0, 2.0, 3.0], [0.5, -1.0], select='v', select_range=[1.0, 5.0]))",
    "values(tf.abs(tf.linalg.eigh_tridiagonal([1.0, 2.0, 3.0], [0.5, -1.0], eigvals_only=False)[1]))",
    # boxes
    """
    boxes = tf.constant([[0.0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 2, 1, 3], [0, 0, 1, 0.9]])
    scores = tf.constant([0.9, 0.8, 0.7, 0.95])
    result = values(*tf.image.non_max_suppression_padded(boxes, scores, 3),
                    *tf.image.non_max_suppression_padded(boxes, scores, 3, pad_to_max_output_size=True))
    """,
    "values(*tf.image.non_max_suppression_padded(tf.stack([boxes] * 2), tf.stack([scores, -scores]), 3, 0.3, "
    "pad_to_max_output_size=True))",
    "tf.image.non_max_suppression_padded(tf.stack([boxes] * 2), tf.stack([scores, scores]), 3)",
    # sound
    """
    wav = tf.audio.encode_wav(tf.constant([[0.5, -0.5], [0.25, 1.0]]), 8000)
    sound = tf.audio.decode_wav(wav, desired_channels=2)
    result = values(sound.audio, sound.sample_rate)
    """,
    # specs
    """
    def member(name, *objects):
        return [getattr(o, name)() for o in objects]

    shape, spec = tf.TensorShape([2, None]), tf.TensorSpec([2, None], tf.float32, 'n')
    sparse_spec = tf.SparseTensorSpec([2, None], tf.float32)
    result = member('flatten', tf.float32, shape, spec, sparse_spec, tf.NoneTensorSpec())
    """,
    "[o.to_tensors(3) for o in (tf.float32, shape)], [o.from_tensors([]) for o in (tf.float32, shape)]",
    "tf.float32.cast(None, None), tf.float32.placeholder_value(None), shape.placeholder_value(None)",
    "tf.float32.cast(3, None)",
    "shape.cast(3, None)",
    "[str(o.experimental_as_proto()) for o in (tf.float32, shape, spec, sparse_spec, tf.NoneTensorSpec())]",
    "[str(tf.IndexedSlicesSpec([3, 4]).experimental_as_proto()), str(tf.TensorArraySpec([2]).experimental_as_proto())]",
    "[type(o).experimental_from_proto(o.experimental_as_proto()) for o in (tf.float32, shape, spec, sparse_spec)]",
    "[type(o).experimental_from_proto(o.experimental_as_proto()) for o in (tf.NoneTensorSpec(), tf.IndexedSlicesSpec(), "
    "tf.OptionalSpec(spec), tf.TensorArraySpec([2], tf.int32, True))]",
    "[c.experimental_type_proto().__name__ for c in (tf.DType, tf.TensorShape, tf.TensorSpec, tf.SparseTensorSpec)]",
    "none = tf.NoneTensorSpec()",
    "none, none == tf.NoneTensorSpec(), none.is_compatible_with(None), none.is_compatible_with(3), none.from_value(None)",
    "none.most_specific_compatible_type(none), none.most_specific_compatible_shape(none), none.is_subtype_of(none)",
    "none.most_specific_compatible_type(spec)",
    "none.to_tensors(None), none.from_tensors([])",
]
