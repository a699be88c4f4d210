"""What there is to say of a graph at first sight: size, age, inputs, outputs, devices, large constants, signatures."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from icefloe import errors
from icefloe.analysis.graph_argument import takes_graphs
from icefloe.analysis.graph_costs import GraphCosts, graph_costs
from icefloe.analysis.graph_io import GraphIO, graph_io
from icefloe.analysis.oldest_version import oldest_version
from icefloe.analysis.versions import written_by
from icefloe.graph.graph import Graph
from icefloe.saver.variable_nodes import variables_of

_LARGE = 1 << 20


@dataclass(frozen=True, slots=True)
class TensorRow:
    """Name, dtype and shape of a tensor; shape None where it is unknown."""

    name: str
    dtype: str
    shape: tuple[int | None, ...] | None


@dataclass(frozen=True, slots=True)
class SignatureRow:
    """A signature: what it takes and gives, key -> tensor."""

    name: str
    method: str
    inputs: dict[str, TensorRow]
    outputs: dict[str, TensorRow]


@dataclass(frozen=True, slots=True)
class GraphOverview:
    """A graph at first sight.

    written_by: the TensorFlow that wrote it, as it says itself or by its producer version. read_by: the oldest release
    that can read it, "" where none has all of its ops; read_by_without_defaults: the same once attrs at their defaults
    are left out. devices: nodes by the device they are pinned to. large_constants: those of at least 1 MiB, the largest
    first, name -> bytes.
    """

    nodes: int
    functions: dict[str, int]
    producer: int
    min_consumer: int
    tensorflow_version: str
    written_by: str
    read_by: str
    read_by_without_defaults: str
    ops: dict[str, int]
    devices: dict[str, int]
    signatures: tuple[SignatureRow, ...]
    io: GraphIO
    variables: tuple[TensorRow, ...]
    large_constants: dict[str, int]
    constant_bytes: int
    costs: GraphCosts
    collections: dict[str, int]

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON holds it; inputs and outputs beside the rest."""
        data = asdict(self)
        return {**data, **data.pop("io")}


@takes_graphs()
def graph_overview(graph: Graph, *, depth: int = 1) -> GraphOverview:
    """Return what there is to say of `graph`; costs by name scope down to `depth`. Nothing is run."""
    operations = graph.get_operations()
    versions = graph.graph_def_versions
    version = graph.meta_info_def.tensorflow_version if graph.meta_info_def is not None else ""
    oldest = oldest_version(graph)
    constants = sorted(_constants(graph), key=lambda pair: (-pair[1], pair[0]))
    return GraphOverview(
        nodes=len(operations),
        functions={name: len(function.node_def) for name, function in sorted(graph.functions.items())},
        producer=versions.producer,
        min_consumer=versions.min_consumer,
        tensorflow_version=version,
        written_by=version or written_by(versions.producer),
        read_by=oldest.release,
        read_by_without_defaults=oldest.without_defaults,
        ops=dict(Counter(op.type for op in operations).most_common()),
        devices=dict(Counter(op.device for op in operations if op.device).most_common()),
        signatures=tuple(_signature(name, graph.signature_defs[name]) for name in sorted(graph.signature_defs)),
        io=graph_io(graph),
        variables=tuple(TensorRow(v.name, v.dtype.name, v.shape) for v in variables_of(graph)),
        large_constants={name: size for name, size in constants if size >= _LARGE},
        constant_bytes=sum(size for _, size in constants),
        costs=graph_costs(graph, depth=depth),
        collections={str(key): len(graph.get_collection(key)) for key in graph.get_all_collection_keys()},
    )


def _constants(graph: Graph) -> list[tuple[str, int]]:
    """Return name and bytes of each constant that has a static shape."""
    found = []
    for op in graph.get_operations():
        if op.type != "Const":
            continue
        try:
            tensor = op.outputs[0]
            elements = tensor.shape.num_elements()
        except (errors.OpError, IndexError):
            continue
        found.append((op.name, (elements or 0) * tensor.dtype.size))
    return found


def _signature(name: str, definition: Any) -> SignatureRow:
    return SignatureRow(name, definition.method_name, _infos(definition.inputs), _infos(definition.outputs))


def _infos(infos: Any) -> dict[str, TensorRow]:
    from icefloe.datatypes import as_dtype
    from icefloe.shapes import dims_from_proto

    rows = {}
    for key in sorted(infos):
        info = infos[key]
        try:
            dtype = as_dtype(info.dtype).name if info.dtype else "unknown"
            shape = dims_from_proto(info.tensor_shape)
        except (errors.OpError, TypeError, ValueError):
            dtype, shape = "unknown", None
        name = info.name or info.coo_sparse.values_tensor_name
        rows[key] = TensorRow(name, dtype, None if shape is None else tuple(shape))
    return rows
