"""Calls of element types and static values, where Python's own types and values are easily mistaken for them."""

CALLS = [
    "tf.int32 == int, tf.int64 == int, tf.string == str, tf.float32 == float, tf.bool == bool, tf.float64 == 2.1",
    "tf.int32 != int, tf.int32 == 3, tf.int32 == 'int32', tf.int32 == None, tf.string == object",
    "[tf.as_dtype(t).limits for t in ('bool', 'uint8', 'int8', 'uint16', 'int16', 'uint32', 'int32', 'uint64', 'int64')]",
    "tf.float32.limits, tf.float64.limits",
    "tf.string.limits",
    "tf.complex64.limits",
    "tf.qint8.limits",
    "tf.float16.limits",
    "tf.bfloat16.limits",
    "tf.float32.is_subtype_of(tf.float32), tf.float32.is_subtype_of(3), tf.float32.is_subtype_of(tf.float64)",
    "tf.as_dtype('float32_ref').is_subtype_of(tf.float32)",
    "tf.string.most_specific_common_supertype([]), tf.string.most_specific_common_supertype([tf.string, tf.string])",
    "tf.string.most_specific_common_supertype([tf.int32]), tf.string.most_specific_common_supertype([3])",
    "tf.get_static_value('hi'), tf.get_static_value([1]), tf.get_static_value(3), tf.get_static_value(None)",
    "tf.get_static_value(tf.TensorShape([1, 2])), tf.get_static_value(tf.constant([1, 2])).tolist()",
]
