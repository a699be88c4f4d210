"""Models exported before there were SavedModels: `export.meta` with signatures and assets in collections."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.proto import message_class
from icefloe.wire.coding import encode_varint

ANY: Any = message_class("google.protobuf.Any")


def field(number: int, payload: bytes | str) -> bytes:
    data = payload.encode() if isinstance(payload, str) else payload
    return encode_varint(number << 3 | 2) + encode_varint(len(data)) + data


def binding(name: str) -> bytes:
    return field(1, name)


def generic(tensors: dict[str, str]) -> bytes:
    return field(3, b"".join(field(1, field(1, key) + field(2, binding(name))) for key, name in tensors.items()))


def packed(kind: str, value: bytes) -> Any:
    return ANY(type_url=f"type.googleapis.com/tensorflow.serving.{kind}", value=value)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """y = v * x + the number of the word in an asset file; a regression on strings, a generic pair, a classification."""
    directory = tmp_path / "00000123"
    (directory / "assets").mkdir(parents=True)
    (directory / "assets" / "words.txt").write_text("a\nb\n")
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None], name="x")
        v = tf.get_variable("v", initializer=np.float32(3), use_resource=False)
        tf.multiply(x, v, name="y")
        texts = tf.placeholder(tf.string, [None], name="texts")
        tf.string_to_number(texts, name="numbers")
        path = tf.constant("/where/it/was/words.txt", name="path")
        table = tf.lookup.StaticHashTable(
            tf.lookup.TextFileInitializer(
                path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER
            ),
            -1,
        )
        tf.identity(table.lookup(texts), name="ids")
        init = tf.group(tf.tables_initializer(), name="init_all")
        sess.run(v.initializer)
        signatures = field(1, field(1, field(1, binding("texts:0")) + field(2, binding("numbers:0"))))
        for key, signature in (
            ("inputs", generic({"x": "x:0"})),
            ("outputs", generic({"y": "y:0"})),
            ("named", field(2, field(1, binding("texts:0")) + field(3, binding("ids:0")))),
        ):
            signatures += field(2, field(1, key) + field(2, signature))
        tf.add_to_collection("serving_signatures", packed("Signatures", signatures))
        tf.add_to_collection("serving_assets", packed("AssetFile", field(1, binding("path:0")) + field(2, "words.txt")))
        tf.add_to_collection("serving_init_op", init)
        saver = tf.train.Saver(sharded=True, write_version=1)
        saver.save(sess, directory / "export", write_state=False)
    return directory


def test_files(bundle):
    assert {f.name for f in bundle.iterdir()} == {"assets", "export-00000-of-00001", "export.meta"}


def test_signatures(bundle):
    with tf.load_saved_model(bundle) as model:
        assert model.tags == ("serve",)
        assert list(model.signatures) == ["named", "predict", "serving_default"]
        np.testing.assert_array_equal(model.signatures["predict"](x=[1, 2])["y"], [3, 6])
        np.testing.assert_array_equal(model.signatures["serving_default"](inputs=["1.5"])["outputs"], [1.5])
        np.testing.assert_array_equal(model.signatures["named"](inputs=["b", "z"])["scores"], [1, -1])
        methods = {key: signature.method_name for key, signature in model.signatures.items()}
        assert methods == {
            "named": "tensorflow/serving/classify",
            "predict": "tensorflow/serving/predict",
            "serving_default": "tensorflow/serving/regress",
        }
        x = model.signatures["predict"].inputs["x"]
        assert (x.dtype, x.shape) == (tf.float32, (None,))  # the graph says: the file does not


def test_graph(bundle):
    assert tf.load_graph(bundle).get_operation_by_name("y").type == "Mul"


def test_damaged_signatures(bundle):
    meta = (bundle / "export.meta").read_bytes()
    at = meta.index(b"serving.Signatures")
    (bundle / "export.meta").write_bytes(meta[: at + 20] + b"\xff" * 8 + meta[at + 28 :])
    with pytest.raises(errors.OpError):
        tf.load_saved_model(bundle)
