"""Large constants moved into a checkpoint: the way around the 2 GB that a protocol buffer holds.

    graph.pb (3 GB of constants)    ->      P.meta, P.index, P.data-00000-of-00001

Each becomes a variable of its name, read by a node `<name>/read` that waits for what the constant waited for, in a
loop through Enter nodes; the MetaGraphDef has the restore nodes, so that
`train.import_meta_graph(P.meta).restore(session, P)` brings the values back.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from icefloe.analysis.graph_argument import takes_graphs
from icefloe.checkpoint import save_checkpoint
from icefloe.datatypes import as_dtype
from icefloe.graph.device_spec import DeviceSpec
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import read_graph
from icefloe.graph.tensor_proto import make_ndarray
from icefloe.proto import NodeDef
from icefloe.saver.meta_files import export_meta_graph
from icefloe.saver.saver import Saver
from icefloe.session import Session
from icefloe.shapes import TensorShape
from icefloe.transforms.comparing import compare_runs
from icefloe.transforms.finishing import fill_tables, finish, output_names
from icefloe.transforms.loop_frames import frames_of, parallel_iterations
from icefloe.transforms.node_edits import Nodes, attr_of, control_inputs, set_inputs
from icefloe.transforms.reports import PassReport, Transformed


@takes_graphs()
def unconst(
    graph: Graph,
    prefix: str | os.PathLike[str],
    outputs: Iterable[str] | None = None,
    *,
    min_bytes: int = 1 << 20,
    check: bool = True,
) -> Transformed:
    """Write a graph as `<prefix>.meta` with its large constants as variables in the checkpoint `prefix`.

    The Saver of the `.meta` restores these; variables that the graph had before are restored from where they were.

    outputs: names of tensors that are compared, by default those of signatures or the likeliest one. min_bytes: smaller
    constants stay in the graph.

    Raises: ValueError if no constant is that large; the errors of writing a checkpoint.
    """
    prefix = os.path.expanduser(os.fspath(prefix))
    wanted = output_names(graph, outputs)
    nodes = Nodes(graph)
    values: dict[str, np.ndarray] = {}
    tensors: dict[str, str] = {}
    waits: dict[str, list[str]] = {}
    loops = frames_of(nodes)
    for node in nodes:
        if node.op != "Const":
            continue
        value = make_ndarray(attr_of(node, "value").tensor)
        if value.dtype == object or value.nbytes < min_bytes:
            continue
        values[node.name] = value
        variable, read = _variable(nodes, node, value)
        tensors[node.name] = read
        waits[node.name] = control_inputs(node)
        nodes.add(variable)
    if not values:
        raise ValueError(f"no constant has {min_bytes:,} bytes or more")
    names = {f"{name}:0": f"{read}:0" for name, read in tensors.items()}
    nodes.rewire(tensors)
    for name, value in values.items():
        _read(nodes, name, tensors[name], value, waits[name], loops)
    report = PassReport("unconst", added=len(values), changed=len(values))
    result = finish(graph, nodes, wanted, [report], check=False, names=names)
    new = read_graph(result.graph_def)
    with new.as_default():
        saver = Saver({name: new.get_tensor_by_name(f"{name}:0") for name in values})
    save_checkpoint(prefix, values)
    export_meta_graph(f"{prefix}.meta", graph=new, saver_def=saver.as_saver_def())
    if not check:
        return result
    old = read_graph(graph.as_graph_def())
    with Session(graph=old) as before:
        fill_tables(before, result.initializers)
        found = compare_runs(
            before,
            new,
            result.inputs,
            wanted,
            names=names,
            initialize=result.initializers,
            prepare=lambda session: saver.restore(session, prefix),
        )
    return replace(result, check=found)


def _variable(nodes: Nodes, constant: NodeDef, value: np.ndarray) -> tuple[NodeDef, str]:
    """Return the node of a variable in the place of a constant, and the name of the node that reads it."""
    node = NodeDef(name=constant.name, op="VariableV2", device=_known_device(constant.device))
    node.attr["dtype"].type = as_dtype(value.dtype).as_datatype_enum
    node.attr["shape"].shape.CopyFrom(TensorShape(value.shape).as_proto())
    node.attr["container"].s = b""
    node.attr["shared_name"].s = b""
    return node, nodes.unique(f"{constant.name}/read")


def _read(
    nodes: Nodes,
    variable: str,
    name: str,
    value: np.ndarray,
    waits: Sequence[str],
    loops: Mapping[str, tuple[str, ...]],
) -> None:
    """Add the node that reads a variable where the constant was: in its loop, in its branch of a conditional."""
    dtype = as_dtype(value.dtype).as_datatype_enum
    source = variable
    for frame in next((loops[other] for other in waits if loops.get(other)), ()):
        enter = nodes.add(NodeDef(name=nodes.unique(f"{name}/Enter"), op="Enter"))
        enter.attr["T"].type = dtype
        enter.attr["frame_name"].s = frame.encode("utf-8", "surrogateescape")
        enter.attr["is_constant"].b = True
        enter.attr["parallel_iterations"].i = parallel_iterations(nodes, frame)
        set_inputs(enter, [source])
        source = enter.name
    node = nodes.add(NodeDef(name=name, op="Identity"))
    node.attr["T"].type = dtype
    set_inputs(node, [source, *(f"^{other}" for other in waits)])


def _known_device(device: str) -> str:
    """Return a device, or "" for text that names none: Savers look at where a variable is."""
    try:
        DeviceSpec.from_string(device)
    except ValueError:
        return ""
    return device
