"""Arguments of dataset ops: numbers, seeds and the attrs that all of them have."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.constant_value import constant_value
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.seeds import get_seed
from icefloe.graph.tensor import Tensor
from icefloe.lib import data_nest as nest
from icefloe.lib import data_structure as structure

AUTOTUNE = -1
INFINITE = -1
UNKNOWN = -2
INT64 = datatypes.int64


def number(value: Any, name: str) -> Tensor:
    """Return an int64 tensor."""
    return convert_to_tensor(value, dtype=INT64, name=name)


def flag(value: Any, name: str) -> Tensor:
    """Return a bool tensor."""
    return convert_to_tensor(value, dtype=datatypes.bool, name=name)


def seed_pair(seed: Any) -> tuple[Tensor, Tensor]:
    """Return the seeds of a transformation, as tensors; two zeros do not mean random ones."""
    first, second = get_seed(seed)
    one = convert_to_tensor(0 if first is None else first, dtype=INT64, name="seed")
    if second is None:
        return one, convert_to_tensor(0, dtype=INT64, name="seed2")
    with name_scope("seed2") as scope:
        two = convert_to_tensor(second, dtype=INT64)
        both = apply_op("LogicalAnd", apply_op("Equal", one, 0), apply_op("Equal", two, 0))
        return one, apply_op("SelectV2", both, convert_to_tensor(2**31 - 1, dtype=INT64), two, name=scope)


def determinism(deterministic: bool | None) -> str:
    """Return what the attr of that name says."""
    return "default" if deterministic is None else "true" if deterministic else "false"


def metadata(name: str | None) -> bytes:
    """Return a serialized Metadata message."""
    if not name:
        return b""
    data = name.encode()
    return b"\n" + bytes([len(data)]) + data if len(data) < 128 else b""


def arguments(spec: Any, name: str | None) -> dict[str, Any]:
    """Return the attrs that all dataset ops have."""
    return {
        "output_types": structure.flat_types(spec),
        "output_shapes": structure.flat_shapes(spec),
        "metadata": metadata(name),
    }


def batched(spec: Any, size: Tensor, drop_remainder: Tensor) -> Any:
    """Return the structure of batches of `spec`."""
    known = constant_value(size) if constant_value(drop_remainder) else None
    return nest.map_structure(lambda leaf: leaf.batch(None if known is None else int(known)), spec)
