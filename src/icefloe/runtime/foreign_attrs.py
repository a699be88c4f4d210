"""Attrs that a node has and its op has not: of a later release, or of another program.

TensorFlow refuses a graph with such a node. What says nothing, as a default does, is passed over here: false, 0, "" and
empty lists; and dtypes, shapes and functions, which describe what there is anyway. Anything else may ask for another
result than the kernel gives, so the node is refused when it is to run.
"""

from __future__ import annotations

from icefloe.graph.operation import Operation
from icefloe.proto import AttrValue


def refusal(op: Operation) -> str | None:
    """Return why a node cannot run because of an attr that its op does not have; None if there is no reason."""
    signature = op.signature
    if signature is None:
        return None
    attrs = op._node_attrs()
    for name in attrs.keys() - signature.attrs.keys():
        if not name.startswith("_") and _says_something(attrs[name]):
            text = " ".join(str(attrs[name]).split())
            return (
                f"NodeDef mentions attr '{name}' not in Op<name={op.type}>, and its value ({text}) may change the "
                "result. `icefloe graph fix` takes such attrs out"
            )
    return None


def _says_something(value: AttrValue) -> bool:
    kind = value.WhichOneof("value")
    if kind == "list":
        return any(len(getattr(value.list, field)) for field in ("b", "i", "f", "s"))
    return kind in ("b", "i", "f", "s") and bool(getattr(value, kind))
