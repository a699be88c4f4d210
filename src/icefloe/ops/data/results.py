"""What is asked of a dataset as a whole: its length, one element, all of them reduced to one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.registry import kernel, not_differentiable, shape
from icefloe.graph.shape_inference import ShapeContext, scalar
from icefloe.ops.data.making import number
from icefloe.ops.lookup.handles import table_of
from icefloe.resources.datasets.base import Context, as_dataset, check_shapes, check_types
from icefloe.resources.datasets.components import stack
from icefloe.resources.elements import fits, shape_of
from icefloe.resources.table import HashTable
from icefloe.shapes import Dims, shape_text

not_differentiable(
    "DatasetCardinality", "GetElementAtIndex", "DatasetToSingleElement", "ReduceDataset", "InitializeTableFromDataset"
)


# A serialized CardinalityOptions that allows a moderate effort: field 1, compute_level, is 2.
_MAY_COMPUTE = b"\x08\x02"


@kernel("ExperimentalDatasetCardinality")
def known_cardinality(input_dataset: Any) -> Any:
    """The number of elements, as far as it is known without running functions."""
    return np.int64(as_dataset(input_dataset).cardinality())


@kernel("DatasetCardinality", per_run=True)
def dataset_cardinality(input_dataset: Any, *, cardinality_options: str | bytes, run: Any) -> Any:
    """The number of elements, -1 where there is no end, -2 where it is not known."""
    options = cardinality_options.encode() if isinstance(cardinality_options, str) else cardinality_options
    context = Context(run) if options == _MAY_COMPUTE else None
    return np.int64(as_dataset(input_dataset).cardinality(context))


@kernel("GetElementAtIndex", per_run=True, returns="stored")
def get_element_at_index(
    dataset: Any, index: Any, *, output_types: Sequence[DType], output_shapes: Sequence[Dims], run: Any
) -> tuple[Any, ...]:
    element = as_dataset(dataset).get(number(index, "index"), Context(run))
    _check_element(element, output_types, output_shapes)
    return element


@kernel("DatasetToSingleElement", per_run=True, returns="stored")
def dataset_to_single_element(
    dataset: Any, *, output_types: Sequence[DType], output_shapes: Sequence[Dims], run: Any
) -> tuple[Any, ...]:
    iterator = as_dataset(dataset).iterator(Context(run))
    element = iterator.next()
    if element is None:
        raise errors.InvalidArgumentError("Dataset was empty.")
    _check_element(element, output_types, output_shapes)
    if iterator.next() is not None:
        raise errors.InvalidArgumentError("Dataset had more than one element.")
    return element


def _check_element(element: tuple[Any, ...], dtypes: Sequence[DType], shapes: Sequence[Dims]) -> None:
    if len(element) != len(dtypes):
        raise errors.InvalidArgumentError(
            f"Number of components does not match: expected {len(dtypes)} types but got {len(element)}."
        )
    check_shapes(shapes, [shape_of(c) for c in element])


@kernel("ReduceDataset", per_run=True, returns="stored")
def reduce_dataset(
    input_dataset: Any,
    initial_state: tuple[Any, ...],
    other_arguments: tuple[Any, ...],
    *,
    f: Any,
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
    run: Any,
) -> tuple[Any, ...]:
    """state = f(*state, *element, *other_arguments), for all elements, from `initial_state` on."""
    context = Context(run)
    call = context.bind(f, other_arguments)
    iterator = as_dataset(input_dataset).iterator(context)
    state: Sequence[Any] = initial_state
    while (element := iterator.next()) is not None:
        state = call([*state, *element])
        if len(state) != len(initial_state):
            raise errors.InvalidArgumentError(
                f"The function of a reduction returned {len(state)} values, its state has {len(initial_state)}"
            )
        context.check()
    for i, (value, expected) in enumerate(zip(state, output_shapes)):
        if not fits(expected, shape_of(value)):
            raise errors.InvalidArgumentError(
                f"Incompatible shapes at component {i}: expected {shape_text(expected)} but got "
                f"{shape_text(shape_of(value))}."
            )
    return tuple(state)


@kernel("InitializeTableFromDataset", per_run=True)
def initialize_table_from_dataset(table_handle: Any, dataset: Any, *, run: Any) -> tuple[()]:
    """Fill a table, once, with the dataset's elements: pairs of a key and a value."""
    table = table_of(table_handle)
    if not isinstance(table, HashTable):
        raise errors.InvalidArgumentError("Table is not initializable")
    source = as_dataset(dataset)
    check_types((table.key_dtype, table.value_dtype), source.spec.dtypes)
    context = Context(run)
    iterator = source.iterator(context)
    keys, values = [], []
    while (element := iterator.next()) is not None:
        keys.append(element[0])
        values.append(element[1])
        context.check()
    if keys:
        table.load(stack(keys, 0), stack(values, 1))
    return ()


shape("DatasetCardinality", "ExperimentalDatasetCardinality")(scalar)


@shape("InitializeTableFromDataset")
def initialize_table_shape(c: ShapeContext) -> list[Dims]:
    return []


@shape("GetElementAtIndex", "DatasetToSingleElement", "ReduceDataset")
def output_shapes_rule(c: ShapeContext) -> list[Dims]:
    """What the attr says."""
    given: Sequence[Dims] = c.attr("output_shapes")
    if len(given) != c.num_outputs:
        raise errors.InvalidArgumentError("`output_shapes` must be the same length as `output_types`")
    return list(given)
