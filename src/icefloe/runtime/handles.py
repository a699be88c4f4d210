"""Handles of partial runs, as callers hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor

if TYPE_CHECKING:
    from icefloe.runtime import partial


class PartialHandle(str):
    """The handle of a partial run. The run is released when the last reference to its handle goes."""

    run: partial.PartialRun

    def __copy__(self) -> PartialHandle:
        return self

    def __deepcopy__(self, memo: object) -> PartialHandle:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)  # the run stays with its session


class Partial:
    """A partial run in a `with` block.

    handle: as `partial_run_setup` returns it. pending_feeds, pending_fetches: what is still to come.
    """

    def __init__(self, session: Any, handle: PartialHandle) -> None:
        self._session = session
        self.handle = handle

    def __repr__(self) -> str:
        waiting = [tensor.name for tensor in self.pending_feeds]
        return f"<Partial: to feed {waiting}, to fetch {[each.name for each in self.pending_fetches]}>"

    @property
    def pending_feeds(self) -> list[Tensor]:
        """The tensors declared as feeds that were not fed yet."""
        return list(self.handle.run.pending_feeds.values())

    @property
    def pending_fetches(self) -> list[Tensor | Operation]:
        """The tensors and operations declared as fetches that were not fetched yet."""
        return list(self.handle.run.pending_fetches.values())

    def run(self, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        """Do as `Session.partial_run` does."""
        return self._session.partial_run(self.handle, fetches, feed_dict)

    def __enter__(self) -> Partial:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.handle.run.release()
