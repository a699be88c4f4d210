"""Kernel cases: one op, its inputs and attrs. Tables of them are run on TensorFlow once (fixtures/make/kernels.py) and on icefloe by every test run."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

TABLES = Path(__file__).parent
GOLDENS = TABLES.parents[1] / "fixtures" / "kernels"


@dataclass
class Case:
    """A call of `raw_ops.<op>`.

    inputs: in signature order; numpy arrays, Python scalars, bytes, or a list of these for a list argument.
    attrs: by name; types as names ("float32"), shapes as lists.
    tol: relative tolerance for float results where the default of the dtype is too tight; 0 asks for equal bits.
    """

    op: str
    inputs: tuple[Any, ...]
    attrs: dict[str, Any] = field(default_factory=dict)
    tol: float | None = None
    id: str = ""

    def __init__(self, op: str, *inputs: Any, tol: float | None = None, **attrs: Any) -> None:
        self.op, self.inputs, self.attrs, self.tol, self.id = op, inputs, attrs, tol, ""

    def fingerprint(self) -> str:
        """Return a digest of inputs and attrs, so that a golden made from an older table is noticed."""
        digest = hashlib.sha256(repr((self.op, sorted(self.attrs.items(), key=repr))).encode())
        for value in self.inputs:
            for part in value if isinstance(value, (list, tuple)) else [value]:
                array = np.asarray(part)
                digest.update(f"{array.dtype}{array.shape}".encode())
                digest.update(repr(array.tolist()).encode() if array.dtype.hasobject else array.tobytes())
        return digest.hexdigest()[:16]


def load_table(path: Path) -> list[Case]:
    """Return the CASES of a table file, each with an id: the op's name and a count."""
    spec = importlib.util.spec_from_file_location(f"kernel_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    counts: Counter[str] = Counter()
    for case in module.CASES:
        case.id = f"{case.op}-{counts[case.op]}"
        counts[case.op] += 1
    return list(module.CASES)


def tables() -> list[Path]:
    return sorted(TABLES.glob("table_*.py"))


class Golden:
    """What TensorFlow answered: `answers[id]` is a dict with `fingerprint` and either `outputs`, a list of arrays, or `error`, a class name.

    File: an npz of `meta` (JSON) and `data` (all numeric outputs, one after the other).
    """

    def __init__(self, path: Path) -> None:
        with np.load(path) as stored:
            meta = json.loads(stored["meta"].tobytes())
            data = stored["data"].tobytes()
        self.answers: dict[str, dict[str, Any]] = {}
        for name, answer in meta.items():
            if "outputs" in answer:
                answer["outputs"] = [self._array(o, data) for o in answer["outputs"]]
            self.answers[name] = answer

    @staticmethod
    def _array(output: dict[str, Any], data: bytes) -> np.ndarray:
        if "strings" in output:
            array = np.empty(len(output["strings"]), object)
            array[:] = [base64.b64decode(s) for s in output["strings"]]
            return array.reshape(output["shape"])
        dtype = named_dtype(output["dtype"])
        count = int(np.prod(output["shape"], dtype=np.int64))
        return np.frombuffer(data, dtype, count, output["at"]).reshape(output["shape"])

    @staticmethod
    def write(path: Path, answers: dict[str, dict[str, Any]]) -> None:
        data = bytearray()
        meta: dict[str, dict[str, Any]] = {}
        for name, answer in answers.items():
            meta[name] = dict(answer)
            if "outputs" not in answer:
                continue
            meta[name]["outputs"] = []
            for value in answer["outputs"]:
                # numpy's own strings would lose zero bytes at the end.
                array = np.asarray(value, object) if isinstance(value, bytes) else np.asarray(value)
                if array.dtype.hasobject or array.dtype.kind in "SU":
                    strings = [
                        base64.b64encode(x if isinstance(x, bytes) else str(x).encode()).decode()
                        for x in array.ravel().tolist()
                    ]
                    meta[name]["outputs"].append({"strings": strings, "shape": list(array.shape)})
                    continue
                dtype = array.dtype.names[0] if array.dtype.names else array.dtype.name
                meta[name]["outputs"].append({"dtype": dtype, "shape": list(array.shape), "at": len(data)})
                data += array.tobytes()
        text = json.dumps(meta, separators=(",", ":")).encode()
        np.savez_compressed(path, meta=np.frombuffer(text, np.uint8), data=np.frombuffer(bytes(data), np.uint8))


def named_dtype(name: str) -> np.dtype:
    if name.startswith(("qint", "quint")):
        return np.dtype([(name, name[1:])])
    return np.dtype(getattr(ml_dtypes, name)) if hasattr(ml_dtypes, name) else np.dtype(name)


# Relative tolerance where a case names none: rounding differs between vector units, so a few units in the last place are granted.
TOLERANCE = {
    "float16": 2e-3,
    "bfloat16": 1e-2,
    "float32": 2e-6,
    "complex64": 5e-6,
    "float64": 1e-13,
    "complex128": 1e-13,
}


def difference(got: Any, want: np.ndarray, tol: float | None) -> str | None:
    """Return None where `got` is `want` within tolerance, dtype and shape exactly, else what differs."""
    if want.dtype == object:
        got = np.asarray(got, object)
        if got.shape != want.shape:
            return f"shape {got.shape}, expected {want.shape}"
        return None if got.tolist() == want.tolist() else f"{got.tolist()}, expected {want.tolist()}"
    got = np.asarray(got)
    if got.dtype != want.dtype:
        return f"dtype {got.dtype}, expected {want.dtype}"
    if got.shape != want.shape:
        return f"shape {got.shape}, expected {want.shape}"
    rtol = TOLERANCE.get(want.dtype.name) if tol is None else tol
    if not rtol:
        return None if got.tobytes() == want.tobytes() else f"{got!r}, expected {want!r}"
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    g, w = got.astype(wide), want.astype(wide)
    finite = np.abs(w[np.isfinite(w)])
    scale = float(finite.max(initial=0.0))
    return (
        None
        if np.allclose(g, w, rtol=rtol, atol=rtol * min(scale, 1.0), equal_nan=True)
        else f"{got!r}, expected {want!r}"
    )
