"""Datasets written as graphs, and graphs made datasets again."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from icefloe import errors, opdefs
from icefloe.datatypes import DType, as_dtype
from icefloe.graph.attributes import encode
from icefloe.graph.graph_file import graph_from_bytes
from icefloe.graph.registry import kernel, not_differentiable, shape
from icefloe.graph.shape_inference import scalar
from icefloe.graph.tensor_proto import make_listed_proto
from icefloe.ops.data.making import dataset_op, text
from icefloe.proto import AttrValue, GraphDef, NodeDef
from icefloe.resources import Variable
from icefloe.resources.datasets.base import Dataset, as_dataset
from icefloe.resources.datasets.caching import MemoryCache
from icefloe.resources.datasets.randomness import NoResource, SeedGenerator
from icefloe.resources.manager import ResourceManager
from icefloe.resources.table import HashTable, MutableTable, Table

not_differentiable("DatasetToGraph", "DatasetToGraphV2", "DatasetFingerprint")


@kernel("DatasetToGraph", "DatasetToGraphV2")
def dataset_to_graph(input_dataset: Any) -> Any:
    """A serialized GraphDef whose `_Retval` node returns the dataset, with the functions it calls."""
    return np.array(written(as_dataset(input_dataset)).SerializeToString(deterministic=True), object)


@dataset_op("DatasetFromGraph")
def dataset_from_graph(graph_def: Any, *, manager: ResourceManager, run: Any) -> Dataset:
    """The dataset that a serialized GraphDef returns; what it calls runs on this session's state."""
    graph = graph_from_bytes(text(graph_def, "graph_def"))
    results = [op for op in graph.get_operations() if op.type == "_Retval"]
    if len(results) != 1:
        raise errors.InvalidArgumentError(f"the graph of a dataset must have one _Retval node, got {len(results)}")
    return as_dataset(run.evaluate(graph, [results[0].inputs[0]], manager)[0])


@kernel("DatasetFingerprint")
def dataset_fingerprint(input_dataset: Any) -> Any:
    """A number that equal pipelines have in common. It is not the number that TensorFlow gives."""
    return np.uint64(fingerprint(as_dataset(input_dataset)))


shape("DatasetToGraph", "DatasetToGraphV2", "DatasetFingerprint")(scalar)


def fingerprint(dataset: Dataset) -> int:
    """Return a number, 64 bits, that pipelines have in common if they differ in their functions' names only."""
    graph = written(dataset)
    # Functions are in the library in the order in which the pipeline comes to them.
    names = {function.signature.name: f"f{i}" for i, function in enumerate(graph.library.function)}
    for nodes in (graph.node, *[function.node_def for function in graph.library.function]):
        for node in nodes:
            node.op = names.get(node.op, node.op)
            for value in node.attr.values():
                for called in [value.func] if value.WhichOneof("value") == "func" else value.list.func:
                    called.name = names.get(called.name, called.name)
    for function in graph.library.function:
        function.signature.name = names[function.signature.name]
    data = graph.SerializeToString(deterministic=True)
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "little")


def written(dataset: Dataset) -> Any:
    """Return the GraphDef of a dataset. Raises: UnimplementedError for what no graph can hold."""
    writer = _Writer()
    name = writer.write(dataset)
    writer.add(
        "_Retval",
        "dataset",
        [name],
        {"T": AttrValue(type=as_dtype("variant").as_datatype_enum), "index": AttrValue(i=0)},
    )
    return writer.graph


class _Writer:
    """Makes the nodes of datasets, inputs first."""

    def __init__(self) -> None:
        self.graph = GraphDef()
        self._names: dict[int, str] = {}
        self._functions: set[str] = set()

    def add(self, op: str, name: str, inputs: list[str], attrs: dict[str, Any]) -> str:
        node = NodeDef(name=name, op=op, input=inputs)
        for key, value in attrs.items():
            node.attr[key].CopyFrom(value)
        self.graph.node.append(node)
        return name

    def write(self, dataset: Dataset) -> str:
        """Add what makes `dataset` and return the name of its node."""
        pending = [dataset]
        while pending:
            current = pending[-1]
            if id(current) in self._names:
                pending.pop()
                continue
            missing = [d for d in self._inputs(current) if id(d) not in self._names]
            if missing:
                pending += missing
            else:
                self._names[id(current)] = self._node(current)
                pending.pop()
        return self._names[id(dataset)]

    def _inputs(self, dataset: Dataset) -> list[Dataset]:
        if dataset.recipe is None:
            raise errors.UnimplementedError(f"{dataset!r} was not made by an op and cannot be written as a graph")
        return [v for v in _flat(dataset.recipe.inputs) if isinstance(v, Dataset)]

    def _node(self, dataset: Dataset) -> str:
        recipe = dataset.recipe
        assert recipe is not None
        signature = opdefs.signature(recipe.op)
        attrs = {}
        for key, spec in signature.attrs.items():
            value = recipe.attrs[key]
            if spec.type == "func":
                value = self._function(value)
            elif spec.type == "list(func)":
                value = [self._function(v) for v in value]
            attrs[key] = encode(value, spec.type, key)
        names = []
        for arg, given in zip(signature.inputs, recipe.inputs):
            values = given if arg.is_list else (given,)
            dtypes = self._dtypes(arg, recipe.attrs, len(values))
            names += [self._value(v, dtype) for v, dtype in zip(values, dtypes)]
        return self.add(recipe.op, f"{recipe.op}/_{len(self.graph.node)}", names, attrs)

    def _dtypes(self, arg: opdefs.Arg, attrs: dict[str, Any], count: int) -> list[DType]:
        if arg.dtype:
            return [DType(arg.dtype)] * count
        if arg.type_list_attr:
            return list(attrs[arg.type_list_attr])
        return [attrs[arg.type_attr]] * count

    def _value(self, value: Any, dtype: DType) -> str:
        if isinstance(value, Dataset):
            return self._names[id(value)]
        name = f"_{len(self.graph.node)}"
        if dtype.name == "resource":
            return self._resource(value, name)
        array = np.asarray(value, object) if dtype.name == "string" else np.asarray(value)
        if dtype.name == "variant" or (array.dtype.hasobject and dtype.name != "string"):
            raise errors.UnimplementedError("a dataset with a variant among its inputs cannot be written as a graph")
        tensor = AttrValue(tensor=make_listed_proto(array, dtype))
        return self.add(
            "Const", f"Const/{name}", [], {"value": tensor, "dtype": AttrValue(type=dtype.as_datatype_enum)}
        )

    def _resource(self, value: Any, name: str) -> str:
        """Add the node of a handle: the same resource, by its name, where the session knows it by one."""
        if isinstance(value, NoResource):
            return self.add("DummySeedGenerator", f"DummySeedGenerator/{name}", [], {})
        if isinstance(value, MemoryCache):
            return self.add("DummyMemoryCache", f"DummyMemoryCache/{name}", [], {})
        if isinstance(value, SeedGenerator):
            given = ((value.seed, "int64"), (value.seed2, "int64"), (value.reshuffle, "bool"))
            seeds = [self._value(np.array(v, as_dtype(kind).numpy), as_dtype(kind)) for v, kind in given]
            return self.add("AnonymousSeedGenerator", f"AnonymousSeedGenerator/{name}", seeds, {})
        if isinstance(value, Variable):
            attrs: dict[str, Any] = {
                "dtype": encode(value.dtype, "type", "dtype"),
                "shape": encode(value.shape, "shape", "shape"),
                "shared_name": AttrValue(s=value.name.encode()),
            }
            return self.add("VarHandleOp", f"VarHandleOp/{name}", [], attrs)
        if isinstance(value, Table) and value.name and type(value) in _TABLES:
            attrs = {
                "key_dtype": encode(value.key_dtype, "type", "key_dtype"),
                "value_dtype": encode(value.value_dtype, "type", "value_dtype"),
                "container": AttrValue(s=value.container.encode()),
                "shared_name": AttrValue(s=value.name.encode()),
            }
            return self.add(_TABLES[type(value)], f"{_TABLES[type(value)]}/{name}", [], attrs)
        raise errors.FailedPreconditionError(
            f"a dataset that uses a {type(value).__name__} cannot be written as a graph"
        )

    def _function(self, function: Any) -> Any:
        """Add a function, with what it calls, to the library, and return its name and attrs."""
        called, graph = function.definition
        left = [called.name]
        while left:
            name = left.pop()
            definition = graph.functions.get(name)
            if definition is None or name in self._functions:
                continue
            self._functions.add(name)
            self.graph.library.function.add().CopyFrom(definition)
            for node in definition.node_def:
                left.append(node.op)
                left += [f.name for v in node.attr.values() for f in (v.func, *v.list.func) if f.name]
        return called


_TABLES: dict[type[Any], str] = {HashTable: "HashTableV2", MutableTable: "MutableHashTableV2"}


def _flat(inputs: tuple[Any, ...]) -> list[Any]:
    return [v for given in inputs for v in (given if isinstance(given, tuple) else (given,))]
