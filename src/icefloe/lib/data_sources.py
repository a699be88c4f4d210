"""Datasets of what is not tensors: Python generators, names of files, counters.

Source: tensorflow/python/data/ops/from_generator_op.py, dataset_ops.py, counter_op.py.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec
from icefloe.lib import data_nest as nest
from icefloe.lib import data_structure as structure
from icefloe.lib.data_arguments import INT64, arguments
from icefloe.lib.data_dataset import Dataset
from icefloe.lib.data_function import DatasetFunction
from icefloe.shapes import TensorShape, as_shape


def list_files(file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None) -> Dataset:
    """See `Dataset.list_files`. A run raises InvalidArgumentError if nothing matches."""
    with name_scope("list_files"):
        patterns = convert_to_tensor(file_pattern, dtype=datatypes.string, name="file_pattern")
        matching: Tensor = apply_op("MatchingFiles", patterns)
        count = apply_op("StridedSlice", apply_op("Shape", matching), [0], [1], [1], shrink_axis_mask=1)
        condition = apply_op("Greater", count, 0, name="match_not_empty")
        if patterns.shape.rank == 0:
            joined = patterns
        else:
            joined = apply_op("ReduceJoin", patterns, [0], separator=", ")
        message = apply_op("Add", "No files matched pattern: ", joined, name="message")
        check = apply_op("Assert", condition, [message], summarize=1, name="assert_not_empty")
        with control_dependencies([check]):
            matching = apply_op("Identity", matching)
        spec = TensorSpec([], datatypes.string)
        variant = apply_op("TensorSliceDataset", [matching], output_shapes=[[]], is_files=True)
        dataset = Dataset(variant, spec)
        if shuffle is None or shuffle:
            sizes = apply_op("Shape", matching, out_type=INT64)
            size = apply_op("StridedSlice", sizes, [0], [1], [1], shrink_axis_mask=1)
            dataset = dataset.shuffle(
                apply_op("Maximum", size, convert_to_tensor(1, dtype=INT64)), seed=seed, name=name
            )
        return dataset


def counter(start: Any = 0, step: Any = 1, dtype: Any = INT64, name: str | None = None) -> Dataset:
    """See `Dataset.counter`."""
    with name_scope("counter"):
        first = convert_to_tensor(start, dtype=dtype, name="start")
        by = convert_to_tensor(step, dtype=dtype, name="step")
        return (
            Dataset.from_tensors(0, name=name).repeat(None, name=name).scan(first, lambda state, _: (state + by, state))
        )


class _Generators:
    """The iterators that runs of one `from_generator` dataset are in, by number."""

    def __init__(self, generator: Callable[..., Any]) -> None:
        self._generator = generator
        self._numbers = itertools.count()
        self._arguments: dict[int, tuple[Any, ...]] = {}
        self._iterators: dict[int, Any] = {}
        self._lock = threading.Lock()

    def begin(self, *args: Any) -> np.int64:
        with self._lock:
            number = next(self._numbers)
            self._arguments[number] = args
        return np.int64(number)

    def next(self, number: int) -> Any:
        found = self._iterators.get(number)
        if found is None:
            found = self._iterators[number] = iter(self._generator(*self._arguments.pop(number)))
        return next(found)

    def end(self, number: int) -> None:
        self._iterators.pop(number, None)
        self._arguments.pop(number, None)


def _signature(output_types: Any, output_shapes: Any, output_signature: Any) -> Any:
    if output_signature is not None:
        for name, value in (("output_types", output_types), ("output_shapes", output_shapes)):
            if value is not None:
                raise TypeError(f"The `{name}` argument can not be used together with the `output_signature` argument.")
        for spec in nest.flatten(output_signature):
            if not isinstance(spec, TensorSpec):
                raise TypeError(
                    "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found "
                    f"{type(spec)} which is not."
                )
        return output_signature
    if output_types is None:
        raise TypeError(
            "To specify the output signature you need to provide either the `output_signature` argument or the "
            "`output_types` argument."
        )
    types = nest.map_structure(datatypes.as_dtype, output_types)
    if output_shapes is None:
        return nest.map_structure(lambda t: TensorSpec(TensorShape(None), t), types)
    shapes = nest.map_up_to(types, as_shape, output_shapes)
    return nest.map_structure(lambda t, s: TensorSpec(s, t), types, shapes)


def from_generator(
    generator: Callable[..., Any],
    output_types: Any = None,
    output_shapes: Any = None,
    args: Any = None,
    output_signature: Any = None,
    name: str | None = None,
) -> Dataset:
    """See `Dataset.from_generator`.

    Raises: TypeError unless `generator` can be called and there is one way to know what it yields. A run raises
    InvalidArgumentError for an element that is not so.
    """
    from icefloe.lib.python_functions import numpy_function

    if not callable(generator):
        raise TypeError("`generator` must be a Python callable.")
    signature = _signature(output_types, output_shapes, output_signature)
    given = [convert_to_tensor(a, name="args") for a in (() if args is None else args)]
    generators = _Generators(generator)
    specs = nest.flatten(signature)
    types = nest.map_structure(lambda spec: spec.dtype, signature)

    def get_iterator_id_fn(unused: Any) -> Any:
        return numpy_function(generators.begin, given, INT64)

    def next_values(number: Any) -> list[Any]:
        values = generators.next(int(number))
        try:
            found: list[Any] = []
            nest.map_up_to(types, found.append, values)
        except (TypeError, ValueError) as error:
            raise TypeError(
                "`generator` yielded an element that did not match the expected structure. The expected structure was "
                f"{types}, but the yielded element was {values}."
            ) from error
        return [_checked(value, spec) for value, spec in zip(found, specs, strict=True)]

    def generator_next_fn(number: Any) -> Any:
        values = numpy_function(next_values, [number], [s.dtype for s in specs])
        values = list(values) if isinstance(values, (list, tuple)) else [values]
        for value, spec in zip(values, specs):
            value.set_shape(spec.shape)
        return nest.pack_sequence_as(signature, values)

    def finalize(number: Any) -> np.int64:
        generators.end(int(number))
        return np.int64(0)

    def finalize_fn(number: Any) -> Any:
        return numpy_function(finalize, [number], INT64)

    def flat_map_fn(dummy: Any) -> Dataset:
        title = "Dataset.from_generator()"
        init = DatasetFunction(get_iterator_id_fn, title, structure.spec_of(dummy))
        following = DatasetFunction(generator_next_fn, title, init.spec)
        final = DatasetFunction(finalize_fn, title, init.spec)
        variant = apply_op(
            "GeneratorDataset",
            [dummy, *init.captured],
            following.captured,
            final.captured,
            init_func=init.attr,
            next_func=following.attr,
            finalize_func=final.attr,
            **arguments(signature, name),
        )
        return Dataset(variant, signature)

    return Dataset.from_tensors(0, name=name).flat_map(flat_map_fn, name=name)


def _checked(value: Any, spec: TensorSpec) -> Any:
    """Return what a generator yielded as an array of a spec. Raises: TypeError if it is none."""
    try:
        if spec.dtype == datatypes.string:
            array = np.asarray(value)
            if array.dtype.kind == "U":
                array = np.array([s.encode() for s in array.reshape(-1).tolist()], object).reshape(array.shape)
            array = array.astype(object)
        else:
            array = np.asarray(value)
            wanted = spec.dtype.as_numpy_dtype
            if not (isinstance(value, (np.ndarray, np.generic)) and array.dtype != wanted):
                array = array.astype(wanted)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "`generator` yielded an element that could not be converted to the expected type. The expected type was "
            f"{spec.dtype.name}, but the yielded element was {value}."
        ) from error
    if spec.dtype != datatypes.string and array.dtype != spec.dtype.as_numpy_dtype:
        raise TypeError(
            f"`generator` yielded an element of type {array.dtype} where an element of type {spec.dtype.name} was "
            "expected."
        )
    if not spec.shape.is_compatible_with(array.shape):
        raise TypeError(
            f"`generator` yielded an element of shape {array.shape} where an element of shape {spec.shape} was "
            "expected."
        )
    return array
