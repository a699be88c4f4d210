"""The op table: the complete signatures of TensorFlow 2.21's registry, and which module holds each op's kernel.

`ops.pb` is a serialized `OpList` (fixtures/make/op_table.py makes it); it is parsed on first need. `families.json`
maps an op to the module below `icefloe.ops` that registers it, so that a kernel's module is imported when a plan first
needs one of its ops; `gradients.json` maps it to the module of its gradient rule. fixtures/make/op_families.py makes
both.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from icefloe import errors
from icefloe.near_names import near_names, question
from icefloe.proto import AttrValue, OpDef, OpList


class Arg(NamedTuple):
    """One input or output argument of an op: a tensor, or a list of them where `is_list`.

    dtype: DataType number where the type is fixed, else 0 and `type_attr` or `type_list_attr` names the attr that
      gives it.
    number_attr: the attr that counts a list of equal types.
    """

    name: str
    dtype: int
    type_attr: str
    number_attr: str
    type_list_attr: str
    is_ref: bool

    @property
    def is_list(self) -> bool:
        return bool(self.number_attr or self.type_list_attr)


class AttrSpec(NamedTuple):
    """One attr of an op.

    type: int, float, bool, string, type, shape, tensor, func, or list(...) of one of these.
    default: an AttrValue, or None where the attr must be given.
    allowed: an AttrValue that holds the list of allowed values, or None.
    minimum: the least int, or least length of a list, where `has_minimum`.
    """

    name: str
    type: str
    default: AttrValue | None
    allowed: AttrValue | None
    has_minimum: bool
    minimum: int


class Signature(NamedTuple):
    """An OpDef in a form that is quick to walk: of a registered op, or of a function in a graph's library."""

    name: str
    inputs: tuple[Arg, ...]
    outputs: tuple[Arg, ...]
    attrs: dict[str, AttrSpec]
    is_stateful: bool
    is_commutative: bool
    is_aggregate: bool
    allows_uninitialized_input: bool
    op_def: OpDef

    @property
    def returns_bare(self) -> bool:
        """Whether a kernel returns its only output bare, not in a tuple: one output argument that is no list."""
        return len(self.outputs) == 1 and not self.outputs[0].is_list


def _args(args: Iterable[Any]) -> tuple[Arg, ...]:
    return tuple(Arg(a.name, a.type, a.type_attr, a.number_attr, a.type_list_attr, a.is_ref) for a in args)


def signature_of(op_def: OpDef) -> Signature:
    """Return the `Signature` of an OpDef, such as a function's."""
    attrs = {
        a.name: AttrSpec(
            a.name,
            a.type,
            a.default_value if a.HasField("default_value") else None,
            a.allowed_values if a.HasField("allowed_values") else None,
            a.has_minimum,
            a.minimum,
        )
        for a in op_def.attr
    }
    return Signature(
        op_def.name,
        _args(op_def.input_arg),
        _args(op_def.output_arg),
        attrs,
        op_def.is_stateful,
        op_def.is_commutative,
        op_def.is_aggregate,
        op_def.allows_uninitialized_input,
        op_def,
    )


def _read(name: str) -> bytes:
    # importlib.resources costs as much time as all that is read here.
    with open(os.path.join(os.path.dirname(__file__), name), "rb") as file:
        return file.read()


@functools.cache
def _table() -> dict[str, OpDef]:
    return {op.name: op for op in OpList.FromString(_read("ops.pb")).op}


@functools.cache
def _families() -> dict[str, str]:
    return json.loads(_read("families.json"))


def register(op_def: OpDef) -> None:
    """Add an op that TensorFlow's registry lacks, such as one of a user's own library; graphs may then hold it.

    Raises: AlreadyExistsError if another op has the name.
    """
    known = _table().get(op_def.name)
    if known is not None and known != op_def:
        raise errors.AlreadyExistsError(f"Op with name {op_def.name!r} is registered already")
    _table()[op_def.name] = op_def


def names() -> list[str]:
    """Return the names of all registered ops, sorted."""
    return sorted(_table())


def find(op: str) -> OpDef | None:
    """Return the OpDef of `op`, or None if TensorFlow 2.21 registers no such op."""
    return _table().get(op)


def get(op: str) -> OpDef:
    """Return the OpDef of `op`.

    Raises: NotFoundError, with near matches, if TensorFlow 2.21 registers no such op.
    """
    found = _table().get(op)
    if found is None:
        raise errors.NotFoundError(f"Op type not registered {op!r}", hint=question(near_names(op, _table())))
    return found


@functools.cache
def signature(op: str) -> Signature:
    """Return the `Signature` of a registered op. Raises: NotFoundError as `get` does."""
    return signature_of(get(op))


def module(op: str) -> str | None:
    """Return the module below `icefloe.ops` that registers `op`, such as `math.reduce`, or None if nothing does."""
    return _families().get(op)


@functools.cache
def _gradients() -> dict[str, str]:
    return json.loads(_read("gradients.json"))


def gradient_module(op: str) -> str | None:
    """Return the module below `icefloe` that holds the gradient rule of `op`, such as `ops.math.reduce_gradients`."""
    return _gradients().get(op)


def family(op: str) -> str | None:
    """Return the family of `op`, such as `math`, or None if no kernel, shape or gradient rule is written for it."""
    found = module(op)
    return found.partition(".")[0] if found else None
