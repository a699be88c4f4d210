"""Scripts that build a graph, and the graphs TensorFlow builds from them.

Each file of `scripts/` holds `SCRIPTS`, a list of source texts. A script runs in a new graph with `tf`, `np` and some
placeholders at hand (`PLACEHOLDERS`, made when first named). fixtures/make/lib_graphs.py runs them on TensorFlow and writes
fixtures/lib/<file>.zip; the tests hold icefloe's graphs against those node by node.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import textwrap
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

SCRIPTS = Path(__file__).parent / "scripts"
GOLDENS = Path(__file__).resolve().parents[3] / "fixtures" / "lib"

# name -> dtype, shape
PLACEHOLDERS: dict[str, tuple[str, Any]] = {
    "f": ("float32", [2, 3]),
    "g": ("float32", [2, 3]),
    "v3": ("float32", [3]),
    "sq": ("float32", [3, 3]),
    "f3": ("float32", [2, 3, 4]),
    "img": ("float32", [2, 8, 8, 3]),
    "vol": ("float32", [1, 4, 4, 4, 2]),
    "dyn": ("float32", [None, 3]),
    "any": ("float32", None),
    "d": ("float64", [2, 3]),
    "h": ("float16", [2, 3]),
    "i": ("int32", [2, 3]),
    "iv": ("int32", [4]),
    "is_": ("int32", []),
    "l": ("int64", [2, 3]),
    "u8": ("uint8", [2, 3]),
    "b": ("bool", [2, 3]),
    "bv": ("bool", [2]),
    "c": ("complex64", [2, 3]),
    "s": ("string", [2, 3]),
    "sv": ("string", [4]),
    "ss": ("string", []),
}
# Classes that are no public names: where TensorFlow has them, where icefloe does.
UNLISTED = {
    "StagingArea": ("tensorflow.python.ops.data_flow_ops", "icefloe.lib.staging"),
    "MapStagingArea": ("tensorflow.python.ops.data_flow_ops", "icefloe.lib.staging"),
}


class Names(dict[str, Any]):
    """The globals of a script: a placeholder comes into being when it is first named."""

    def __init__(self, tf: Any) -> None:
        super().__init__(tf=tf, np=np)
        self.tf = tf

    def __missing__(self, name: str) -> Any:
        if name in UNLISTED:
            ours = self.tf.__name__ == "icefloe"
            self[name] = getattr(importlib.import_module(UNLISTED[name][ours]), name)
            return self[name]
        if name not in PLACEHOLDERS:
            raise KeyError(name)
        dtype, shape = PLACEHOLDERS[name]
        self[name] = self.tf.placeholder(dtype, shape, name=name)
        return self[name]


def load(topic: str) -> list[str]:
    """Return the scripts of a topic."""
    spec = importlib.util.spec_from_file_location(f"scripts_{topic}", SCRIPTS / f"{topic}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [textwrap.dedent(script).strip() for script in module.SCRIPTS]


def topics() -> list[str]:
    return sorted(path.stem for path in SCRIPTS.glob("*.py"))


def run(script: str, tf: Any) -> Any:
    """Return the GraphDef of a script with static shapes, or the exception that it raised."""
    graph = tf.Graph()
    with graph.as_default():
        try:
            exec(compile(script, "<script>", "exec"), Names(tf))
        except Exception as error:
            return error
    return graph.as_graph_def(add_shapes=True)


def outcome(error: Exception) -> str:
    """Return class and first line of an exception."""
    text = getattr(error, "message", None) or str(error)
    return f"{type(error).__name__}: {text.splitlines()[0] if text else ''}"


class Golden:
    """What TensorFlow made of each script: the bytes of a GraphDef, or the text of an error."""

    def __init__(self, path: Path) -> None:
        with zipfile.ZipFile(path) as archive:
            index = json.loads(archive.read("index.json"))
            self.answers: dict[str, bytes | str] = {
                script: entry["error"] if "error" in entry else archive.read(entry["file"])
                for script, entry in index.items()
            }


def write(path: Path, answers: dict[str, bytes | str]) -> None:
    """Write a golden; the same answers give the same bytes."""
    index: dict[str, dict[str, str]] = {}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(name: str, data: bytes) -> None:
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)

        for number, (script, answer) in enumerate(answers.items()):
            if isinstance(answer, str):
                index[script] = {"error": answer}
            else:
                index[script] = {"file": f"{number}.pb"}
                add(f"{number}.pb", answer)
        add("index.json", json.dumps(index, indent=1).encode())
