"""Damaged SavedModels: each gives a model or an `icefloe.errors` exception, whatever is asked of it."""

from __future__ import annotations

import contextlib
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.proto import SavedModel

MODELS = Path(__file__).resolve().parents[2] / "fixtures" / "saved_models"
NAMES = ("simple", "resource", "tables", "signed", "sparse", "objects")


def use(directory: Path) -> bool:
    """Identify, describe and load a SavedModel, and call all that it has; return whether it was loaded."""
    tf.identify(directory)
    for look in (tf.describe_saved_model, tf.load_graph):
        with contextlib.suppress(errors.OpError):
            look(directory)
    try:
        model = tf.load_saved_model(directory, config=tf.Config(files="none"))
    except errors.OpError:
        return False
    with model:
        repr(model)
        with contextlib.suppress(errors.OpError):
            assert model.meta_graph is not None
        for signature in model.signatures.values():
            inputs = {key: value_for(spec) for key, spec in signature.inputs.items()}
            with contextlib.suppress(errors.OpError):
                signature(**inputs)
        for path in model.functions:
            with contextlib.suppress(errors.OpError):
                model.functions[path](np.float32([[1, 2]]))
        with contextlib.suppress(errors.OpError):
            tf.show_saved_model(directory, everything=True)
            tf.scan_saved_model(directory)
    return True


def value_for(spec: Any) -> Any:
    shape = [min(size or 1, 3) for size in spec.shape or ()]
    return np.full(shape, "a" if spec.dtype is not None and spec.dtype.name == "string" else 1)


def damaged(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data))
    match draw.randrange(4):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]
        case 2:
            return data[:at] + draw.randbytes(3) + data[at + 3 :]
    return data[:at] + data[at + draw.randrange(1, 40) :]


@pytest.fixture(autouse=True)
def quiet(caplog):
    caplog.set_level("CRITICAL", "icefloe")


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("name", NAMES)
def test_damaged_bytes(tmp_path, name, seed):
    draw = random.Random(f"{name}{seed}")
    files = [f for f in (MODELS / name).rglob("*") if f.is_file() and f.stat().st_size]
    shutil.copytree(MODELS / name, tmp_path / "m")
    for _ in range(3):
        file = draw.choice([*files, MODELS / name / "saved_model.pb"])
        (tmp_path / "m" / file.relative_to(MODELS / name)).write_bytes(damaged(file.read_bytes(), draw))
        use(tmp_path / "m")
        shutil.copytree(MODELS / name, tmp_path / "m", dirs_exist_ok=True)


def other_names(model: SavedModel, draw: random.Random) -> None:
    """Change what a well-formed file names: signatures, Saver, init op, assets, collections."""
    graph = model.meta_graphs[0]
    names = ["", ":", "x", "x:9", "x:-1", "^x", "nothing:0", "save/Const", "y:0", "a" * 1000, "\u00e9:0"]
    match draw.randrange(5):
        case 0:
            for signature in graph.signature_def.values():
                for info in (*signature.inputs.values(), *signature.outputs.values()):
                    info.name = draw.choice(names)
        case 1:
            for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
                setattr(graph.saver_def, field, draw.choice(names))
        case 2:
            for key in ("saved_model_main_op", "legacy_init_op"):
                graph.collection_def[key].node_list.value.append(draw.choice(names))
        case 3:
            asset = graph.asset_file_def.add(filename=draw.choice(["../../../etc/passwd", "/etc/passwd", "", "a\0b"]))
            asset.tensor_info.name = draw.choice(names)
        case 4:
            for node in graph.graph_def.node:
                if draw.random() < 0.2 and node.input:
                    node.input[0] = draw.choice([*names, node.name])


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", NAMES)
def test_names_of_what_is_not_there(tmp_path, name, seed):
    shutil.copytree(MODELS / name, tmp_path / "m")
    file = tmp_path / "m" / "saved_model.pb"
    model = SavedModel.FromString(file.read_bytes())
    other_names(model, random.Random(f"{name}{seed}"))
    file.write_bytes(model.SerializeToString())
    use(tmp_path / "m")


def test_undamaged():
    assert all(use(MODELS / name) for name in NAMES)
