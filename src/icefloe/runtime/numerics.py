"""`NumericsCheck`: stops a run at the first node that makes a NaN or an Inf, and says of what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.tensor import Tensor
from icefloe.resources import Variable
from icefloe.runtime.observing import Record
from icefloe.shapes import shape_text

# Their outputs are data: what is in them was put there, not made.
_DATA = frozenset(("Const", "Placeholder", "PlaceholderV2", "VariableV2", "Variable", "ReadVariableOp", "_Arg"))


class NumericsCheck:
    """An observer. A node makes a NaN, or an Inf, if one of its outputs has one and none of its inputs has."""

    def __call__(self, record: Record) -> None:
        """Raises: InvalidArgumentError if the node has made a NaN or an Inf."""
        if record.op.type in _DATA:
            return
        for i, output in enumerate(record.outputs):
            for kind, is_bad in (("NaN", np.isnan), ("Inf", np.isinf)):
                bad = _places(output, is_bad)
                if bad is None or any(_places(value, is_bad) is not None for value in record.inputs):
                    continue
                raise errors.InvalidArgumentError(
                    f"made {_count(bad, kind)} in output {i} of shape {shape_text(np.shape(output))}"
                    f"{_cause(record, tuple(int(n) for n in bad[0]), np.shape(output))}"
                )

    @staticmethod
    def finish(fetches: Sequence[Tensor], values: Sequence[Any], feeds: Sequence[Tensor], given: Sequence[Any]) -> None:
        """Raises: InvalidArgumentError if a fetch has a NaN that no node has made."""
        for fetch, value in zip(fetches, values):
            bad = _places(value, np.isnan)
            if bad is not None and fetch.op.type not in _DATA:
                came = [feed.name for feed, fed in zip(feeds, given) if _places(fed, np.isnan) is not None]
                source = f"with the feed {', '.join(came)}" if came else "with a constant or a variable"
                raise errors.InvalidArgumentError(
                    f"{fetch.name} has {_count(bad, 'NaN')}, which no node has made: it came {source}",
                    node=fetch.op.name,
                )


def _places(value: Any, is_bad: Any) -> Any:
    """Return the indices where a value is bad, one row each, or None."""
    if isinstance(value, Variable):
        value = value.array
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind not in "fcV" or value.dtype.names:
        return None
    try:
        bad = is_bad(value)
    except TypeError:  # an integer of fewer than eight bits
        return None
    return np.argwhere(bad) if bad.any() else None


def _count(bad: Any, kind: str) -> str:
    place = "" if not bad.shape[1] else f" (the first at {tuple(int(n) for n in bad[0])})"
    return f"{len(bad)} {kind}{place}"


def _cause(record: Record, place: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """Return what the inputs were: their elements at `place` where they broadcast, else their range."""
    said = []
    for tensor, value in zip(record.op.inputs, record.inputs):
        if isinstance(value, Variable):
            value = value.array
        if not isinstance(value, (np.ndarray, np.generic)) or value.dtype == object or value.dtype.names:
            continue
        if not value.size:
            said.append(f"{tensor.name} empty")
        elif (element := _element(value, place, shape)) is not None:
            said.append(f"{tensor.name} = {element}")
        elif value.dtype.kind in "fiu":
            said.append(f"{tensor.name} {shape_text(value.shape)} from {value.min()} to {value.max()}")
    return f". Inputs there: {', '.join(said)}" if said else ""


def _element(value: Any, place: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    try:
        return np.broadcast_to(value, shape)[place]
    except ValueError:
        return None
