"""The global step, for hooks that cannot do without."""

from __future__ import annotations

from icefloe.graph.tensor import Tensor
from icefloe.lib.global_step import get_or_create_global_step_read


def step_to_read(hook: str) -> Tensor:
    """Return the tensor of the global step's value. Raises: RuntimeError, naming the hook, if there is none."""
    read = get_or_create_global_step_read()
    if read is None:
        raise RuntimeError(f"Global step should be created to use {hook}.")
    return read
