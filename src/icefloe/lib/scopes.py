"""The scope that nodes which set up state are made in."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from icefloe.graph.graph import get_default_graph


@contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """Leave all control dependencies of the default graph inside the block, but not its name scope."""
    graph = get_default_graph()
    scope = graph.get_name_scope()
    with graph.name_scope(f"{scope}/" if scope else None), graph.control_dependencies(None):
        yield
