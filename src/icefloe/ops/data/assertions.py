"""Ops about how a pipeline is made: assertions of it, sharding by policy, the fastest of several.

Source: tensorflow/core/kernels/data/experimental/assert_prev_dataset_op.cc, auto_shard_dataset_op.cc,
choose_fastest_dataset_op.cc, choose_fastest_branch_dataset_op.cc.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from google.protobuf import text_format

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.graph.attributes import decode_for_kernel
from icefloe.ops.data.making import dataset_op, number, spec_of, texts
from icefloe.proto import POOL, NameAttrList
from icefloe.resources.datasets.base import Context, Dataset, Iterator, OneInput, Spec, Through, as_dataset, check_types
from icefloe.resources.datasets.flattening import single_dataset
from icefloe.resources.datasets.passing import Passing
from icefloe.resources.datasets.selecting import Shard
from icefloe.shapes import Dims


@dataset_op("AssertNextDataset")
def assert_next_dataset(input_dataset: Any, transformations: Any) -> Dataset:
    """The same elements. What comes next is asserted of TensorFlow's rewritten pipelines; here none is rewritten."""
    texts(transformations, "transformations")
    return Passing(as_dataset(input_dataset), "AssertNext")


class _AssertPrevious(OneInput):
    """The elements of a dataset that was made by the given transformations, the last one first.

    wanted: NameAttrList messages as text, looked at when an iterator is made.
    """

    kind = "AssertPrev"

    def __init__(self, source: Dataset, wanted: list[bytes]) -> None:
        super().__init__(source)
        self.wanted = wanted

    def iterator(self, context: Context) -> Iterator:
        current: Dataset | None = self.source
        for i, words in enumerate(self.wanted):
            if current is None:
                raise errors.InvalidArgumentError(
                    f"Asserted previous {len(self.wanted)} transformations but encountered only {i}."
                )
            problem = _difference(words, current)
            if problem is not None:
                raise errors.InvalidArgumentError(f"Failure checking transformations at offset {i}: {problem}")
            current = current.inputs[-1] if current.inputs else None
        return Through(self.source.iterator(context))

    def get(self, index: int, context: Context) -> tuple[Any, ...]:
        return self.source.get(index, context)


def _difference(words: bytes, dataset: Dataset) -> str | None:
    """Return how a transformation differs from what `words` say of it, or None."""
    try:
        wanted = text_format.Parse(words, NameAttrList(), descriptor_pool=POOL)
    except text_format.ParseError:
        return f"Couldn't parse transformation '{words.decode(errors='replace')}'."
    recipe = dataset.recipe
    op = "" if recipe is None else recipe.op
    if not re.fullmatch(re.escape(wanted.name) + r"(V\d+)?", op):
        return f"Asserted transformation matching '{wanted.name}', but found '{op}'."
    attrs = {} if recipe is None else recipe.attrs
    for attr, value in wanted.attr.items():
        said = f"Asserted attribute '{attr}' having a value of '{value}'"
        if attr not in attrs:
            return f"{said}, but found no such attribute defined."
        if _plain(value) != attrs[attr]:
            return f"{said}, but found value of '{attrs[attr]}'."
    return None


def _plain(value: Any) -> Any:
    kind = {"s": "string", "i": "int", "f": "float", "b": "bool", "type": "type", "shape": "shape"}.get(
        value.WhichOneof("value")
    )
    return None if kind is None else decode_for_kernel(value, kind)


@dataset_op("AssertPrevDataset")
def assert_prev_dataset(input_dataset: Any, transformations: Any) -> Dataset:
    """The same elements, if the input was made by `transformations`, the last one first."""
    return _AssertPrevious(as_dataset(input_dataset), texts(transformations, "transformations"))


_OFF, _MOST_POLICY = -1, 3


@dataset_op("AutoShardDataset")
def auto_shard_dataset(input_dataset: Any, num_workers: Any, index: Any, *, auto_shard_policy: int) -> Dataset:
    """One worker's share of the elements: every `num_workers`-th, whatever the policy but off.

    TensorFlow shares out whole files where it can, which gives other elements in all, not fewer.
    """
    workers, at = number(num_workers, "num_workers"), number(index, "index")
    if workers < 1:
        raise errors.InvalidArgumentError(f"num_workers must be >= 1, currently {workers}")
    if not 0 <= at < workers:
        raise errors.InvalidArgumentError(f"index must be between 0 and {workers - 1}")
    if not _OFF <= auto_shard_policy <= _MOST_POLICY:
        raise errors.InvalidArgumentError(f"auto_shard_policy {auto_shard_policy} is not known")
    source = as_dataset(input_dataset)
    if auto_shard_policy == _OFF or workers == 1:
        return Passing(source, "AutoShard")
    return Shard(source, workers, at, False)


@dataset_op("ChooseFastestDataset")
def choose_fastest_dataset(
    input_datasets: tuple[Any, ...], *, output_types: Sequence[DType], output_shapes: Sequence[Dims]
) -> Dataset:
    """The first of datasets that have the same elements; none is timed."""
    sources = [as_dataset(d) for d in input_datasets]
    for source in sources:
        check_types(output_types, source.spec.dtypes)
    lengths = {source.cardinality() for source in sources}
    if len(lengths) > 1:
        raise errors.InvalidArgumentError(
            f"All inputs to ChooseFastestDataset must have the same cardinality, got {sorted(lengths)}"
        )
    return Passing(sources[0], "ChooseFastest", spec_of(output_types, output_shapes))


class _Branch(OneInput):
    """What a function makes of a dataset."""

    kind = "ChooseFastestBranch"

    def __init__(self, source: Dataset, function: Any, captured: Sequence[Any], spec: Spec) -> None:
        super().__init__(source, spec)
        self.function = function
        self.captured = captured

    def _made(self, context: Context) -> Dataset:
        def make() -> Dataset:
            return single_dataset(context.bind(self.function, self.captured)([self.source]))

        made: Dataset = context.memo(self, make)
        return made

    def cardinality(self, context: Context | None = None) -> int:
        return super().cardinality(context) if context is None else self._made(context).cardinality(context)

    def iterator(self, context: Context) -> Iterator:
        return Through(self._made(context).iterator(context))


@dataset_op("ChooseFastestBranchDataset")
def choose_fastest_branch_dataset(
    input_dataset: Any,
    ratio_numerator: Any,
    ratio_denominator: Any,
    other_arguments: tuple[Any, ...],
    *,
    branches: tuple[Any, ...],
    other_arguments_lengths: tuple[int, ...],
    output_types: Sequence[DType],
    output_shapes: Sequence[Dims],
) -> Dataset:
    """What the first branch makes of the input; none is timed."""
    for name, value in (("ratio_numerator", ratio_numerator), ("ratio_denominator", ratio_denominator)):
        if number(value, name) <= 0:
            raise errors.InvalidArgumentError(f"`{name}` must be greater than zero.")
    captured = other_arguments[: other_arguments_lengths[0]]
    return _Branch(as_dataset(input_dataset), branches[0], captured, spec_of(output_types, output_shapes))
