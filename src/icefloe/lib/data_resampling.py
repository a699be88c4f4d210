"""`Dataset.rejection_resample`: elements left out so that their classes come in wanted shares.

With p the shares of the classes in the data and t the wanted ones, an element comes from the data as it is with
probability m = min(t / p), else from those accepted with probability (t / p - m) / (max(t / p) - m), by its class.

Source: tensorflow/python/data/ops/dataset_ops.py (rejection_resample).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.constant_value import constant_value
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_create import fill, one_hot
from icefloe.lib.array_select import gather
from icefloe.lib.array_shape import expand_dims, shape
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.data_choice import sample_from_datasets
from icefloe.lib.data_dataset import Dataset
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import add, truediv
from icefloe.lib.math_reduce import reduce_max, reduce_min, reduce_sum
from icefloe.lib.op_functions import op_function
from icefloe.lib.printing import Print
from icefloe.lib.random_draws import random_uniform

_ESTIMATED_BATCH = 32
_SMOOTHING = 10


def rejection_resample(
    dataset: Dataset, class_func: Callable[..., Any], target_dist: Any, initial_dist: Any, seed: Any, name: str | None
) -> Dataset:
    """See `Dataset.rejection_resample`."""
    target = cast(convert_to_tensor(target_dist, name="target_dist"), datatypes.float32)
    from_data = None
    if initial_dist is not None:
        initial = cast(convert_to_tensor(initial_dist, name="initial_dist"), datatypes.float32)
        acceptance, original = _probabilities(initial, target)
        initials = Dataset.from_tensors(initial, name=name).repeat(name=name)
        acceptances = Dataset.from_tensors(acceptance, name=name).repeat(name=name)
        originals = Dataset.from_tensors(original, name=name).repeat(name=name)
        known, wanted = constant_value(initial), constant_value(target)
        if known is not None and wanted is not None:
            with np.errstate(divide="ignore"):
                from_data = np.min(wanted / known)
    else:
        initials = _estimated(target, dataset.map(class_func, name=name), name)
        both = initials.map(lambda initial: _probabilities(initial, target), name=name)
        acceptances = both.map(lambda acceptance, _: acceptance, name=name)
        originals = both.map(lambda _, original: original, name=name)
    filtered = _filtered(dataset, acceptances, initials, class_func, seed).prefetch(3, name=name)

    def add_class_value(*x: Any) -> Any:
        return class_func(*x), x[0] if len(x) == 1 else x

    if from_data == 1:
        return dataset.map(add_class_value, name=name)
    if from_data == 0:
        return filtered
    return sample_from_datasets(
        [dataset.map(add_class_value), filtered],
        weights=originals.map(lambda share: [(share, 1.0 - share)]),
        seed=seed,
        stop_on_empty_dataset=True,
    )


def _probabilities(initial: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Return how likely an element of each class is accepted, and how likely one is taken without a look."""
    ratio = target / (initial + np.finfo(initial.dtype.as_numpy_dtype).tiny)
    largest, least = reduce_max(ratio), reduce_min(ratio)
    return (ratio - least) / (largest - least), least


def _filtered(
    dataset: Dataset, acceptances: Dataset, initials: Dataset, class_func: Callable[..., Any], seed: Any
) -> Dataset:
    def warned(accept: Tensor, initial: Tensor) -> Any:
        rejected = reduce_sum((1 - accept) * initial)
        return cond(
            rejected < 0.5,
            lambda: accept,
            lambda: Print(
                accept,
                [rejected, initial, accept],
                message="Proportion of examples rejected by sampler is high: ",
                summarize=100,
                first_n=10,
            ),
        )

    acceptances = Dataset.zip((acceptances, initials)).map(warned)

    def looked_up(accept: Tensor, data: Any) -> Any:
        value = class_func(*data) if isinstance(data, tuple) else class_func(data)
        return value, gather(accept, value), data

    chosen = Dataset.zip((acceptances, dataset)).map(looked_up)
    chosen = chosen.filter(lambda _, p, data: random_uniform([], seed=seed, dtype=p.dtype) < p)
    return chosen.map(lambda value, _, data: (value, data))


def _estimated(target: Tensor, classes: Dataset, name: str | None) -> Dataset:
    """Return the shares of the classes as far as they were seen, for each element."""
    count = target.shape.as_list()[0] or shape(target)[0]
    start = fill([count], np.int64(_SMOOTHING))

    def update(seen: Tensor, values: Tensor) -> Any:
        width = seen.shape.as_list()[0]
        seen = add(seen, reduce_sum(one_hot(values, width, dtype=datatypes.int64), 0))
        shares = cast(truediv(seen, reduce_sum(seen)), datatypes.float32)
        return seen, op_function("Tile", "tile")(expand_dims(shares, 0), [_ESTIMATED_BATCH, 1])

    batches = classes.batch(_ESTIMATED_BATCH, name=name)
    return batches.scan(start, update, name=name).unbatch(name=name)
