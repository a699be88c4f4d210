"""Calls of tf.saved_model's constants and signatures."""

CALLS = [
    "sm = tf.saved_model",
    """
    spaces = [sm, sm.constants, sm.signature_constants, sm.tag_constants]
    result = [sorted((n, getattr(m, n)) for n in dir(m) if n.isupper()) for m in spaces]
    """,
    "x, y = tf.placeholder(tf.string, [None], name='x'), tf.constant([1.0], name='y')",
    "v = tf.get_variable('v', [2, 3])",
    "sp = tf.sparse_placeholder(tf.float32, [2, 3], name='sp')",
    "[str(sm.build_tensor_info(t)) for t in (x, y, v, sp)]",
    "str(sm.utils.build_tensor_info(tf.placeholder(tf.int32, name='any')))",
    "sm.get_tensor_from_tensor_info(sm.build_tensor_info(x)) is x",
    "sm.utils.get_tensor_from_tensor_info(sm.build_tensor_info(sp)).values is sp.values",
    "sm.get_tensor_from_tensor_info(tf.TensorInfo(name='no:0'))",
    "sm.get_tensor_from_tensor_info(tf.TensorInfo(name='x:0'), import_scope='in')",
    "sm.get_tensor_from_tensor_info(tf.TensorInfo())",
    "str(sm.build_signature_def({'a': sm.build_tensor_info(x)}, {'b': sm.build_tensor_info(y)}, 'm'))",
    "str(sm.build_signature_def(defaults={'a': y})), str(sm.build_signature_def())",
    """
    try:
        sm.build_signature_def(defaults={'a': x})
    except ValueError as error:
        result = str(error).split(' of type')[0]
    """,
    "p = sm.predict_signature_def({'a': x, 's': sp}, {'b': y})",
    "p.method_name, sorted(p.inputs), sorted(p.outputs), sm.is_valid_signature(p)",
    "sm.predict_signature_def({}, {'b': y})",
    "sm.predict_signature_def({'a': x}, None)",
    "r = sm.regression_signature_def(x, y)",
    "r.method_name, sorted(r.inputs), sorted(r.outputs), sm.is_valid_signature(r)",
    "sm.regression_signature_def(None, y)",
    "sm.regression_signature_def(3, y)",
    "sm.regression_signature_def(x, None)",
    "sm.regression_signature_def(y, y)",
    "sm.regression_signature_def(x, x)",
    "c = sm.classification_signature_def(x, x, y)",
    "c.method_name, sorted(c.inputs), sorted(c.outputs), sm.is_valid_signature(c)",
    "sm.is_valid_signature(sm.classification_signature_def(x, None, y))",
    "sm.classification_signature_def(None, x, y)",
    "sm.classification_signature_def(3, x, y)",
    "sm.classification_signature_def(x, None, None)",
    "sm.classification_signature_def(y, x, y)",
    """
    try:
        sm.classification_signature_def(x, y, y)
    except ValueError as error:
        result = str(error).rstrip('`')
    """,
    "sm.classification_signature_def(x, x, x)",
    "sm.is_valid_signature(None), sm.is_valid_signature(sm.build_signature_def(p.inputs, p.outputs, 'm'))",
    "sm.is_valid_signature(sm.build_signature_def(p.inputs, None, p.method_name))",
    "sm.is_valid_signature(sm.build_signature_def(p.inputs, r.outputs, r.method_name))",
    "sm.is_valid_signature(sm.build_signature_def(c.inputs, p.outputs, c.method_name))",
]
