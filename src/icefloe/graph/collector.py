"""Python's cycle collector, held off while many long-lived objects are made at once.

Nodes and tensors refer to each other and stay: each pass of the collector over them in between is for nothing, and
with 100,000 nodes takes more time than making them.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """Hold the cycle collector off inside the block, unless it is off anyway."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
