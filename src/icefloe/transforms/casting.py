"""Constants of a smaller dtype: half the file, the same graph.

w (float32)     ->      w/half (half) -> w (Cast to float32)
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from icefloe.analysis.graph_argument import takes_graphs
from icefloe.datatypes import as_dtype
from icefloe.graph.graph import Graph
from icefloe.graph.tensor_proto import make_ndarray
from icefloe.proto import NodeDef
from icefloe.transforms.constant_variables import constant_node
from icefloe.transforms.finishing import finish, output_names
from icefloe.transforms.node_edits import Nodes, attr_of, control_inputs, set_inputs
from icefloe.transforms.reports import PassReport, Transformed, notes

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


@takes_graphs()
def cast_constants(
    graph: Graph,
    outputs: Iterable[str] | None = None,
    *,
    dtype: str = "half",
    min_elements: int = 16,
    check: bool = True,
    tolerance: float = 0.05,
) -> Transformed:
    """Return `graph` with its floating-point constants stored as `dtype`, each cast back by a node of its name.

    outputs: names of tensors that are compared, by default those of signatures or the likeliest one. dtype: "half" or
    "bfloat16". min_elements: smaller constants are left. A constant with finite values that `dtype` cannot hold is
    left, and the report says so. tolerance: the largest difference allowed, relative to the largest element.

    Raises: ValueError for another dtype; InternalError if the outputs differ by more.
    """
    target = as_dtype(dtype)
    if target.name not in ("float16", "bfloat16"):
        raise ValueError(f"dtype must be half or bfloat16, got {dtype!r}")
    nodes = Nodes(graph)
    changed = 0
    saved = 0
    told: list[str] = []
    for node in nodes:
        if node.op != "Const" or attr_of(node, "dtype").type not in (1, 2):
            continue
        value = make_ndarray(attr_of(node, "value").tensor)
        if value.dtype not in _FLOATS or value.size < min_elements:
            continue
        with np.errstate(over="ignore"):
            small = value.astype(target.as_numpy_dtype)
        lost = int(np.count_nonzero(np.isfinite(value) & ~np.isfinite(small.astype(np.float64))))
        if lost:
            told.append(f"{node.name}: {lost} values are too large for {target.name}; it is left")
            continue
        constant = constant_node(nodes.unique(f"{node.name}/{target.name}"), small)
        set_inputs(constant, ["^" + name for name in control_inputs(node)])
        cast = NodeDef(name=node.name, op="Cast", device=node.device, input=[constant.name])
        cast.attr["SrcT"].type = target.as_datatype_enum
        cast.attr["DstT"].type = node.attr["dtype"].type
        constant.device = node.device
        nodes.add(constant)
        nodes.add(cast)
        changed += 1
        saved += value.nbytes - small.nbytes
    told.insert(0, f"{saved:,} bytes less")
    report = PassReport("cast constants", added=changed, changed=changed, notes=notes(told))
    return finish(graph, nodes, output_names(graph, outputs), [report], check=check, tolerance=tolerance)
