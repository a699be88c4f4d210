"""Staging areas: small buffers between parts of a run, or between runs.

Source: tensorflow/python/ops/data_flow_ops.py (names, rules and messages).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import colocate_with, name_scope
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.queues import values_of
from icefloe.shapes import TensorShape


class _Area:
    """What both kinds have in common."""

    def __init__(
        self,
        dtypes: Sequence[Any],
        shapes: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
        shared_name: str | None = None,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        """dtypes, shapes, names: of the components. capacity, memory_limit: tuples and bytes held, 0 for any.

        Raises: ValueError if they are not of one number, or for a shared name that is no string.
        """
        if shared_name is None:
            self._name = get_default_graph().unique_name(type(self).__name__)
        elif isinstance(shared_name, str):
            self._name = shared_name
        else:
            raise ValueError(f"shared_name must be a string, got {shared_name}")
        self._dtypes = dtypes
        if shapes is not None and len(shapes) != len(dtypes):
            raise ValueError("StagingArea shapes must be the same length as dtypes")
        self._shapes = [TensorShape(s) for s in shapes] if shapes is not None else [TensorShape(None) for _ in dtypes]
        if names is not None and len(names) != len(dtypes):
            raise ValueError("StagingArea names must be the same length as dtypes")
        self._names = names
        self._capacity = capacity
        self._memory_limit = memory_limit
        with name_scope(f"{self._name}_root"):
            self._coloc_op = apply_op("NoOp")

    @property
    def name(self) -> str:
        """The name by which the area's nodes find it."""
        return self._name

    @property
    def dtypes(self) -> Sequence[Any]:
        """The dtypes of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the components."""
        return self._shapes

    @property
    def names(self) -> Sequence[str] | None:
        """The names of the components, or None."""
        return self._names

    @property
    def capacity(self) -> int:
        """The number of tuples held at most, 0 for any."""
        return self._capacity

    @property
    def memory_limit(self) -> int:
        """The number of bytes held at most, 0 for any."""
        return self._memory_limit

    def _attrs(self, name: str | None, what: str, dtypes: Sequence[Any] | None = None) -> dict[str, Any]:
        return {
            "shared_name": self._name,
            "name": name or f"{self._name}_{what}",
            "dtypes": self._dtypes if dtypes is None else dtypes,
            "capacity": self._capacity,
            "memory_limit": self._memory_limit,
        }

    def _components(self, vals: Any, indices: Any) -> tuple[list[Tensor], Any]:
        """Return the tensors to put in and the numbers of their components."""
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("Staging areas must have names to enqueue a dictionary")
            if not set(vals).issubset(self._names):
                raise ValueError(
                    "Keys in dictionary to put do not match names of staging area. "
                    f"Dictionary: {sorted(vals)}Queue: {sorted(self._names)}"
                )
            indices = [i for i, key in enumerate(self._names) if key in vals]
            vals = [vals[self._names[i]] for i in indices]
        else:
            if self._names:
                raise ValueError("You must enqueue a dictionary in a staging area with names")
            if indices is None:
                raise ValueError("Indices must be supplied when inserting a list of tensors")
            if len(indices) != len(vals):
                raise ValueError(f"Number of indices {len(indices)} doesn't match number of values {len(vals)}")
            if not isinstance(vals, (list, tuple)):
                vals, indices = [vals], [0]
        if len(vals) > len(self._dtypes):
            raise ValueError(f"Unexpected number of inputs {len(vals)} vs {len(self._dtypes)}")
        tensors = []
        for val, i in zip(vals, indices):
            dtype = self._dtypes[i]
            if val.dtype != dtype:
                raise ValueError(f"Datatypes do not match. Received val.dtype {val.dtype} and dtype {dtype}")
            val.get_shape().assert_is_compatible_with(self._shapes[i])
            tensors.append(convert_to_tensor(val, dtype=dtype, name=f"component_{i}"))
        return tensors, indices

    def _moved(self, tensors: Any) -> list[Tensor]:
        """Return what was taken, through Identity where the device is another than that of the area."""
        if not isinstance(tensors, (tuple, list)):
            tensors = [tensors]
        if apply_op("NoOp").device != self._coloc_op.device:
            tensors = [apply_op("Identity", t) for t in tensors]
        return list(tensors)

    def _given(self, tensors: Any, indices: Sequence[int]) -> Any:
        tensors = self._moved(tensors)
        for output, i in zip(tensors, indices):
            output.set_shape(self._shapes[i])
        if self._names:
            return {self._names[i]: t for t, i in zip(tensors, indices)}
        return tensors


class StagingArea(_Area):
    """A buffer of tuples of tensors, first in first out. Putting in waits for room, taking out for a tuple."""

    def put(self, values: Any, name: str | None = None) -> Operation:
        """Return an operation that puts in a tuple: a tensor, a list, or a dict where the components have names.

        Raises: ValueError for other names, dtypes or shapes.
        """
        with name_scope(name, f"{self._name}_put", values_of(values)) as scope:
            if not isinstance(values, (list, tuple, dict)):
                values = [values]
            tensors, _ = self._components(values, list(range(len(values))))
            attrs = self._attrs(scope, "put")
            del attrs["dtypes"]
            with colocate_with(self._coloc_op):
                return apply_op("Stage", tensors, **attrs)

    def _out(self, op: str, *inputs: Any, **attrs: Any) -> Any:
        with colocate_with(self._coloc_op):
            found = apply_op(op, *inputs, **attrs)
        return self._given(found, range(len(self._dtypes)))

    def get(self, name: str | None = None) -> Any:
        """Return the components of the first tuple, which is taken out: a list, or a dict."""
        return self._out("Unstage", **self._attrs(name, "get"))

    def peek(self, index: Any, name: str | None = None) -> Any:
        """Return the components of the tuple of number `index`, which stays."""
        return self._out("StagePeek", index, **self._attrs(name, "peek"))

    def size(self, name: str | None = None) -> Tensor:
        """Return the number of tuples."""
        return apply_op("StageSize", **self._attrs(name, "size"))

    def clear(self, name: str | None = None) -> Operation:
        """Return an operation that drops all tuples."""
        return apply_op("StageClear", **self._attrs(name, "clear"))


class MapStagingArea(_Area):
    """A map from int64 keys to tuples of tensors, whose components may come and go one by one."""

    def __init__(
        self,
        dtypes: Sequence[Any],
        shapes: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
        shared_name: str | None = None,
        ordered: bool = False,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        """ordered: where no key is asked for, that of the lowest key is taken. Other arguments as of StagingArea."""
        super().__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)
        self._prefix = "OrderedMap" if ordered else "Map"

    def put(self, key: Any, vals: Any, indices: Any = None, name: str | None = None) -> Operation:
        """Return an operation that gives components to the tuple of `key`; indices: their numbers, for a list.

        Raises: ValueError for other names, dtypes, shapes or numbers.
        """
        with name_scope(name, f"{self._name}_put", values_of(vals)) as scope:
            tensors, indices = self._components(vals, indices)
            with colocate_with(self._coloc_op):
                return apply_op(f"{self._prefix}Stage", key, indices, tensors, **self._attrs(scope, "put"))

    def _chosen(self, indices: Any) -> tuple[list[int], list[Any]]:
        """Return numbers and dtypes of the components asked for by number or name."""
        if indices is None:
            indices = list(range(len(self._dtypes)))
        if not isinstance(indices, (tuple, list)):
            raise TypeError(f"Invalid indices type {type(indices)}")
        if len(indices) == 0:
            raise ValueError("Empty indices")
        if all(isinstance(i, str) for i in indices):
            if self._names is None:
                raise ValueError(
                    f"String indices provided {indices}, but this Staging Area was not created with names."
                )
            try:
                indices = [list(self._names).index(n) for n in indices]
            except ValueError:
                raise ValueError(f"Named index not in Staging Area names {self._names}") from None
        elif not all(isinstance(i, int) for i in indices):
            raise TypeError(f"Mixed types in indices {indices}. May only be str or int")
        return list(indices), [self._dtypes[i] for i in indices]

    def peek(self, key: Any, indices: Any = None, name: str | None = None) -> Any:
        """Return components of the tuple of `key`, which stays."""
        numbers, dtypes = self._chosen(indices)
        with colocate_with(self._coloc_op):
            found = apply_op(f"{self._prefix}Peek", key, numbers, **self._attrs(name, "pop", dtypes))
        return self._given(found, numbers)

    def get(self, key: Any = None, indices: Any = None, name: str | None = None) -> Any:
        """Return a key and components of its tuple, which are taken out. key: None for any."""
        numbers, dtypes = self._chosen(indices)
        if key is not None:
            with colocate_with(self._coloc_op):
                found = apply_op(f"{self._prefix}Unstage", key, numbers, **self._attrs(name, "get", dtypes))
            return key, self._given(found, numbers)
        with colocate_with(self._coloc_op):
            attrs = self._attrs(name, "get_nokey", dtypes)
            key, found = apply_op(f"{self._prefix}UnstageNoKey", numbers, **attrs)
        (key,) = self._moved(key)
        return key, self._given(found, numbers)

    def size(self, name: str | None = None) -> Tensor:
        """Return the number of complete tuples."""
        return apply_op(f"{self._prefix}Size", **self._attrs(name, "size"))

    def incomplete_size(self, name: str | None = None) -> Tensor:
        """Return the number of tuples that lack a component."""
        return apply_op(f"{self._prefix}IncompleteSize", **self._attrs(name, "incomplete_size"))

    def clear(self, name: str | None = None) -> Operation:
        """Return an operation that drops all tuples."""
        return apply_op(f"{self._prefix}Clear", **self._attrs(name, "clear"))
