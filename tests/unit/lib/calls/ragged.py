"""Values of RaggedTensors and of functions that take them."""

START = """
def S(*fetches, feed=None):
    with tf.Session() as session:
        got = session.run(fetches, feed)
    def plain(value):
        if isinstance(value, tf.ragged.RaggedTensorValue):
            return [value.to_list(), str(value.dtype), str(value.row_splits.dtype), value.shape]
        if isinstance(value, tuple):
            return [plain(v) for v in value]
        return [value.tolist(), str(value.dtype)] if hasattr(value, "tolist") else value
    return [plain(v) for v in got]
r = tf.ragged.constant([[1, 2], [], [3, 4, 5]])
rf = tf.ragged.constant([[1.5, 2.0], [], [3.0]])
q = tf.ragged.constant([[[1, 2], [3]], [], [[4]]])
w = tf.ragged.constant([['a', 'bc'], ['d']])
u = tf.RaggedTensor.from_uniform_row_length(tf.constant([1, 2, 3, 4, 5, 6]), 3)
p = tf.ragged.placeholder(tf.float32, 1, value_shape=[])
m = tf.ragged.constant([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]], ragged_rank=1)
"""

CALLS = [
    START,
    "S(r, q, w, u)",
    "S(r.nrows(), r.row_lengths(), r.value_rowids(), q.nested_value_rowids(), q.bounding_shape(), q.row_lengths(2))",
    "S(r.to_tensor(), q.to_tensor(7), q.to_tensor(shape=[2, 1, 3]), r.to_sparse(), w.to_sparse())",
    "S(q.merge_dims(0, 1), q.merge_dims(1, 2), q.merge_dims(0, 2))",
    "S(tf.RaggedTensor.from_tensor([[1, 0], [0, 2]], padding=0), tf.RaggedTensor.from_tensor([[1, 2], [3, 4]], [1, 2]))",
    "S(tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 2])))",
    "S(tf.RaggedTensor.from_tensor(np.arange(8).reshape(2, 2, 2), ragged_rank=2))",
    "S(r[0], r[1:], r[:, 1:], r[:, ::-1], r[:, -2:], r[None], r[2, 1], r[:, None], u[:, 1], u[:, 1:])",
    "S(q[0, 1], q[0, :, 1:], q[:, 1:, :1], q[..., 0:1])",
    "S(r + 1, 2 * r, r - r, r // 2, r % 2, -r, r < 3, rf / 2.0, rf ** 2.0, 1.0 - rf)",
    "S(r + [[10], [20], [30]], rf * tf.constant([[1.0], [2.0], [3.0]]), q + [[[1]], [[2]], [[3]]])",
    "S(r + tf.ragged.constant([[1, 1], [], [1, 1, 1]]), q * tf.ragged.constant([[[1, 1], [2]], [], [[3]]]))",
    "S(u + [10, 20, 30])",
    "S(tf.sin(rf), tf.cast(rf, tf.int32), tf.maximum(r, 3), tf.equal(r, 2), tf.strings.upper(w), tf.strings.length(w))",
    "S(tf.reduce_sum(r), tf.reduce_sum(r, 0), tf.reduce_sum(r, 1), tf.reduce_sum(r, 1, keepdims=True))",
    "S(tf.reduce_sum(q, 0), tf.reduce_max(q, 2), tf.reduce_min(q, [1, 2]), tf.reduce_prod(q, 1), tf.reduce_mean(rf, 1))",
    "S(tf.reduce_any(r > 2, 1), tf.reduce_all(r > 0, 0), tf.math.reduce_variance(rf, 1), tf.math.reduce_std(rf, 0))",
    "S(tf.concat([r, r], 0), tf.concat([r, [[9], [8], [7]]], 1), tf.concat([q, q], 2), tf.stack([r, r], 1))",
    "S(tf.ragged.stack([[1, 2], [3]]), tf.ragged.stack([[[1, 2]], [[3, 4]]], 2))",
    "S(tf.gather(r, [2, 0]), tf.gather([10, 11, 12, 13, 14, 15], r), tf.gather(r, [[0], [0], [1]], batch_dims=1, axis=1))",
    "S(tf.gather_nd(q, [[0, 1], [2, 0]]), tf.gather_nd(q, [[[0, 0, 1]]]), tf.gather_nd(r, [[2, 1]]))",
    "S(tf.batch_gather(tf.ragged.constant([[1, 2], [3, 4, 5]]), [[1], [2]]))",
    "S(tf.tile(r, [2, 3]), tf.tile(q, [1, 2, 2]), tf.expand_dims(r, 0), tf.expand_dims(r, 1), tf.expand_dims(r, 2))",
    "S(tf.squeeze(tf.ragged.constant([[[1]], [[2]]]), [2]), tf.reverse(r, [0, 1]), tf.one_hot(r, 6), tf.size(r), tf.rank(q))",
    "S(tf.where(r > 2), tf.where(r > 2, r, -r), tf.identity(r))",
    "S(tf.ragged.boolean_mask(r, r > 2), tf.ragged.boolean_mask(r, [True, False, True]), tf.ragged.boolean_mask(q, q > 2))",
    "S(tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]]))",
    "S(tf.ragged.range([2, 5]), tf.ragged.range([0, 5], 8, 3), tf.ragged.range(2.5))",
    "S(tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5]), tf.ragged.segment_ids_to_row_splits([0, 0, 2], 4))",
    "S(tf.ragged.map_flat_values(tf.square, q), tf.ragged.map_flat_values(tf.add, r, r))",
    "S(tf.ragged.stack_dynamic_partitions(['a', 'b', 'c'], [1, 0, 1], 3), tf.dynamic_partition(r, [1, 0, 1], 2)[1])",
    "S(tf.ragged.cross([w, [['x'], ['y']]]), tf.ragged.cross_hashed([w, w], 100), tf.ragged.cross_hashed([r, r], hash_key=5))",
    "S(tf.math.unsorted_segment_sum(r, [0, 1, 0], 2), tf.math.unsorted_segment_mean(rf, [1, 0, 1], 2))",
    "S(tf.math.cumsum(r, 1), tf.math.cumsum(r, 1, exclusive=True, reverse=True), tf.math.cumsum(r))",
    "S(tf.matmul(m, tf.ones([2, 2, 2])), tf.nn.embedding_lookup(tf.reshape(tf.range(12.0), [6, 2]), r), tf.add_n([r, r]))",
    "S(tf.strings.join([w, w], '-'), tf.strings.reduce_join(w, 1), tf.strings.format('{}', w), tf.strings.format('{}', r))",
    "S(p * 2.0, tf.reduce_sum(p, 1), feed={p: tf.ragged.constant_value([[1.0], [2.0, 3.0]], dtype=np.float32)})",
    "S(p, feed={p: tf.ragged.RaggedTensorValue(np.float32([4.0]), np.array([0, 0, 1]))})",
    "S(tf.strings.bytes_split(['ab', '', 'c']), tf.strings.bytes_split('xyz'), tf.strings.bytes_split([['ab'], ['c']]))",
    "S(tf.strings.unicode_decode(['h\\u00e9y', ''], 'UTF-8'), tf.strings.unicode_decode('\\u4e2d', 'UTF-8'))",
    "S(tf.strings.unicode_decode_with_offsets(['h\\u00e9y', '\\u4e2d\\u6587'], 'UTF-8'))",
    "S(tf.strings.unicode_split(['h\\u00e9y', ''], 'UTF-8'), tf.strings.unicode_split([['ab'], ['\\u4e2d']], 'UTF-8'))",
    "S(tf.strings.unicode_split_with_offsets('h\\u00e9y', 'UTF-8'), tf.strings.unicode_encode(r + 64, 'UTF-8'))",
    "S(tf.strings.unicode_encode([72, 233], 'UTF-16-BE'), tf.strings.unicode_encode([[[72], [233]]], 'UTF-8'))",
    "S(tf.strings.ngrams(w, 2), tf.strings.ngrams(w, [1, 2], '-', ('<', '>')), tf.strings.ngrams(['a', 'b', 'c'], 2))",
    "S(tf.strings.ngrams([['a', 'b'], ['c', 'd']], 3, preserve_short_sequences=True))",
    "S(tf.strings.split(['a b', '', 'c'], result_type='RaggedTensor'), tf.strings.split('x,y', ',').values)",
    "S(tf.strings.split([['a b'], ['c']], result_type='RaggedTensor'), tf.string_split(['a b'], result_type='RaggedTensor'))",
    "S(tf.map_fn(lambda x: tf.reduce_sum(x), r, dtype=tf.int32))",
    "S(tf.map_fn(lambda x: x * 2, r, fn_output_signature=tf.RaggedTensorSpec([None], tf.int32)))",
    "[r.shape, q.shape, u.shape, p.shape, r.dtype, q.ragged_rank, m.shape, r.uniform_row_length]",
    "tf.ragged.constant_value([[1, 2], [3]])",
    "tf.ragged.constant_value([[[1], [2, 3]], []])",
    "tf.ragged.constant_value([[[1, 2]], []], ragged_rank=1, dtype=np.float32).flat_values.shape",
    "tf.ragged.constant_value([1, 2])",
    "tf.ragged.constant_value(3)",
    "v = tf.ragged.constant_value([[[1], [2, 3]], []]); result = [v.to_list(), v.ragged_rank, v.shape, str(v), v.dtype]",
    "tf.ragged.RaggedTensorValue(5, np.array([0]))",
    "tf.ragged.RaggedTensorValue(np.array([5]), [0, 1])",
    "r.numpy()",
    "r.to_list()",
    "bool(r)",
    "tf.ragged.placeholder(tf.int32, 2).shape",
    "tf.RaggedTensorSpec([2, None], tf.int32)",
    "tf.RaggedTensorSpec(None, tf.int32)",
    "tf.RaggedTensorSpec([2, None], tf.int32, 2)",
    "tf.RaggedTensorSpec(None, tf.float32, 'a')",
    "tf.RaggedTensorSpec.from_value(r)",
    "tf.RaggedTensorSpec.from_value(q)",
    "tf.RaggedTensorSpec([None, None, 3], tf.string, 1).is_compatible_with(r)",
    "tf.RaggedTensorSpec([None, None], tf.int32, 1).is_compatible_with(r)",
    "tf.RaggedTensorSpec([3, None], tf.int32).most_specific_common_supertype([tf.RaggedTensorSpec([2, None], tf.int32)])",
    "tf.type_spec_from_value(r)",
    "tf.nest.flatten([r, 1], expand_composites=True)[0] is r.flat_values",
    "type(tf.nest.map_structure(lambda x: x, r, expand_composites=True)).__name__",
    "tf.saved_model.build_tensor_info(p)",
    "tf.saved_model.get_tensor_from_tensor_info(tf.saved_model.build_tensor_info(q)).flat_values is q.flat_values",
    """
    it = tf.data.make_one_shot_iterator(tf.data.Dataset.from_tensor_slices(np.arange(1, 4)).map(tf.range).map(
        lambda x: tf.RaggedTensor.from_row_lengths(x, [1, tf.size(x) - 1])).batch(2)).get_next()
    result = [it.shape.as_list(), S(it)]
    """,
    "tf.data.Dataset.from_tensor_slices(r).batch(2).element_spec",
    "S(tf.data.experimental.get_single_element(tf.data.Dataset.from_tensor_slices(r).batch(3)))",
    "tf.is_tensor(r)",
    "[op.type for op in tf.ragged.constant([[1]]).consumers()]",
    """
    x, z = tf.constant([1.0, 2.0, 3.0, 4.0]), tf.constant(0.5)
    n = tf.RaggedTensor.from_nested_row_splits(x, [[0, 2, 3], [0, 1, 3, 4]])
    w2 = n.to_tensor(z) * tf.reshape(tf.range(8.0), [2, 2, 2])
    result = S(*[tf.convert_to_tensor(g) for g in tf.gradients(w2, [x, z])])
    """,
    "S(tf.convert_to_tensor(tf.gradients(tf.square(tf.gather(n, [1, 0, 1]).flat_values), x)[0]))",
    "S(tf.gradients(tf.reduce_sum(n * n, 2).flat_values, x), tf.gradients(n.to_sparse().values * 3.0, x))",
]
