"""Which ops TensorFlow computes on the CPU, and the element types its kernels take: facts of its registry.

`kernels.json` (fixtures/make/kernel_types.py makes it) has an entry for each op with a CPU kernel. An op's entry lists
demands: one maps type attrs to the DataType numbers that a kernel takes; a node runs where all of one demand are met.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable
from typing import Any

from icefloe.proto import DataType


@functools.cache
def table() -> dict[str, dict[str, Any]]:
    """Return op -> {"group": of TensorFlow's wrappers, "types": demands, "labels": of kernels chosen by name, if any}
    for ops with a CPU kernel in TensorFlow.
    """
    with open(os.path.join(os.path.dirname(__file__), "kernels.json"), "rb") as file:
        found: dict[str, dict[str, Any]] = json.load(file)
    return found


@functools.cache
def _demands(op: str) -> tuple[tuple[str, ...], list[dict[str, list[int]]]] | None:
    """Return the type attrs that matter to kernels of `op` and their demands; None where any types will do."""
    entry = table().get(op)
    if entry is None or {} in entry["types"]:
        return None
    return tuple(sorted({attr for demand in entry["types"] for attr in demand})), entry["types"]


_ACCEPTED: set[tuple[Any, ...]] = set()


def refusal(op: str, attr: Callable[[str], Any]) -> str | None:
    """Return why TensorFlow has no CPU kernel for a node of type `op`, None where it has one or no kernel at all.

    attr: gives the value of one of the node's attrs: a DType, or a tuple of them.
    """
    known = _demands(op)
    if known is None:
        return None
    names, demands = known
    given = tuple([attr(name) for name in names])
    key = (op, *given)
    if key in _ACCEPTED:
        return None
    types = {
        name: [t.as_datatype_enum for t in (value if isinstance(value, tuple) else (value,))]
        for name, value in zip(names, given, strict=True)
    }
    if any(all(set(types[name]) <= set(taken) for name, taken in demand.items()) for demand in demands):
        _ACCEPTED.add(key)
        return None
    attrs = ", ".join(f"{name}={'+'.join(map(_name, numbers))}" for name, numbers in types.items())
    kernels = "; ".join(
        ", ".join(f"{name} in [{', '.join(map(_name, taken))}]" for name, taken in demand.items()) for demand in demands
    )
    return (
        f"No OpKernel was registered to support Op {op!r} with these attrs: [{attrs}]. "
        f"Registered kernels: device='CPU'; {kernels}"
    )


def label_refusal(op: str, label: str) -> str | None:
    """Return why TensorFlow has no CPU kernel for a node that asks for one by `label`, its attr _kernel; else None."""
    entry = table().get(op)
    if not label or entry is None or label in entry.get("labels", ()):
        return None
    return f"No OpKernel was registered to support Op {op!r} with these attrs: [_kernel={label!r}] on a CPU"


def _name(number: int) -> str:
    return str(DataType.Name(number))
