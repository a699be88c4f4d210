"""The edits of checkpoints under fixtures/editing/: the same table tells fixtures/make/editing.py what TensorFlow must
restore and the tests what must be written.

EDITS: name -> what is called with (folder of the sources, prefix to write).   EXPECTED: name -> from the values of the
sources, as TensorFlow reads them, to those of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from icefloe import ckpt

Values = Mapping[str, np.ndarray]
SOURCES = ("train", "later", "sharded", "tf1_objects", "legacy_objects", "keras_objects")
RULE = "s,^net/,new/,"
MAP = {"net/w": "encoder/kernel", "net/p": "table"}
WEIGHTS = (3.0, 1.0)

EDITS: dict[str, Callable[[Path, Path], Any]] = {
    "rename": lambda f, out: ckpt.rename(f / "train", out, [RULE], meta=True),
    "rename_map": lambda f, out: ckpt.rename(f / "train", out, mapping=MAP, meta=True, strip_devices=True),
    "rename_prefix": lambda f, out: ckpt.rename(f / "train", out, prefix="a/b/", meta=True),
    "rename_sharded": lambda f, out: ckpt.rename(f / "sharded", out, [RULE]),
    "rename_objects": lambda f, out: ckpt.rename(f / "legacy_objects-1", out, ["s,^model/,net/,"]),
    "rename_deeper": lambda f, out: ckpt.rename(f / "tf1_objects-1", out, mapping={"model/w": "model/inner/kernel"}),
    "rename_below": lambda f, out: ckpt.rename(f / "legacy_objects-1", out, prefix="top/"),
    "slim": lambda f, out: ckpt.slim(f / "train", out),
    "slim_ema": lambda f, out: ckpt.slim(f / "train", out, ema="use", keep_step=True),
    "slim_sharded": lambda f, out: ckpt.slim(f / "sharded", out),
    "slim_tf1": lambda f, out: ckpt.slim(f / "tf1_objects-1", out),
    "slim_legacy": lambda f, out: ckpt.slim(f / "legacy_objects-1", out),
    "slim_keras": lambda f, out: ckpt.slim(f / "keras_objects-1", out, keep_step=True),
    "cast_half": lambda f, out: ckpt.cast(f / "train", out, "half", skip="net/p*"),
    "cast_bfloat16": lambda f, out: ckpt.cast(f / "train", out, "bfloat16", only="net/*"),
    "average": lambda f, out: ckpt.average(out, [f / "train", f / "later"], weights=WEIGHTS),
    "merge": lambda f, out: ckpt.merge(out, [(f / "train", "one"), (f / "later", "two/three")]),
    "merge_objects": lambda f, out: ckpt.merge(out, [(f / "tf1_objects-1", "one"), (f / "legacy_objects-1", "two")]),
    "set": lambda f, out: ckpt.set(f / "train", {"net/w": [[1, 2, 3], [4, 5, 6]], "net/p": 7, "added": ["a", "b"]}, out),
    "resize": lambda f, out: ckpt.resize(f / "train", {"net/p": 8, "net/w": 1}, out, init="mean"),
    "reshard": lambda f, out: ckpt.reshard(f / "train", out, shards=3),
    "partition": lambda f, out: ckpt.reshard(f / "train", out, partition={"net/w": (3, 1), "net/p*": 3}),
    "whole": lambda f, out: ckpt.reshard(f / "sharded", out, unpartition="*", shards=1),
    "extract": lambda f, out: ckpt.extract(f / "train", out, ["net/"], skip="*Adam*"),
    "extract_objects": lambda f, out: ckpt.extract(f / "legacy_objects-1", out, "model/"),
}  # fmt: skip


def renamed(values: Values, change: Callable[[str], str]) -> dict[str, np.ndarray]:
    return {change(name): value for name, value in values.items()}


def _weights(values: Values) -> dict[str, np.ndarray]:
    return {n: v for n, v in values.items() if "Adam" not in n and not n.startswith("beta") and n != "global_step"}


def _cast(values: Values, dtype: Any, chosen: Callable[[str], bool]) -> dict[str, np.ndarray]:
    return {n: v.astype(dtype) if v.dtype == np.float32 and chosen(n) else v for n, v in values.items()}


def _average(first: Values, last: Values) -> dict[str, np.ndarray]:
    out = dict(last)
    for name, value in first.items():
        if value.dtype == np.float32:
            total = value.astype(np.float64) * WEIGHTS[0] + last[name].astype(np.float64) * WEIGHTS[1]
            out[name] = (total / sum(WEIGHTS)).astype(np.float32)
    return out


def _resized(values: Values) -> dict[str, np.ndarray]:
    out = dict(values)
    for name in ("net/p", "net/p/Adam", "net/p/Adam_1"):
        old = values[name]
        new = np.tile(old.astype(np.float64).mean(axis=0) if name == "net/p" else 0, (3, 1)).astype(np.float32)
        out[name] = np.concatenate([old, np.broadcast_to(new, (3, 2))])
    for name in ("net/w", "net/w/Adam", "net/w/Adam_1", "net/w/ExponentialMovingAverage"):
        out[name] = values[name][:1]
    return out


def _with_average(values: Values) -> dict[str, np.ndarray]:
    out = _weights(values)
    out["net/w"] = out.pop("net/w/ExponentialMovingAverage")
    return {**out, "global_step": values["global_step"]}


# By edit of checkpoints by name; those of objects are restored into objects.
EXPECTED: dict[str, Callable[[Mapping[str, Values]], dict[str, np.ndarray]]] = {
    "rename": lambda s: renamed(s["train"], lambda n: n.replace("net/", "new/", 1) if n.startswith("net/") else n),
    "rename_map": lambda s: renamed(s["train"], lambda n: MAP.get(n, n)),
    "rename_prefix": lambda s: renamed(s["train"], lambda n: "a/b/" + n),
    "rename_sharded": lambda s: renamed(s["sharded"], lambda n: n.replace("net/", "new/", 1) if n.startswith("net/") else n),
    "slim": lambda s: _weights(s["train"]),
    "slim_ema": lambda s: _with_average(s["train"]),
    "slim_sharded": lambda s: _weights(s["sharded"]),
    "cast_half": lambda s: _cast(s["train"], np.float16, lambda n: not n.startswith("net/p")),
    "cast_bfloat16": lambda s: _cast(s["train"], ml_dtypes.bfloat16, lambda n: n.startswith("net/")),
    "average": lambda s: _average(s["train"], s["later"]),
    "merge": lambda s: {**renamed(s["train"], "one/{}".format), **renamed(s["later"], "two/three/{}".format)},
    "set": lambda s: {
        **s["train"],
        "net/w": np.arange(1, 7, dtype=np.float32).reshape(2, 3),
        "net/p": np.full((5, 2), 7, np.float32),
        "added": np.array([b"a", b"b"], object),
    },
    "resize": lambda s: _resized(s["train"]),
    "reshard": lambda s: dict(s["train"]),
    "partition": lambda s: dict(s["train"]),
    "whole": lambda s: dict(s["sharded"]),
    "extract": lambda s: {n: v for n, v in _weights(s["train"]).items() if n.startswith("net/")},
}  # fmt: skip
