"""The aliasing debug mode: kernels get inputs they cannot write to, and must say whose memory their outputs are.

A value in a slot may be shared: with the caller who fed it, with all runs (a constant), with a variable, with other
steps, with what is fetched. No kernel writes into one. Here each call of a kernel gets read-only views, so that one
that writes fails and names its node; an input that the kernel may keep (`fresh`) comes as it is. An output that shares
memory with an input fails too, unless the kernel is registered to return a view of it. Off, none of this is looked at.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from types import GeneratorType
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.runtime.bind import Binding


def protected(binding: Binding) -> Binding:
    """Return the binding with a function that gets read-only inputs and looks at the outputs.

    Errors of the function: InternalError where the kernel writes into an input, or shares one against its word.
    """
    function = binding.function

    @functools.wraps(function, updated=())
    def call(*values: Any, **keywords: Any) -> Any:
        fresh = keywords.get("fresh", ())
        given = [_read_only(value, at, fresh) for at, value in zip(binding.layout, values)] if values else []
        try:
            made = function(*given, **keywords)
        except ValueError as error:
            if "read-only" in str(error):
                raise errors.InternalError(f"the kernel writes into an input, which may be shared: {error}") from error
            raise
        if binding.returns != "stored" and not isinstance(made, GeneratorType):
            _check(binding, given, (made,) if binding.bare else made)
        return made

    return replace(binding, function=call)


def _read_only(value: Any, at: int | tuple[int, ...], fresh: Sequence[bool]) -> Any:
    """Return an argument as a view that cannot be written to; of a list, each array of it.

    at: the positions of what it holds among the node's inputs. fresh: which of those the kernel may keep as they are.
    """
    if isinstance(at, tuple):
        return tuple([_read_only(item, position, fresh) for position, item in zip(at, value)])
    if not isinstance(value, np.ndarray) or (fresh and fresh[at]):
        return value
    view = value.view()
    view.flags.writeable = False
    return view


def _check(binding: Binding, given: list[Any], made: tuple[Any, ...]) -> None:
    allowed = binding.returns[1] if isinstance(binding.returns, tuple) else None
    flat: list[tuple[int, Any]] = []
    for entry, value in zip(binding.layout, given):
        flat += [(entry, value)] if isinstance(entry, int) else list(zip(entry, value))
    views = [value for position, value in flat if position == allowed and isinstance(value, np.ndarray)]
    for number, output in enumerate(made):
        if not isinstance(output, np.ndarray) or any(np.may_share_memory(output, view) for view in views):
            continue
        for position, value in flat:
            if isinstance(value, np.ndarray) and np.may_share_memory(output, value):
                raise errors.InternalError(
                    f"output {number} shares memory with input {position}, but the kernel is registered to return "
                    f"{'memory of its own' if allowed is None else f'a view of input {allowed}'}"
                )
