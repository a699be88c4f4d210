"""Models of TensorFlow.js and Keras whose descriptions were changed at random: a graph, or an error of ours."""

from __future__ import annotations

import contextlib
import io
import json
import random
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import pytest

import icefloe
from icefloe import errors

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
ODD = [
    *(None, True, -1, 0, 1e308, 2**31, 2**63, 2**70, "", "x", "../x", [], [[]], {}, [1] * 3, {"a": 1}),
    *("DT_FLOAT", "DT_STRING", "DT_RESOURCE", [2**40, 2**40], [-1], "\x00", "NaN", 99),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Return the path of everything inside of a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def changed(value: Any, rng: random.Random) -> Any:
    """Return a JSON value with up to three of its parts replaced or taken out."""
    value = json.loads(json.dumps(value))
    for _ in range(rng.choice([1, 1, 2, 3])):
        found = list(places(value))
        if not found:
            return value
        *above, last = rng.choice(found)
        inner = value
        for key in above:
            inner = inner[key]
        if rng.random() < 0.8:
            inner[last] = rng.choice(ODD)
        else:
            del inner[last]
    return value


def load(path: Path) -> None:
    with contextlib.suppress(errors.OpError):
        icefloe.load_graph(path)


@pytest.mark.parametrize("name", sorted(path.name for path in (FIXTURES / "tfjs").iterdir()))
def test_descriptions_of_tensorflow_js(tmp_path: Path, name: str) -> None:
    shutil.copytree(FIXTURES / "tfjs" / name, tmp_path / "model")
    model = json.loads((FIXTURES / "tfjs" / name / "model.json").read_text())
    rng = random.Random(name)
    for _ in range(40):
        (tmp_path / "model" / "model.json").write_text(json.dumps(changed(model, rng)))
        load(tmp_path / "model")


KERAS = zipfile.ZipFile(FIXTURES / "keras" / "models.zip")
MODELS = ["nested", "lstm", "conv2d", "heads_masked", "operations", "time_distributed", "stacked_cells", "numbers"]
FILES = [
    f"{name}_{v}.{s}" for name in MODELS for v, s in ((2, "h5"), (3, "keras")) if f"{name}_{v}.{s}" in KERAS.namelist()
]


@pytest.mark.parametrize("name", FILES)
def test_descriptions_of_keras(tmp_path: Path, name: str) -> None:
    data = KERAS.read(name)
    rng = random.Random(name)
    path = tmp_path / name
    for _ in range(12):
        path.write_bytes(data)
        if name.endswith(".h5"):
            with h5py.File(path, "r+") as file:
                described = json.loads(file.attrs["model_config"])
                file.attrs["model_config"] = json.dumps(changed(described, rng)).encode()
        else:
            _rewrite(path, data, rng)
        load(path)


def _rewrite(path: Path, data: bytes, rng: random.Random) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(path, "w") as new:
        for member in old.namelist():
            content = old.read(member)
            if member == "config.json":
                content = json.dumps(changed(json.loads(content), rng)).encode()
            new.writestr(member, content)


@pytest.mark.parametrize("depth", [10_000, 200_000])
def test_json_that_is_nested_deeply(tmp_path: Path, depth: int) -> None:
    (tmp_path / "model.json").write_text('{"modelTopology": ' + "[" * depth + "]" * depth + "}")
    with pytest.raises(errors.OpError):
        icefloe.load_graph(tmp_path)


def test_a_shape_that_is_huge_is_not_allocated(tmp_path: Path) -> None:
    node = {
        "name": "c",
        "op": "Const",
        "attr": {"dtype": {"type": "DT_FLOAT"}, "value": {"tensor": {"dtype": "DT_FLOAT"}}},
    }
    weights = [{"name": "c", "dtype": "float32", "shape": [1 << 30, 8]}]
    model = {"modelTopology": {"node": [node]}, "weightsManifest": [{"paths": ["w"], "weights": weights}]}
    (tmp_path / "w").write_bytes(b"1234")
    (tmp_path / "model.json").write_text(json.dumps(model))
    with pytest.raises(errors.DataLossError, match="but only 4 are left"):
        icefloe.load_graph(tmp_path)
