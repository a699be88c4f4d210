"""Which argument of a traced function goes where. The names are those that TensorFlow 2.21 gives."""

import icefloe as tf


def test_dicts_are_taken_by_their_keys():
    specs = {"b": tf.TensorSpec([], tf.float32), "a": tf.TensorSpec([], tf.float32)}
    with tf.Graph().as_default(), tf.Session() as sess:
        for signature in (None, [specs]):
            function = tf.function(lambda d: (d["a"], d["b"]), input_signature=signature)
            for keys in ("ab", "ba"):
                given = {key: tf.constant({"a": 2.0, "b": 3.0}[key]) for key in keys}
                assert sess.run(function(given)) == (2, 3)
        names = [arg.name for arg in function.get_concrete_function().function_def.signature.input_arg]
    assert sorted(names) == ["d", "d_1"]
