"""Input pipelines of queues, their second part: batches of what threads compute, in order or shuffled.

Source: tensorflow/python/training/input.py (names, nodes and messages).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.indexed_slices import convert_to_tensor_or_indexed_slices
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.lib import summaries
from icefloe.lib.input_sparse import restore_sparse, store_sparse_join
from icefloe.lib.math_cast import cast
from icefloe.lib.queue_runner import QueueRunner, add_queue_runner
from icefloe.lib.queues import FIFOQueue, PaddingFIFOQueue, QueueBase, RandomShuffleQueue
from icefloe.lib.smart_cond import smart_cond
from icefloe.shapes import as_shape


def _in_order(tensors: Any) -> Any:
    """Return the tensors of a dict by key; others as they are."""
    return [tensors[k] for k in sorted(tensors, key=str)] if isinstance(tensors, dict) else tensors


def _lists_in_order(tensors_list: Sequence[Any]) -> Sequence[Any]:
    if not tensors_list:
        raise ValueError("Expected at least one set of tensors")
    if isinstance(tensors_list[0], dict):
        if any(set(tensors) != set(tensors_list[0]) for tensors in tensors_list[1:]):
            raise ValueError("All dictionaries in tensors_list must have the same keys")
        return [_in_order(tensors) for tensors in tensors_list]
    return tensors_list


def _like(original: Any, batches: Any) -> Any:
    """Return batches in the form that tensors were given in: a dict for a dict."""
    if isinstance(original, dict):
        if len(original) == 1:
            batches = [batches]
        return {k: batches[i] for i, k in enumerate(sorted(original, key=str))}
    return batches


def _converted(tensors: Sequence[Any]) -> list[Any]:
    return [t if isinstance(t, SparseTensor) else convert_to_tensor_or_indexed_slices(t) for t in tensors]


def _checked_keep(keep_input: Any, enqueue_many: bool) -> Tensor:
    keep = convert_to_tensor(keep_input)
    rank = keep.shape.ndims
    if rank is None:
        raise ValueError("`keep_input` dimensions must be known at graph construction.")
    if not enqueue_many and rank == 1:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    if rank > 1:
        raise ValueError("`keep_input` must be 0 or 1 dimensions.")
    return keep


def _dtypes(lists: Sequence[Sequence[Any]]) -> list[Any]:
    types = [t.dtype for t in lists[0]]
    for tensors in lists[1:]:
        others = [t.dtype for t in tensors]
        if others != types:
            texts = [", ".join([t.name for t in some]) for some in (types, others)]
            raise TypeError(f"Expected types to be consistent: {texts[0]} vs. {texts[1]}.")
    return types


def _shapes(lists: Sequence[Sequence[Any]], shapes: Any, enqueue_many: bool) -> Any:
    """Return the shapes of the queue's components: `shapes` where they were given."""
    if shapes is not None:
        return shapes
    for tensors in lists:
        for t in tensors[: len(lists[0])]:
            if t.shape.ndims is None:
                raise ValueError(f"Cannot infer Tensor's rank: {t}")
    return [_merged([tensors[i] for tensors in lists], enqueue_many) for i in range(len(lists[0]))]


def _merged(tensors: Sequence[Any], enqueue_many: bool) -> list[int | None]:
    found = [as_shape(t.shape) for t in tensors]
    if enqueue_many:
        found = [s.with_rank_at_least(1)[1:] for s in found]
    for other in found[1:]:
        found[0].merge_with(other)  # only to see that it can be: the first one's shape is taken, as in TensorFlow
    return found[0].as_list()


def _chosen(tensors: Sequence[Any], keep: Tensor) -> list[Any]:
    """Return the rows that `keep` says."""
    number = cast(keep, datatypes.int32)
    return [apply_op("DynamicPartition", t, number, num_partitions=2)[1] for t in tensors]


def _fill(queue: QueueBase, lists: Sequence[Sequence[Any]], threads: int, enqueue_many: bool, keep: Tensor) -> None:
    """Add a queue runner that enqueues each list of tensors, `threads` times each."""
    put = queue.enqueue_many if enqueue_many else queue.enqueue

    def enqueue(tensors: Sequence[Any]) -> Any:
        if keep.shape.ndims == 1:
            return put(_chosen(tensors, keep))
        return smart_cond(keep, lambda: put(tensors), lambda: apply_op("NoOp"))

    add_queue_runner(QueueRunner(queue, [op for op in map(enqueue, lists) for _ in range(threads)]))


def _queue_of_batches(
    scope_name: str,
    originals: Sequence[Any],
    batch_size: Any,
    keep_input: Any,
    make: Callable[..., QueueBase],
    summarize: Callable[[QueueBase], None],
    threads: int,
    enqueue_many: bool,
    shapes: Any,
    allow_smaller_final_batch: bool,
    shared_name: str | None,
    name: str | None,
    check: Callable[[], None] = lambda: None,
) -> Any:
    lists = _lists_in_order(originals)
    with name_scope(name, scope_name, [*[t for tensors in lists for t in tensors], keep_input]) as scope:
        check()
        converted = [_converted(tensors) for tensors in lists]
        if not all(converted):
            raise ValueError("Expected at least one tensor in batch().")
        keep = _checked_keep(keep_input, enqueue_many)
        stored, infos = store_sparse_join(converted, enqueue_many, keep)
        queue = make(dtypes=_dtypes(stored), shapes=_shapes(stored, shapes, enqueue_many), shared_name=shared_name)
        _fill(queue, stored, threads, enqueue_many, keep)
        summarize(queue)
        take = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
        return _like(originals[0], restore_sparse(take(batch_size, name=scope), infos))


def _plain(dynamic_pad: bool, capacity: int) -> tuple[Callable[..., QueueBase], Callable[[QueueBase], None]]:
    """Return what makes a queue that keeps the order, and what summarizes how full it is."""
    kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue

    def summarize(queue: QueueBase) -> None:
        summaries.scalar(f"fraction_of_{capacity}_full", cast(queue.size(), datatypes.float32) * (1.0 / capacity))

    return lambda **attrs: kind(capacity=capacity, **attrs), summarize


def _shuffling(
    capacity: int, min_after_dequeue: int, seed: int | None
) -> tuple[Callable[..., QueueBase], Callable[[QueueBase], None], Callable[[], None]]:
    """Return what makes a queue that shuffles, what summarizes how full it is, and what checks the numbers."""
    over = capacity - min_after_dequeue

    def check() -> None:
        if over <= 0:
            raise ValueError(f"capacity {capacity} must be bigger than min_after_dequeue {min_after_dequeue}.")

    def make(**attrs: Any) -> QueueBase:
        return RandomShuffleQueue(capacity=capacity, min_after_dequeue=min_after_dequeue, seed=seed, **attrs)

    def summarize(queue: QueueBase) -> None:
        more = apply_op("Maximum", 0, queue.size() - min_after_dequeue)
        full = cast(more, datatypes.float32) * (1.0 / over)
        summaries.scalar(f"fraction_over_{min_after_dequeue}_of_{over}_full", full)

    return make, summarize, check


def maybe_batch(
    tensors: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches of what `tensors` are in each run of a thread, as `batch` does, where `keep_input` is true.

    keep_input: a bool scalar; with `enqueue_many` also a vector, which says it of each row.
    """
    make, summarize = _plain(dynamic_pad, capacity)
    return _queue_of_batches(
        "batch",
        [tensors],
        batch_size,
        keep_input,
        make,
        summarize,
        num_threads,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def batch(
    tensors: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches of what `tensors`, a list or a dict, are in each run of a thread.

    A queue runner with `num_threads` threads puts them into a queue of `capacity` elements. enqueue_many: each run
    gives several, as rows. shapes: of the elements, where they are not known. dynamic_pad: sizes may differ; batches
    are padded with zeros. allow_smaller_final_batch: give what is left when there is no more.

    Raises: ValueError for no tensors or shapes of unknown rank.
    """
    return maybe_batch(
        tensors,
        True,
        batch_size,
        num_threads,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_batch_join(
    tensors_list: Sequence[Any],
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches as `batch_join` does, of what comes where `keep_input` is true."""
    make, summarize = _plain(dynamic_pad, capacity)
    return _queue_of_batches(
        "batch_join",
        tensors_list,
        batch_size,
        keep_input,
        make,
        summarize,
        1,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches of what several lists or dicts of tensors are, each run by a thread of its own.

    Arguments as of `batch`. Raises: ValueError, TypeError for lists that do not fit each other.
    """
    return maybe_batch_join(
        tensors_list,
        True,
        batch_size,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches as `shuffle_batch` does, of what comes where `keep_input` is true."""
    make, summarize, check = _shuffling(capacity, min_after_dequeue, seed)
    return _queue_of_batches(
        "shuffle_batch",
        [tensors],
        batch_size,
        keep_input,
        make,
        summarize,
        num_threads,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
        check,
    )


def shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches, in random order, of what `tensors` are in each run of a thread.

    min_after_dequeue: how many elements stay in the queue to be mixed with. Other arguments as of `batch`.
    """
    return maybe_shuffle_batch(
        tensors,
        batch_size,
        capacity,
        min_after_dequeue,
        True,
        num_threads,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches as `shuffle_batch_join` does, of what comes where `keep_input` is true."""
    make, summarize, check = _shuffling(capacity, min_after_dequeue, seed)
    return _queue_of_batches(
        "shuffle_batch_join",
        tensors_list,
        batch_size,
        keep_input,
        make,
        summarize,
        1,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
        check,
    )


def shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches, in random order, of what several lists of tensors are, each run by a thread of its own."""
    return maybe_shuffle_batch_join(
        tensors_list,
        batch_size,
        capacity,
        min_after_dequeue,
        True,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )
