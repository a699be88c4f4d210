"""The structure of a run's fetches: what to compute, each once, and how to put the values back into that structure.

Lists, tuples, namedtuples, dicts and other mappings, attrs classes and dataclasses nest freely. A leaf is a tensor, an
operation, the name of one, something the graph knows as one (a variable), or of a type registered with
`register_session_run_conversion_functions`.

Source: tensorflow/python/client/session.py (rules and messages).
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from icefloe import errors
from icefloe.graph.graph import Graph
from icefloe.graph.indexed_slices import IndexedSlices, IndexedSlicesValue
from icefloe.graph.operation import Operation
from icefloe.graph.sparse_tensor import SparseTensor, SparseTensorValue
from icefloe.graph.tensor import Tensor
from icefloe.lib.tensor_handle import TensorHandle

# Takes the values of all elements and returns those of one part of the structure.
Build = Callable[[Sequence[Any]], Any]


@dataclasses.dataclass(frozen=True, slots=True)
class Conversion:
    """How `run` treats objects of a type.

    fetch: object -> (what to fetch, function of the list of fetched values).
    feed: (object, value) -> pairs of key and value. feed_partial: object -> keys, for `partial_run_setup`.
    """

    kind: type[Any]
    fetch: Callable[[Any], tuple[Sequence[Any], Callable[[list[Any]], Any]]]
    feed: Callable[[Any, Any], Sequence[tuple[Any, Any]]] | None
    feed_partial: Callable[[Any], Sequence[Any]] | None


def _slices_parts(slices: IndexedSlices) -> list[Any]:
    parts = [slices.values, slices.indices]
    return parts if slices.dense_shape is None else [*parts, slices.dense_shape]


def _slices_value(values: list[Any]) -> IndexedSlicesValue:
    return IndexedSlicesValue(values[0], values[1], values[2] if len(values) == 3 else None)


def _sparse_parts(sparse: SparseTensor) -> list[Any]:
    return [sparse.indices, sparse.values, sparse.dense_shape]


def _fed_parts(key: Any, tensors: list[Any], value: Any, parts: str) -> list[tuple[Any, Any]]:
    """Return the tensors that `key` consists of, each with its part of `value`.

    One too many is no matter, and the shape may be left out: the graph may know it.
    """
    given = [] if isinstance(value, (str, bytes)) or not isinstance(value, Iterable) else list(value)
    if len(given) < 2:
        raise TypeError(f"Cannot feed {value!r} for {key}: expected a {type(key).__name__}Value or a tuple ({parts})")
    return list(zip(tensors, given))


# Newest first, as in TensorFlow.
CONVERSIONS: list[Conversion] = [
    Conversion(
        SparseTensor,
        lambda sparse: (_sparse_parts(sparse), lambda values: SparseTensorValue(*values)),
        lambda sparse, value: _fed_parts(sparse, _sparse_parts(sparse), value, "indices, values, dense_shape"),
        _sparse_parts,
    ),
    Conversion(
        IndexedSlices,
        lambda slices: (_slices_parts(slices), _slices_value),
        lambda slices, value: _fed_parts(slices, _slices_parts(slices), value, "values, indices, dense_shape"),
        _slices_parts,
    ),
]


# Of what says itself which tensors it consists of, as a RaggedTensor does.
_PARTS = Conversion(
    object,
    lambda whole: whole.fetch_parts(),
    lambda whole, value: whole.feed_parts(value),
    lambda whole: whole.fetch_parts()[0],
)


def register_session_run_conversion_functions(
    tensor_type: type[Any],
    fetch_function: Callable[[Any], tuple[Sequence[Any], Callable[[list[Any]], Any]]],
    feed_function: Callable[[Any, Any], Sequence[tuple[Any, Any]]] | None = None,
    feed_function_for_partial_run: Callable[[Any], Sequence[Any]] | None = None,
) -> None:
    """Make objects of `tensor_type` usable as fetches and feeds of `Session.run`.

    fetch_function: object -> (list of tensors, function from the list of their values to the result).
    feed_function: (object, value) -> list of (tensor, value). feed_function_for_partial_run: object -> list of tensors.

    Raises: ValueError if the type, or a type below it, is registered already.
    """
    if any(issubclass(c.kind, tensor_type) for c in CONVERSIONS):
        raise ValueError(f"{tensor_type} has already been registered so ignore it.")
    CONVERSIONS.insert(0, Conversion(tensor_type, fetch_function, feed_function, feed_function_for_partial_run))


def find_conversion(value: Any) -> Conversion | None:
    """Return the conversion registered for the type of `value`, or None."""
    for conversion in CONVERSIONS:
        if isinstance(value, conversion.kind):
            return conversion
    return _PARTS if hasattr(type(value), "fetch_parts") else None


class Structure:
    """What a run is asked for. elements: the distinct tensors and operations, in order of first mention."""

    __slots__ = ("_build", "_operations", "elements", "targets", "tensors")

    def __init__(self, graph: Graph, fetches: Any, session: Any = None) -> None:
        """session: which keeps the tensors that handles among the fetches stand for.

        Raises: TypeError, ValueError in TensorFlow's words if something in `fetches` is nothing to fetch.
        """
        self.elements: list[Tensor | Operation] = []
        self._build = _Reader(graph, self.elements, session).build(fetches)
        self.tensors = [e for e in self.elements if not isinstance(e, Operation)]
        self.targets = [e for e in self.elements if isinstance(e, Operation)]
        self._operations = tuple([isinstance(e, Operation) for e in self.elements])

    def rebuild(self, values: Sequence[Any]) -> Any:
        """Return the caller's structure filled with `values`, one for each of `tensors`; an operation gives None."""
        if self.targets:
            given = iter(values)
            values = [None if is_operation else next(given) for is_operation in self._operations]
        return self._build(values)


class _Reader:
    """Walks a structure. The depth of nesting in a call is the caller's own; it is no depth of the graph."""

    def __init__(self, graph: Graph, elements: list[Tensor | Operation], session: Any) -> None:
        self._graph = graph
        self._session = None if session is None else weakref.ref(session)
        self._elements = elements
        self._index: dict[int, int] = {}

    def build(self, fetch: Any) -> Build:
        if isinstance(fetch, (Tensor, Operation, str)):
            return self._element(fetch)
        if fetch is None:
            raise TypeError(f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}". Cannot be None')
        if isinstance(fetch, (list, tuple)):
            parts = [self.build(f) for f in fetch]
            kind = getattr(fetch, "__wrapped__", fetch).__class__
            if issubclass(kind, list):
                return lambda values: [part(values) for part in parts]
            if kind is tuple:
                return lambda values: tuple([part(values) for part in parts])
            return lambda values: kind(*[part(values) for part in parts])
        if isinstance(fetch, Mapping):
            return self._mapping(fetch)
        conversion = find_conversion(fetch)
        if conversion is not None:
            inner, contract = conversion.fetch(fetch)
            parts = [self._element(f) for f in inner]
            return lambda values: contract([part(values) for part in parts])
        names = _field_names(fetch)
        if names is not None:
            parts = [self.build(getattr(fetch, name)) for name in names]
            kind = type(fetch)
            return lambda values: kind(*[part(values) for part in parts])
        return self._element(fetch)

    def _mapping(self, fetch: Mapping[Any, Any]) -> Build:
        parts = [(key, self.build(f)) for key, f in fetch.items()]
        make: Callable[[Any], Any] = type(fetch)
        if isinstance(fetch, collections.defaultdict):
            make = functools.partial(collections.defaultdict, fetch.default_factory)
        return lambda values: make([(key, part(values)) for key, part in parts])

    def _element(self, fetch: Any) -> Build:
        graph = self._graph
        if isinstance(fetch, (Tensor, Operation)) and fetch.graph is graph:
            element = fetch
        else:
            element = self._look_up(fetch)
        index = self._index.get(id(element))
        if index is None:
            op = element if isinstance(element, Operation) else element.op
            if not graph.is_fetchable(op):
                raise errors.InaccessibleTensorError(
                    f"Operation {op.name} has been marked as not fetchable. Typically this happens when it is "
                    "defined in another function or code block. Use return values, explicit Python locals or "
                    "TensorFlow collections to access it."
                )
            index = self._index[id(element)] = len(self._elements)
            self._elements.append(element)
        if isinstance(element, Tensor) and element.op.type == "GetSessionHandle" and self._session is not None:
            session, dtype = self._session, element.op.inputs[0].dtype.base_dtype
            return lambda values: TensorHandle(values[index], dtype, session())
        return lambda values: values[index]

    def _look_up(self, fetch: Any) -> Tensor | Operation:
        try:
            return self._graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
        except TypeError as error:
            raise TypeError(
                f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}" must be a string or Tensor. '
                f"({error})"
            ) from None
        except (ValueError, KeyError) as error:
            raise ValueError(f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({error})") from None


def _field_names(value: Any) -> list[str] | None:
    """Return the names of the fields of an instance of an attrs class or dataclass, None for others."""
    attributes = getattr(type(value), "__attrs_attrs__", None)
    if attributes is not None:
        return [a.name for a in attributes]
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and not hasattr(value, "_as_graph_element"):
        return [f.name for f in dataclasses.fields(value) if f.init]
    return None
