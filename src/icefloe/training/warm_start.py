"""`tf.train.warm_start`: initial values of a model's variables from the checkpoint of another, which may have had other
vocabularies.

Source: tensorflow/python/training/warm_starting_util.py (rules and messages).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from icefloe import errors
from icefloe.checkpoint.arguments import as_expression
from icefloe.checkpoint.opening import open_checkpoint
from icefloe.graph.collections import GraphKeys
from icefloe.graph.default_graph import get_collection
from icefloe.lib.assignments import assign
from icefloe.lib.variable import Variable
from icefloe.lib.variable_store import PartitionInfo
from icefloe.saver.saveables import op_list_to_dict
from icefloe.training.init_from_checkpoint import Parts, as_parts, checkpoint_path, init_from_checkpoint
from icefloe.training.remapped_matrix import Axis, RemappedMatrix

_LOG = logging.getLogger("icefloe")

Path = str | os.PathLike[str]


class _VocabFields(NamedTuple):
    new_vocab: Any
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: Any
    old_vocab_size: int
    backup_initializer: Any
    axis: int


class VocabInfo(_VocabFields):
    """The vocabularies, old and new, that the rows or columns of a variable belong to.

    new_vocab, old_vocab: paths of files of one word a line. new_vocab_size, old_vocab_size: how many of their words
    count, -1 for all of the old one. num_oov_buckets: rows or columns for unknown words, behind the others.
    backup_initializer: gives the values of what is new; zeros by default. axis: 0 for rows, 1 for columns.

    Raises: ValueError for another axis.
    """

    __slots__ = ()

    def __new__(
        cls,
        new_vocab: Any,
        new_vocab_size: int,
        num_oov_buckets: int,
        old_vocab: Any,
        old_vocab_size: int = -1,
        backup_initializer: Any = None,
        axis: int = 0,
    ) -> VocabInfo:
        if axis not in (0, 1):
            raise ValueError(f"The only supported values for the axis argument are 0 and 1.  Provided axis: {axis}")
        return super().__new__(
            cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size, backup_initializer, axis
        )


def _name(parts: list[Any]) -> str:
    """Return the name that a variable, or the parts of one, have in checkpoints. Raises: TypeError for several ones."""
    names = op_list_to_dict(parts)
    if len(names) > 1:
        raise TypeError(f"`var` = {parts} passed as arg violates the constraints.  name_to_var_dict = {names}")
    return next(iter(names))


def _as_list(variable: Any) -> list[Variable]:
    parts = as_parts(variable)
    if parts is None:
        raise TypeError(
            "var MUST be one of the following: a Variable, list of Variable or PartitionedVariable, but is "
            f"{type(variable)}"
        )
    return parts if isinstance(parts, list) else [parts]


def _warm_start_with_vocab(variable: Any, name: str, checkpoint: Path, info: VocabInfo) -> None:
    """Let a variable, or the parts of one, be initialised by rows or columns of the tensor `name` for the words of its
    vocabulary.

    Raises: ValueError if something is missing.
    """
    if not (info.new_vocab and info.new_vocab_size and checkpoint and info.old_vocab):
        raise ValueError(
            "Invalid args: Must provide all of [current_vocab_path, current_vocab_size, prev_ckpt, prev_vocab_path}."
        )
    parts = _as_list(variable)
    path = checkpoint_path(checkpoint) or os.fsdecode(checkpoint)
    words = {"old_vocab": info.old_vocab, "new_vocab": info.new_vocab, "buckets": info.num_oov_buckets}
    shapes = [[size or 0 for size in part.get_shape().as_list()] for part in parts]
    rows_in_all = sum(shape[0] for shape in shapes)
    for part, shape in zip(parts, shapes, strict=True):
        if info.axis == 0:
            rows = Axis(info.new_vocab_size, old_size=info.old_vocab_size, **words)
            columns = Axis(shape[1])
        else:
            rows, columns = Axis(rows_in_all), Axis(info.new_vocab_size, **words)
        where = part._get_save_slice_info()
        place = None if where is None else PartitionInfo(where.full_shape, where.var_offset)
        matrix = RemappedMatrix(path, name, rows, columns, info.backup_initializer)
        part._initializer_op = assign(part, matrix(shape, partition_info=place))


def _grouped(vars_to_warm_start: Any) -> dict[str, list[Variable]]:
    """Return the chosen variables by the names that they have in checkpoints, the parts of one together.

    Raises: ValueError if they are neither text nor variables, or a text is no regular expression.
    """
    for text in vars_to_warm_start if isinstance(vars_to_warm_start, list) else [vars_to_warm_start]:
        if isinstance(text, str):
            as_expression(text)
    if vars_to_warm_start is None or isinstance(vars_to_warm_start, str):
        _LOG.info("Warm-starting variables only in TRAINABLE_VARIABLES.")
        chosen = get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=vars_to_warm_start)
    elif not isinstance(vars_to_warm_start, list):
        raise ValueError(f"`vars_to_warm_start must be a `list` or `str`.  Given type is {type(vars_to_warm_start)}")
    elif all(isinstance(item, str) for item in vars_to_warm_start):
        chosen = [v for scope in vars_to_warm_start for v in get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope)]
    elif all(as_parts(item) is not None for item in vars_to_warm_start):
        chosen = vars_to_warm_start
    else:
        raise ValueError(
            "If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given types are "
            f"{[type(item) for item in vars_to_warm_start]}"
        )
    out: dict[str, list[Variable]] = {}
    for item in chosen:
        parts = _as_list(item)
        out.setdefault(_name(parts), []).extend(parts)
    return out


def _object_keys(checkpoint: Path, names: list[str]) -> dict[str, str]:
    """Return the keys of variables in an object-based checkpoint by their names, nothing for one saved by names.

    Raises: ValueError if it lacks one.
    """
    try:
        with open_checkpoint(checkpoint_path(checkpoint) or checkpoint) as reader:
            graph = reader.object_graph
            found = {} if graph is None else {name: keys[0] for name in names if len(keys := reader.keys_of(name)) == 1}
    except errors.NotFoundError:
        return {}
    missing = set(names) - found.keys()
    if graph is not None and missing:
        raise ValueError(
            "Attempting to warm-start from an object-based checkpoint, but found that the checkpoint did not contain "
            f"values for all variables. The following variables were missing: {missing}"
        )
    return found


def warm_start(
    ckpt_to_initialize_from: Path,
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Let variables be initialised by the checkpoint of another model; it is read when their initialisers run.

    vars_to_warm_start: a regular expression, for trainable variables whose names begin with a match; a list of these,
    for all global variables; a list of variables; None for those in `var_name_to_vocab_info` alone.
    var_name_to_vocab_info: for matrices whose rows or columns belong to words.
    var_name_to_prev_var_name: what variables were called in the checkpoint, where that is not their name now. Both go
    by full names, not those of parts.

    Raises: ValueError if a name in one of the dicts is not among the chosen variables; as `init_from_checkpoint`.
    """
    _LOG.info("Warm-starting from: %s", ckpt_to_initialize_from)
    grouped = _grouped(vars_to_warm_start)
    vocabularies = var_name_to_vocab_info or {}
    old_names = var_name_to_prev_var_name or _object_keys(ckpt_to_initialize_from, list(grouped))
    plain: dict[str, Parts] = {}
    count = 0
    for name, parts in grouped.items():
        old = old_names.get(name) or name
        info = vocabularies.get(name)
        if info is not None and not isinstance(info, VocabInfo):
            raise TypeError(f"var_name_to_vocab_info: expected a VocabInfo for {name}, got {info!r}")
        if info:
            _warm_start_with_vocab(parts, old, ckpt_to_initialize_from, info)
        elif vars_to_warm_start:
            if old in plain:  # one map cannot hold two variables for a tensor
                init_from_checkpoint(ckpt_to_initialize_from, plain)
                plain = {}
            plain[old] = parts[0] if len(parts) == 1 else parts
        else:
            continue
        count += 1
    if plain:
        init_from_checkpoint(ckpt_to_initialize_from, plain)
    _LOG.info("Warm-started %d variables.", count)
    _check_used("prev_var_name", old_names.keys() - grouped.keys(), grouped)
    unused = {name for name, info in vocabularies.items() if name not in grouped or not info}
    _check_used("vocab_info", unused, grouped)


def _check_used(what: str, unused: set[str], grouped: Mapping[str, Any]) -> None:
    if unused:
        raise ValueError(
            f"You provided the following variables in var_name_to_{what} that were not used: {unused}.  Perhaps you "
            f"misspelled them?  Here is the list of viable variable names: {grouped.keys()}"
        )
