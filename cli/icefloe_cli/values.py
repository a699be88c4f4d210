"""Values of tensors on the command line, as feeds take them:

x:0=@x.npy          an array from an .npy
x:0=@data.npz:x     one array of an .npz; without a name the only one
x:0=@data.h5:a/b    one dataset of an .h5
x:0=@x.json         JSON
x:0=[[1, 2], [3]]   JSON, a number, true, false, or a text as it stands
x:0=-               JSON from stdin
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from icefloe_cli.arrays import is_array_file, read_arrays


def split_feed(text: str) -> tuple[str, str]:
    """Return `(tensor name, value)` of `NAME=VALUE`. Raises: click.BadParameter if there is no `=`."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise click.BadParameter(f"expected NAME=VALUE, such as x:0=@x.npy or x:0=1.5, got {text!r}")
    return name, value


def read_value(text: str) -> Any:
    """Return the value that the right-hand side of a feed describes, an array or nested lists.

    Raises: click.BadParameter if a file does not hold it.
    """
    if text == "-":
        return _from_json("" if sys.stdin is None else sys.stdin.read(), "stdin")
    if text.startswith("@"):
        return _from_file(text[1:])
    try:
        return json.loads(text)
    except ValueError:
        return text


def _from_json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise click.BadParameter(f"{where}: no JSON: {error}") from None


def _from_file(spec: str) -> Any:
    path, key = spec, ""
    if not Path(spec).exists() and ":" in spec:
        path, _, key = spec.rpartition(":")
    if not Path(path).exists():
        raise click.BadParameter(f"{path}: no such file")
    suffix = Path(path).suffix.lower()
    if suffix == ".json":
        return _from_json(Path(path).read_text(), path)
    if suffix == ".npy":
        import numpy as np

        try:
            return np.load(path, allow_pickle=False)
        except ValueError as error:
            raise click.BadParameter(f"{path}: {error}") from None
    if is_array_file(path):
        arrays = dict(read_arrays(path))
        if not key and len(arrays) == 1:
            return next(iter(arrays.values()))
        if key not in arrays:
            listed = ", ".join(sorted(arrays)) or "nothing"
            raise click.BadParameter(f"{path}: say which array, as @{path}:NAME; it holds {listed}")
        return arrays[key]
    raise click.BadParameter(f"{path}: expected an .npy, .npz, .h5 or .json file")
