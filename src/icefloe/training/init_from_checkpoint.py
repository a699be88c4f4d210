"""`tf.train.init_from_checkpoint`: variables whose initial values are read from a checkpoint when they are
initialised.

The nodes are TensorFlow's: per variable a RestoreV2 `checkpoint_initializer` on its device's CPU, and the assignment
that a Saver would make.

Source: tensorflow/python/training/checkpoint_utils.py (names, rules and messages).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from typing import Any

from icefloe.checkpoint.reading import CheckpointReader
from icefloe.graph import build
from icefloe.graph.graph import get_default_graph
from icefloe.lib.variable import Variable
from icefloe.lib.variable_partitioned import PartitionedVariable
from icefloe.lib.variable_store import default_store
from icefloe.near_names import near_names
from icefloe.saver import state
from icefloe.saver.inspection import load_checkpoint
from icefloe.saver.saveables import op_list_to_dict, saveable_objects_for_op

_LOG = logging.getLogger("icefloe")

Path = str | os.PathLike[str]
Parts = Variable | list[Variable]
_PART = "/part_"
_SHOWN = 20


def checkpoint_path(ckpt_dir_or_file: Path) -> str | None:
    """Return the path of a checkpoint as it is given, that of the latest one of a directory; None if it has none."""
    path = os.fsdecode(ckpt_dir_or_file)
    return state.latest_checkpoint(path) if os.path.isdir(path) else path


def as_parts(value: Any) -> Parts | None:
    """Return a variable, or the parts of one as a list; None for anything else."""
    if isinstance(value, PartitionedVariable):
        return list(value)
    if isinstance(value, Variable):
        return value
    if isinstance(value, (list, tuple)) and value and all(isinstance(part, Variable) for part in value):
        return list(value)
    return None


def init_from_checkpoint(ckpt_dir_or_file: Path, assignment_map: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> None:
    """Let variables be initialised by what a checkpoint holds for them; it is read when their initialisers run.

    assignment_map: a dict or pairs, from names in the checkpoint to variables, lists of the parts of one, names of
    variables made by `get_variable`; or from a scope `old/` to a scope `new/`, `/` being the whole: each variable of
    the scope is then initialised by the tensor of the same name below the other. Of an object-based checkpoint a name
    may be a variable's full name, too.

    Raises: ValueError if the checkpoint has no such tensor, or one of another shape, or if a scope is mapped to what is
    none; as `load_checkpoint`.
    """
    reader = load_checkpoint(ckpt_dir_or_file)._reader
    path = checkpoint_path(ckpt_dir_or_file) or reader.prefix
    given = os.fsdecode(ckpt_dir_or_file)
    for stored, target in sorted(_pairs(assignment_map), key=lambda pair: pair[0]):
        variable = as_parts(target)
        if variable is None and isinstance(target, str):
            variable = _by_name(target)
        if variable is not None:
            _init_one(reader, path, given, stored, variable)
        elif isinstance(target, str):
            _init_scope(reader, path, given, stored, target)
        else:
            raise TypeError(
                f"assignment_map: expected a variable, a list of parts or a name for {stored!r}, got {target!r}"
            )


def _pairs(assignment_map: Any) -> list[tuple[str, Any]]:
    """Return an assignment map as pairs. Raises: TypeError if it is none."""
    if isinstance(assignment_map, Mapping):
        assignment_map = assignment_map.items()
    pairs = []
    for pair in assignment_map if isinstance(assignment_map, Iterable) else [assignment_map]:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[0], (str, bytes)):
            raise TypeError(
                "assignment_map: expected a dict or pairs, from the name of a tensor or scope to a variable or name, "
                f"got {pair!r}"
            )
        stored, target = pair
        pairs.append((os.fsdecode(stored), os.fsdecode(target) if isinstance(target, bytes) else target))
    return pairs


def _some(shapes: Mapping[str, list[int]]) -> str:
    """Return tensors and their shapes as TensorFlow's messages have them, of many the first."""
    if len(shapes) <= _SHOWN:
        return str(dict(shapes))
    first = {name: shapes[name] for name in list(shapes)[:_SHOWN]}
    return f"{str(first)[:-1]}, and {len(shapes) - _SHOWN} more}}"


def _by_name(name: str) -> Parts | None:
    """Return the variable, or the parts of the one, that `get_variable` made under a name."""
    made = default_store()._vars
    if name in made:
        return made[name]
    parts: list[Variable] = []
    while f"{name}{_PART}{len(parts)}" in made:
        parts.append(made[f"{name}{_PART}{len(parts)}"])
    return parts or None


def _init_one(reader: CheckpointReader, path: str, given: str, stored: str, variable: Parts) -> None:
    shapes = {name: list(entry.shape) for name, entry in reader.entries.items()}
    key = _key(reader, stored)
    if key is None:
        near = near_names(stored, shapes)
        raise ValueError(
            f"Tensor {stored} is not found in {given} checkpoint {_some(shapes)}"
            + (f"; did you mean {' or '.join(near)}?" if near else "")
        )
    if isinstance(variable, Variable) and not variable.get_shape().is_compatible_with(shapes[key]):
        raise ValueError(
            f"Shape of variable {variable.name} ({variable.get_shape()}) doesn't match with shape of tensor {stored} "
            f"({shapes[key]}) from checkpoint reader."
        )
    _set_initializers(variable, path, key)


def _init_scope(reader: CheckpointReader, path: str, given: str, stored: str, target: str) -> None:
    scope = target.rpartition("/")[0]
    if not stored.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {scope} should map to scope only {stored}. "
            "Should be 'scope/': 'other_scope/'."
        )
    # What follows the last `/` of a scope counts not, as in TensorFlow; where there is none, the whole is meant.
    scope = scope if "/" in target else target
    prefix = f"{scope}/" if scope else ""
    names = {name.partition(_PART)[0] for name in default_store()._vars if name.startswith(prefix)}
    for name in sorted(names):
        inner = name.removeprefix(prefix)
        full = (inner if stored == "/" else stored + inner).removesuffix("/")
        key = _key(reader, full)
        if key is None:
            near = near_names(full, reader.entries)
            raise ValueError(
                f"Tensor {full} ({inner} in {stored}) is not found in {given} checkpoint"
                + (f"; did you mean {' or '.join(near)}?" if near else "")
            )
        variable = _by_name(name)
        assert variable is not None
        _set_initializers(variable, path, key)


def _key(reader: CheckpointReader, name: str) -> str | None:
    found = reader.keys_of(name)
    return found[0] if len(found) == 1 else None


def _set_initializers(variable: Parts, path: str, key: str) -> None:
    """Raises: ValueError if the parts are not of one variable."""
    if isinstance(variable, Variable):
        _set_initializer(variable, path, key, "")
        return
    whole = None
    for part in variable:
        info = part._save_slice_info
        if info is None:
            raise ValueError(f"Slices must all be slices: {part}")
        if whole is not None and whole != info.full_name:
            raise ValueError(f"Slices must all be from the same tensor: {whole} != {info.full_name}")
        whole = info.full_name
        _set_initializer(part, path, key, info.spec)


def _set_initializer(variable: Variable, path: str, key: str, spec: str) -> None:
    graph = get_default_graph()
    with graph.device(variable.device), graph.device("/cpu:0"):
        (value,) = build.apply_op(
            "RestoreV2", path, [key], [spec], dtypes=[variable.dtype.base_dtype], name="checkpoint_initializer"
        )
        ((name, op),) = op_list_to_dict([variable]).items()
        (saveable,) = saveable_objects_for_op(op, name)
    variable._initializer_op = saveable.restore([value], None)
    value.set_shape(variable.shape)
    variable._initial_value = value
    _LOG.debug("Initialize variable %s from checkpoint %s with %s", variable.name, path, key)
