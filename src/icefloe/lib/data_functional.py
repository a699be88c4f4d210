"""Transformations of datasets that call Python functions: map, filter, interleave, scan, reduce, groups.

Source: tensorflow/python/data/ops/map_op.py, filter_op.py, interleave_op.py, scan_op.py, group_by_window_op.py, ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.type_specs import TensorSpec
from icefloe.lib import data_nest as nest
from icefloe.lib import data_structure as structure
from icefloe.lib.data_arguments import AUTOTUNE, INT64, arguments, determinism, number
from icefloe.lib.data_dataset import Dataset
from icefloe.lib.data_function import DatasetFunction
from icefloe.lib.data_spec import DatasetSpec

Function = Callable[..., Any]


def mapped(
    dataset: Dataset,
    map_func: Function,
    num_parallel_calls: Any = None,
    deterministic: bool | None = None,
    synchronous: bool | None = None,
    use_unbounded_threadpool: bool = False,
    name: str | None = None,
    preserve_cardinality: bool = False,
) -> Dataset:
    """See `Dataset.map`."""
    function = DatasetFunction(map_func, "Dataset.map()", dataset.element_spec)
    attrs: dict[str, Any] = {"f": function.attr, "preserve_cardinality": preserve_cardinality}
    if num_parallel_calls is None:
        return dataset._transformed(
            "MapDataset", function.captured, spec=function.spec, name=name, force_synchronous=bool(synchronous), **attrs
        )
    return dataset._transformed(
        "ParallelMapDatasetV2",
        function.captured,
        number(num_parallel_calls, "num_parallel_calls"),
        spec=function.spec,
        name=name,
        deterministic=determinism(deterministic),
        use_unbounded_threadpool=use_unbounded_threadpool,
        **attrs,
    )


def filtered(dataset: Dataset, predicate: Function, name: str | None = None) -> Dataset:
    """See `Dataset.filter`. Raises: ValueError unless `predicate` returns one bool."""
    function = DatasetFunction(predicate, "Dataset.filter()", dataset.element_spec)
    if not function.is_single(TensorSpec([], datatypes.bool)):
        raise ValueError(
            "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is "
            f"{function.spec}."
        )
    return dataset._transformed("FilterDataset", function.captured, name=name, predicate=function.attr)


def take_while(dataset: Dataset, predicate: Function, name: str | None = None) -> Dataset:
    """See `Dataset.take_while`. Raises: ValueError unless `predicate` returns one bool."""
    function = DatasetFunction(predicate, "Dataset.take_while()", dataset.element_spec)
    if not function.is_single(TensorSpec([], datatypes.bool)):
        raise ValueError(
            "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor but its return type is "
            f"{function.spec}."
        )
    return dataset._transformed("TakeWhileDataset", function.captured, name=name, predicate=function.attr)


def _returns_dataset(function: DatasetFunction, argument: str) -> Any:
    """Return the structure of the elements of the dataset that `function` returns. Raises: TypeError if it is none."""
    if not isinstance(function.spec, DatasetSpec):
        raise TypeError(f"The `{argument}` argument must return a `Dataset` object. Got {function.spec!r}.")
    return function.spec.element_spec


def flat_map(dataset: Dataset, map_func: Function, name: str | None = None) -> Dataset:
    """See `Dataset.flat_map`."""
    function = DatasetFunction(map_func, "Dataset.flat_map()", dataset.element_spec)
    spec = _returns_dataset(function, "map_func")
    return dataset._transformed("FlatMapDataset", function.captured, spec=spec, name=name, f=function.attr)


def interleave(
    dataset: Dataset,
    map_func: Function,
    cycle_length: Any = None,
    block_length: Any = None,
    num_parallel_calls: Any = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Dataset:
    """See `Dataset.interleave`."""
    function = DatasetFunction(map_func, "Dataset.interleave()", dataset.element_spec)
    spec = _returns_dataset(function, "map_func")
    cycle = number(AUTOTUNE if cycle_length is None else cycle_length, "cycle_length")
    block = number(1 if block_length is None else block_length, "block_length")
    if num_parallel_calls is None:
        return dataset._transformed(
            "InterleaveDataset", function.captured, cycle, block, spec=spec, name=name, f=function.attr
        )
    names = ("buffer_output_elements", "prefetch_input_elements", "num_parallel_calls")
    rest = [number(v, n) for v, n in zip((AUTOTUNE, AUTOTUNE, num_parallel_calls), names)]
    return dataset._transformed(
        "ParallelInterleaveDatasetV4",
        function.captured,
        cycle,
        block,
        *rest,
        spec=spec,
        name=name,
        f=function.attr,
        deterministic=determinism(deterministic),
    )


def legacy_interleave(
    dataset: Dataset,
    map_func: Function,
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool | None = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Dataset:
    """Return the elements of the datasets that `map_func` makes, `block_length` of each in turn."""
    function = DatasetFunction(map_func, "tf.data.experimental.parallel_interleave()", dataset.element_spec)
    spec = _returns_dataset(function, "map_func")
    ahead = 2 * block_length if buffer_output_elements is None else buffer_output_elements
    inputs = 2 * cycle_length if prefetch_input_elements is None else prefetch_input_elements
    names = ("cycle_length", "block_length", "buffer_output_elements", "prefetch_input_elements")
    numbers = [number(v, n) for v, n in zip((cycle_length, block_length, ahead, inputs), names)]
    return dataset._transformed(
        "LegacyParallelInterleaveDatasetV2",
        function.captured,
        *numbers,
        spec=spec,
        f=function.attr,
        deterministic=determinism(None if sloppy is None else not sloppy),
    )


# State


def _state_function(
    dataset: Dataset, initial_state: Any, function: Function, transformation: str, *, has_output: bool
) -> tuple[Any, DatasetFunction, Any]:
    """Return (initial state, function, its state's structure), whose shapes hold for every state.

    Raises: TypeError if the function returns a state of other types.
    """
    with name_scope("initial_state"):
        initial = structure.normalize_element(initial_state)
    spec = structure.spec_of(initial)
    while True:
        made = DatasetFunction(function, transformation, (spec, dataset.element_spec))
        returned = made.spec
        if has_output:
            if not isinstance(returned, tuple) or len(returned) != 2:
                raise TypeError(
                    "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output "
                    f"value but its return type is {returned}."
                )
            returned = returned[0]
        try:
            wider = nest.map_structure(lambda old, new: old.most_specific_compatible_type(new), spec, returned)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"The element types for the new state must match the initial state. Expected "
                f"{structure.legacy_types(spec)} but got {structure.legacy_types(returned)}."
            ) from error
        if nest.flatten(wider) == nest.flatten(spec):
            return initial, made, spec
        spec = wider


def scan(
    dataset: Dataset,
    initial_state: Any,
    scan_func: Function,
    *,
    transformation: str = "Dataset.scan()",
    name: str | None = None,
) -> Dataset:
    """See `Dataset.scan`."""
    initial, function, spec = _state_function(dataset, initial_state, scan_func, transformation, has_output=True)
    return dataset._transformed(
        "ScanDataset",
        structure.to_tensors(spec, initial),
        function.captured,
        spec=function.spec[1],
        name=name,
        f=function.attr,
        preserve_cardinality=True,
        use_default_device=True,
    )


def reduce(dataset: Dataset, initial_state: Any, reduce_func: Function, name: str | None = None) -> Any:
    """See `Dataset.reduce`."""
    initial, function, spec = _state_function(dataset, initial_state, reduce_func, "reduce()", has_output=False)
    tensors = apply_op(
        "ReduceDataset",
        dataset._variant_tensor,
        structure.to_tensors(spec, initial),
        function.captured,
        f=function.attr,
        **arguments(spec, name),
    )
    return structure.from_tensors(spec, tensors)


# Groups


def group_by_window(
    dataset: Dataset,
    key_func: Function,
    reduce_func: Function,
    window_size: Any = None,
    window_size_func: Function | None = None,
    name: str | None = None,
) -> Dataset:
    """See `Dataset.group_by_window`. Raises: ValueError unless one of the window sizes is given."""
    if (window_size is None) == (window_size_func is None):
        raise ValueError("Either the `window_size` argument or the `window_size_func` argument must be specified.")

    def key_func_wrapper(*args: Any) -> Any:
        return convert_to_tensor(key_func(*args), dtype=INT64)

    def window_size_func_wrapper(key: Any) -> Any:
        value = window_size if window_size_func is None else window_size_func(key)
        return convert_to_tensor(value, dtype=INT64)

    title = "Dataset.group_by_window()"
    key = DatasetFunction(key_func_wrapper, title, dataset.element_spec)
    scalar = TensorSpec([], INT64)
    reduced = DatasetFunction(reduce_func, title, (scalar, DatasetSpec(dataset.element_spec)))
    size = DatasetFunction(window_size_func_wrapper, title, scalar)
    for function, argument in ((key, "key_func"), (size, "window_size_func")):
        if not function.is_single(scalar):
            raise ValueError(
                f"Invalid `{argument}`. `{argument}` must return a single `tf.int64` scalar tensor but its return type "
                f"is {function.spec}."
            )
    if not isinstance(reduced.spec, DatasetSpec):
        raise TypeError(
            "Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object but its return type "
            f"is {reduced.spec}."
        )
    return dataset._transformed(
        "GroupByWindowDataset",
        key.captured,
        reduced.captured,
        size.captured,
        spec=reduced.spec.element_spec,
        name=name,
        key_func=key.attr,
        reduce_func=reduced.attr,
        window_size_func=size.attr,
    )


class Reducer:
    """Functions that reduce the elements of a group.

    init_func(key) gives a state, reduce_func(state, element) the next one, finalize_func(state) the result.
    """

    def __init__(self, init_func: Function, reduce_func: Function, finalize_func: Function) -> None:
        self.init_func = init_func
        self.reduce_func = reduce_func
        self.finalize_func = finalize_func


def group_by_reducer(dataset: Dataset, key_func: Function, reducer: Reducer) -> Dataset:
    """Return what `reducer` makes of the elements of each key."""
    title = "tf.data.experimental.group_by_reducer()"
    key = DatasetFunction(key_func, title, dataset.element_spec)
    scalar = TensorSpec([], INT64)
    if not key.is_single(scalar):
        raise ValueError(
            f"Invalid `key_func`. Expected `key_func` to return a scalar tf.int64 tensor, but got {key.spec}."
        )
    init = DatasetFunction(reducer.init_func, title, scalar)
    spec = init.spec
    while True:
        reduced = DatasetFunction(reducer.reduce_func, title, (spec, dataset.element_spec))
        wider = nest.map_structure(lambda old, new: old.most_specific_compatible_type(new), spec, reduced.spec)
        if nest.flatten(wider) == nest.flatten(spec):
            break
        spec = wider
    final = DatasetFunction(reducer.finalize_func, title, spec)
    attrs = arguments(final.spec, None)
    attrs.pop("metadata")
    variant = apply_op(
        "ExperimentalGroupByReducerDataset",
        dataset._variant_tensor,
        key.captured,
        init.captured,
        reduced.captured,
        final.captured,
        key_func=key.attr,
        init_func=init.attr,
        reduce_func=reduced.attr,
        finalize_func=final.attr,
        **attrs,
    )
    return Dataset(variant, final.spec, (dataset,))
