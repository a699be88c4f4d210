"""Which form conditionals and loops get: TensorFlow 1's nodes (Switch, Merge, Enter) or ops that call functions."""

from __future__ import annotations

from icefloe.graph.graph import Graph

_v2 = False


def enable_control_flow_v2() -> None:
    """Build `cond`, `while_loop` and `case` as If, While and Case ops that call functions of the graph's library."""
    global _v2
    _v2 = True


def disable_control_flow_v2() -> None:
    """Build conditionals and loops of Switch, Merge, Enter, Exit and NextIteration nodes; this is the default."""
    global _v2
    _v2 = False


def control_flow_v2_enabled() -> bool:
    """Whether conditionals and loops call functions, in graphs that are no function's body."""
    return _v2


def use_control_flow_v2(graph: Graph) -> bool:
    """Whether conditionals and loops of `graph` call functions: always in function bodies, except those of Defun."""
    return _v2 or (graph.building_function and not hasattr(graph, "_captured"))
