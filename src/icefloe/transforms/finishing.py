"""The end of every transform: a graph that is whole, and gives what it gave before.

Graphs whose variables have no values here are compared with random ones, the same in both graphs by the variables'
names.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from icefloe import errors
from icefloe.analysis.graph_argument import listed
from icefloe.analysis.graph_io import graph_io
from icefloe.datatypes import DType
from icefloe.graph.build import apply_op
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import read_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.proto import GraphDef, NodeDef
from icefloe.saver.variable_nodes import variables_of
from icefloe.session import Session
from icefloe.transforms import inlining
from icefloe.transforms.comparing import compare_runs
from icefloe.transforms.node_edits import Nodes, node_of, tensor_key
from icefloe.transforms.reports import Check, PassReport, Transformed, first_line

PLACEHOLDERS = frozenset(("Placeholder", "PlaceholderV2", "PlaceholderWithDefault"))
TABLES = frozenset(
    ("HashTable", "HashTableV2", "MutableHashTable", "MutableHashTableV2", "MutableDenseHashTable")
    + ("MutableDenseHashTableV2", "AnonymousHashTable")
)
# They fill a table; they are kept where the table is.
FILLS = frozenset(
    ("InitializeTable", "InitializeTableV2", "InitializeTableFromTextFile", "InitializeTableFromTextFileV2")
    + ("LookupTableImport", "LookupTableImportV2")
)
_MOST_ELEMENTS = 1 << 26


def output_names(graph: Graph, outputs: Iterable[str] | None) -> list[str]:
    """Return full names of the tensors that `outputs` names; by default those of signatures, or the likeliest one.

    Raises: InvalidArgumentError if there are none; KeyError or ValueError for a name that the graph does not have.
    """
    if outputs is not None:
        found = [tensor_name(graph, name) for name in listed(outputs)]
    else:
        guessed = graph_io(graph).outputs
        found = [o.name for o in guessed if o.signature is not None] or [o.name for o in guessed[:1]]
    if not found:
        raise errors.InvalidArgumentError("the graph has no outputs that can be told: name some")
    return list(dict.fromkeys(found))


def kept_nodes(graph: Graph, outputs: Iterable[str]) -> set[str]:
    """Return the names of the nodes that stay as they are: those of outputs, and of what their signatures feed."""
    wanted = set(outputs)
    kept = {node_of(name) for name in wanted}
    for signature in graph.signature_defs.values():
        if any(info.name in wanted for info in signature.outputs.values()):
            kept |= {node_of(info.name) for info in signature.inputs.values() if info.name}
    return kept


def tensor_name(graph: Graph, name: str | Tensor | Operation) -> str:
    """Return the full name of a tensor; `x`, or the operation, stands for `x:0`.

    Nobody knows the outputs of an op that is not in the op table: any of them is taken.

    Raises: KeyError or ValueError if there is none.
    """
    full: str = name if isinstance(name, str) else graph.as_graph_element(name).name
    operation, _, index = full.partition(":")
    if operation in graph._by_name and graph._by_name[operation].signature is None and (index or "0").isdecimal():
        return f"{operation}:{index or 0}"
    tensor: str = graph.get_tensor_by_name(full if ":" in full else f"{full}:0").name
    return tensor


def needed_nodes(nodes: Nodes, outputs: Iterable[str]) -> set[str]:
    """Return the names of the nodes that outputs need, with what fills the tables among them."""
    needed = nodes.needed(node_of(name) for name in outputs)
    tables = {name for name in needed if nodes[name].op in TABLES}
    if not tables:
        return needed
    fills = [name for name in fillers(nodes) if not tables.isdisjoint(node_of(text) for text in nodes[name].input)]
    return needed | nodes.needed(fills)


def fillers(nodes: Nodes) -> list[str]:
    """Return the names of the nodes that fill tables, themselves or, as in TensorFlow 2, by a function they call."""
    filling = {name for name, f in nodes.functions.items() if any(node.op in FILLS for node in f.node_def)}
    grows = bool(filling)
    while grows:
        more = {
            name
            for name, f in nodes.functions.items()
            if name not in filling and any(inlining.function_of(node, nodes) in filling for node in f.node_def)
        }
        filling |= more
        grows = bool(more)
    return [node.name for node in nodes if node.op in FILLS or inlining.function_of(node, nodes) in filling]


def feed_instead(nodes: Nodes, graph: Graph, stops: Sequence[str]) -> dict[str, str]:
    """Put placeholders in the place of tensors that are to be fed; return old name -> new name of each."""
    names = {}
    for stop in stops:
        tensor = graph.get_tensor_by_name(stop)
        if tensor.op.type in PLACEHOLDERS:
            names[stop] = stop
            continue
        only = len(tensor.op.outputs) == 1
        new = NodeDef(name=tensor.op.name if only else nodes.unique(stop.replace(":", "_")), op="Placeholder")
        new.attr["dtype"].type = tensor.dtype.base_dtype.as_datatype_enum
        if tensor.shape.rank is not None:
            new.attr["shape"].shape.CopyFrom(tensor.shape.as_proto())
        else:
            new.attr["shape"].shape.unknown_rank = True
        nodes.add(new)
        if not only:
            nodes.rewire({tensor_key(stop): new.name})
        names[stop] = f"{new.name}:0"
    return names


def finish(
    graph: Graph,
    nodes: Nodes,
    outputs: Sequence[str],
    passes: Sequence[PassReport],
    *,
    check: bool,
    names: Mapping[str, str] | None = None,
    seed: int = 0,
    tolerance: float | None = None,
) -> Transformed:
    """Return the changed nodes as a graph, compared with `graph` on random feeds.

    outputs: names in `graph`. names: tensors, inputs and outputs, that are called otherwise now.

    Raises: InternalError if the new graph gives other values; InvalidArgumentError if it is broken.
    """
    renamed = dict(names or {})
    definition = nodes.to_graph_def()
    result = Transformed(
        definition,
        tuple(f"{node.name}:0" for node in nodes if node.op in PLACEHOLDERS),
        tuple(renamed.get(name, name) for name in outputs),
        tuple(passes),
        graph.node_count,
        tuple(fillers(nodes)),
    )
    if not check:
        return result
    found = _check(graph, definition, result, outputs, renamed, seed, tolerance)
    if found.status == "different":
        raise errors.InternalError(f"the new graph gives other values, and was not kept: {found.detail}")
    return replace(result, check=found)


def _check(
    graph: Graph,
    definition: GraphDef,
    result: Transformed,
    outputs: Sequence[str],
    names: Mapping[str, str],
    seed: int,
    tolerance: float | None,
) -> Check:
    try:
        old, new = read_graph(graph.as_graph_def()), read_graph(definition)
        with Session(graph=old) as before:
            fill_variables(before)
            fill_tables(before, result.initializers)
            was = {new_name: old_name for old_name, new_name in names.items()}
            inputs = [was.get(name, name) for name in result.inputs]
            inputs = [name for name in inputs if node_of(name) in old._by_name]
            return compare_runs(
                before,
                new,
                inputs,
                outputs,
                names=names,
                seed=seed,
                initialize=result.initializers,
                tolerance=tolerance,
                prepare=lambda session: fill_variables(session, was),
            )
    except (errors.OpError, KeyError, ValueError, TypeError) as error:
        return Check("not checked", f"the graph does not start: {first_line(error)}")


def fill_tables(session: Session, names: Sequence[str]) -> None:
    """Run the operations that fill tables: those of `names`, or all where the graph calls them otherwise."""
    known = session.graph._by_name
    found = [known[name] for name in names if name in known]
    if len(found) < len(names):
        found = [known[name] for name in fillers(Nodes(session.graph))]
    if found:
        session.run(found)


def fill_variables(session: Session, was: Mapping[str, str] | None = None) -> None:
    """Give all variables of a session random values, the same for the same name, dtype and shape.

    was: what tensors were called before, where they have another name now.
    """
    variables = list(variables_of(session.graph))
    assigns = []
    with session.graph.as_default(), session.graph.control_dependencies(None):
        for variable in variables:
            shape = [-1 if n is None else n for n in variable.shape or (None,)] if variable.shape != () else []
            if min(shape, default=0) < 0 or math.prod(shape) > _MOST_ELEMENTS:
                raise errors.InvalidArgumentError(f"variable {variable.name!r} gets no random value: shape {shape}")
            name = node_of((was or {}).get(f"{variable.name}:0", variable.name))
            rng = np.random.default_rng(zlib.crc32(name.encode()))
            dtype = variable.dtype
            value = _random_value(rng, dtype, shape)
            if value is None:
                raise errors.InvalidArgumentError(f"variable {variable.name!r} of {dtype.name} gets no random value")
            if variable.op.type == "VarHandleOp":
                assigns.append(apply_op("AssignVariableOp", variable.op.outputs[0], value))
            else:
                assigns.append(apply_op("Assign", variable.op.outputs[0], value, validate_shape=False).op)
    if assigns:
        session.run(assigns)


def _random_value(rng: np.random.Generator, dtype: DType, shape: list[int]) -> np.ndarray | None:
    """Return a value for a variable; None for a dtype that has no plain ones."""
    if dtype.name == "string":
        words = np.empty(shape, object)
        for place in np.ndindex(words.shape):
            words[place] = bytes(rng.integers(97, 123, 3, np.uint8))
        return words
    if dtype.is_floating:
        return np.asarray(rng.uniform(0.1, 1.0, shape)).astype(dtype.as_numpy_dtype)
    if dtype.is_complex:
        return np.asarray(rng.uniform(0.1, 1.0, shape) + 1j * rng.uniform(0.1, 1.0, shape)).astype(dtype.as_numpy_dtype)
    if dtype.is_integer or dtype.is_bool:
        return np.asarray(rng.integers(0, 2, shape)).astype(dtype.as_numpy_dtype)
    return None
