"""An object that is saved as a SavedModel: by icefloe and, for the goldens, by TensorFlow 2."""

from __future__ import annotations

from typing import Any

import numpy as np

VOCABULARY = "red\nblue\n"

# Paths of functions and their arguments.
CALLS: tuple[tuple[str, list[Any], dict[str, Any]], ...] = (
    ("dense", [np.float32([[1, 2]])], {}),
    ("scale", [np.float32([1, 2])], {}),
    ("scale", [np.float32([1, 2])], {"training": True}),
    ("lookup", [np.array([b"blue", b"x", b"grey"], object)], {}),
    ("nested", [np.float32(1), {"b": np.float32(3), "a": np.float32(2)}], {}),
    ("encoder.shift", [np.float32([[1, 2]])], {}),
    ("parts.1.shift", [np.float32([[1, 2]])], {}),
    ("named.first.shift", [np.float32([[1, 2]])], {}),
    ("constant", [], {}),
)


def make(tf: Any, vocabulary: str) -> Any:
    """Return the object, whose variables may have to be initialized. vocabulary: a file with the words to look up."""
    lookup = tf.lookup

    class Shift(tf.Module):
        def __init__(self, by: float) -> None:
            super().__init__()
            self.by = tf.Variable([by, by + 1], name="by")

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def shift(self, x: Any) -> Any:
            return x + self.by

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.kernel = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="kernel")
            self.steps = tf.Variable(3, name="steps", trainable=False)
            self.encoder = Shift(1.0)
            self.parts = [Shift(2.0), Shift(3.0)]
            self.named = {"first": Shift(4.0), "second": tf.Variable(5.0, name="second")}
            self.pair = (Shift(6.0), "text")
            self.sizes = [1, 2]
            self.limits = (1, 2)
            self.offset = tf.constant([10.0, 20.0])
            line, number = lookup.TextFileIndex.WHOLE_LINE, lookup.TextFileIndex.LINE_NUMBER
            self.words = lookup.StaticHashTable(
                lookup.TextFileInitializer(vocabulary, tf.string, line, tf.int64, number), -1
            )
            self.codes = lookup.StaticHashTable(lookup.KeyValueTensorInitializer(["x"], [4]), -1)

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def dense(self, x: Any) -> Any:
            return {"y": self.encoder.shift(tf.matmul(x, self.kernel)) + self.offset, "x": x}

        @tf.function
        def scale(self, x: Any, training: bool = False) -> Any:
            return x * 2.0 if training else x

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def lookup(self, keys: Any) -> Any:
            return self.words.lookup(keys), self.codes.lookup(keys)

        @tf.function(
            input_signature=[
                tf.TensorSpec([], tf.float32, name="Given"),
                {"b": tf.TensorSpec([], tf.float32), "a": tf.TensorSpec([], tf.float32)},
            ]
        )
        def nested(self, x: Any, parts: Any) -> Any:
            return [x, (parts["a"], parts["b"])]

        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def count(self, by: Any) -> Any:
            self.steps.assign_add(by)
            return self.steps.read_value()

        @tf.function(input_signature=[])
        def constant(self) -> Any:
            return tf.constant(1.5)

    model = Model()
    for training in (False, True):
        model.scale.get_concrete_function(tf.TensorSpec([2], tf.float32), training=training)
    return model


def signatures(model: Any) -> dict[str, Any]:
    """Return the functions to serve."""
    return {"serving_default": model.dense, "count": model.count}


def described(objects: Any) -> str:
    """Return what a SavedObjectGraph says, without the names that two writers give functions and nodes."""
    lines = []
    for number, node in enumerate(objects.nodes):
        kind = node.WhichOneof("kind")
        owned = ", ".join(f"{child.local_name}: {child.node_id}" for child in node.children)
        needed = ", ".join(f"{child.local_name}: {child.node_id}" for child in node.dependencies)
        lines.append(f"{number} {kind} {node.registered_name} ({owned}) ({needed})")
        if kind == "variable":
            lines.append(f"    {node.variable.dtype} {node.variable.shape} {node.variable.trainable}")
        elif kind == "user_object":
            lines.append(f"    {node.user_object.identifier}")
        elif kind == "function":
            lines.append(f"    {node.function.function_spec}")
        elif kind == "bare_concrete_function":
            bare = node.bare_concrete_function
            lines.append(f"    {list(bare.argument_keywords)} {bare.allowed_positional_arguments} {bare.function_spec}")
            found = objects.concrete_functions[bare.concrete_function_name]
            bound = sorted(found.bound_inputs)
            lines.append(
                f"    {bound} {_sorted(found.canonicalized_input_signature)} {_sorted(found.output_signature)}"
            )
    return "\n".join(" ".join(line.split()) for line in lines) + "\n"


def _sorted(message: Any) -> str:
    """Return a StructuredValue as text, dicts by key."""
    kind = message.WhichOneof("kind")
    if kind == "dict_value":
        fields = message.dict_value.fields
        return "{" + ", ".join(f"{key}: {_sorted(fields[key])}" for key in sorted(fields)) + "}"
    if kind in ("list_value", "tuple_value"):
        return f"{kind} [" + ", ".join(_sorted(item) for item in getattr(message, kind).values) + "]"
    return str(message)
