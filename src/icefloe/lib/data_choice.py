"""Elements of several datasets, chosen one by one; elements left out for a wanted distribution.

Source: tensorflow/python/data/ops/choose_from_datasets_op.py, sample_from_datasets_op.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec
from icefloe.lib import data_nest as nest
from icefloe.lib.data_arguments import INT64, arguments
from icefloe.lib.data_dataset import Dataset
from icefloe.lib.data_function import DatasetFunction


def choose_from_datasets(
    datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = True
) -> Dataset:
    """Return elements of `datasets`, each time of the one whose index `choice_dataset` gives.

    Raises: ValueError if there is none; TypeError if the indices are no int64 or the datasets are not alike.
    """
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    if not isinstance(choice_dataset, Dataset):
        raise TypeError(
            f"Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is {type(choice_dataset)}."
        )
    spec = choice_dataset.element_spec
    if nest.is_nested(spec) or not TensorSpec([], INT64).is_compatible_with(spec):
        raise TypeError(
            f"Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are {spec}."
        )
    rewritten = apply_op(
        "RewriteDataset", choice_dataset._variant_tensor, "replicate_on_split", **_without_metadata(spec)
    )
    selector = Dataset(rewritten, spec, (choice_dataset,))
    return _directed(selector, datasets, stop_on_empty_dataset)


def _without_metadata(spec: Any) -> dict[str, Any]:
    attrs = arguments(spec, None)
    del attrs["metadata"]
    return attrs


def _directed(selector: Dataset, datasets: Sequence[Dataset], stop_on_empty_dataset: bool) -> Dataset:
    spec = datasets[0].element_spec
    for i, dataset in enumerate(datasets[1:]):
        try:
            spec = nest.map_structure(lambda a, b: a.most_specific_compatible_type(b), spec, dataset.element_spec)
        except (TypeError, ValueError) as error:
            raise TypeError(
                "Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 "
                f"element_spec={datasets[0].element_spec}.\nDataset {i + 1} element_spec={dataset.element_spec}."
            ) from error
    variant = apply_op(
        "DirectedInterleaveDataset",
        selector._variant_tensor,
        [d._variant_tensor for d in datasets],
        stop_on_empty_dataset=stop_on_empty_dataset,
        **_without_metadata(spec),
    )
    return Dataset(variant, spec, (selector, *datasets))


def sample_from_datasets(
    datasets: Sequence[Dataset],
    weights: Any = None,
    seed: Any = None,
    stop_on_empty_dataset: bool = False,
    rerandomize_each_iteration: bool | None = None,
) -> Dataset:
    """Return elements of `datasets`, each time of one chosen at random.

    weights: how likely each is; a tensor, a list, or a dataset of such.

    Raises: ValueError if there is no dataset or another number of weights; TypeError if they are no floats.
    """
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    if isinstance(weights, Dataset):
        return _sample_by_dataset(datasets, weights, seed, stop_on_empty_dataset, rerandomize_each_iteration)
    if weights is None:
        logits = convert_to_tensor([[1.0] * len(datasets)])
    else:
        if isinstance(weights, Tensor):
            if not weights.shape.is_compatible_with([len(datasets)]):
                raise ValueError(
                    "Invalid `weights`. The shape of `weights` should be compatible with `[len(datasets)]` but is "
                    f"{weights.shape}."
                )
        elif len(datasets) != len(weights):
            raise ValueError(
                "Invalid `weights`. `weights` should have the same length as `datasets` but got "
                f"`len(weights)={len(weights)}` vs. `len(datasets)={len(datasets)}`."
            )
        else:
            chosen = [(d, w) for d, w in zip(datasets, weights) if w > 0]
            datasets = [d for d, _ in chosen] or [datasets[0].take(0)]
            weights = [w for _, w in chosen] or [1.0]
        tensor = convert_to_tensor(weights, name="weights")
        if tensor.dtype.name not in ("float32", "float64"):
            raise TypeError(
                f"Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is {tensor.dtype}."
            )
        logits = apply_op("ExpandDims", apply_op("Log", tensor, name="logits"), 0)
    if len(datasets) == 1:
        return datasets[0]

    def select_dataset_constant_logits(seed: Tensor) -> Any:
        return _drawn(logits, seed)

    numbers = Dataset.random(seed=seed, rerandomize_each_iteration=rerandomize_each_iteration).batch(2)
    selector = _selector(numbers, select_dataset_constant_logits)
    return _directed(selector, datasets, stop_on_empty_dataset)


def _sample_by_dataset(
    datasets: Sequence[Dataset], weights: Dataset, seed: Any, stop: bool, rerandomize: bool | None
) -> Dataset:
    def log(*p: Tensor) -> Any:
        return apply_op("Log", p[0] if len(p) == 1 else apply_op("Pack", list(p)), name="logits")

    def select_dataset_varying_logits(logits: Tensor, seed: Tensor) -> Any:
        rows = logits if logits.shape.rank == 2 else apply_op("ExpandDims", logits, 0)
        return _drawn(rows, seed)

    numbers = Dataset.random(seed=seed, rerandomize_each_iteration=rerandomize).batch(2)
    selector = _selector(Dataset.zip((weights.map(log), numbers)), select_dataset_varying_logits)
    return _directed(selector, datasets, stop)


def _drawn(logits: Tensor, seed: Tensor) -> Any:
    sample = apply_op("StatelessMultinomial", logits, 1, seed=seed)
    return apply_op("Squeeze", sample, squeeze_dims=[0, 1])


def _selector(numbers: Dataset, function: Any) -> Dataset:
    made = DatasetFunction(function, "Dataset.map()", numbers.element_spec)
    return numbers._transformed(
        "MapDataset",
        made.captured,
        spec=made.spec,
        f=made.attr,
        use_inter_op_parallelism=False,
        preserve_cardinality=True,
    )
