"""Input pipelines of queues, their first part: names of files, numbers, or slices of tensors, over and over.

Source: tensorflow/python/training/input.py (names, nodes and messages).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.indexed_slices import convert_n_to_tensor_or_indexed_slices
from icefloe.graph.tensor import Tensor
from icefloe.lib import summaries
from icefloe.lib.array_select import gather
from icefloe.lib.array_shape import shape, size
from icefloe.lib.checks import Assert
from icefloe.lib.control import identity
from icefloe.lib.math_cast import cast
from icefloe.lib.math_range import range
from icefloe.lib.queue_runner import QueueRunner, add_queue_runner
from icefloe.lib.queues import FIFOQueue, QueueBase
from icefloe.lib.random_draws import random_shuffle
from icefloe.lib.variable import Variable


def match_filenames_once(pattern: Any, name: str | None = None) -> Variable:
    """Return a local variable that holds the paths that match patterns, as found when it is initialized."""
    with name_scope(name, "matching_filenames", [pattern]) as scope:
        return Variable(
            name=scope,
            initial_value=apply_op("MatchingFiles", pattern),
            trainable=False,
            validate_shape=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )


def limit_epochs(tensor: Any, num_epochs: int | None = None, name: str | None = None) -> Any:
    """Return `tensor`; its value can be had `num_epochs` times, then OutOfRangeError is raised. None: for ever.

    The count is a local variable. Raises: ValueError if `num_epochs` is not positive.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with name_scope(name, "limit_epochs", [tensor]) as scope:
        zero = constant(0, dtype=datatypes.int64)
        epochs = Variable(zero, name="epochs", trainable=False, collections=[GraphKeys.LOCAL_VARIABLES])
        with control_dependencies([epochs.count_up_to(num_epochs)]):
            return identity(tensor, name=scope)


def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> QueueBase:
    """Return a queue of the rows of `input_tensor`, which a queue runner keeps filling.

    num_epochs: how often each row comes; None for ever. shuffle: whether rows change their order in each round.
    summary_name: of a summary of how full the queue is. cancel_op: what cancels the queue runner.

    Raises: ValueError if the shape of a row is not known.
    """
    with name_scope(name, "input_producer", [input_tensor]):
        input_tensor = convert_to_tensor(input_tensor, name="input_tensor")
        row = input_tensor.shape[1:].merge_with(element_shape)
        if not row.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be specified"
            )
        if shuffle:
            input_tensor = random_shuffle(input_tensor, seed=seed)
        input_tensor = limit_epochs(input_tensor, num_epochs)
        dtypes = [input_tensor.dtype.base_dtype]
        queue = FIFOQueue(capacity=capacity, dtypes=dtypes, shapes=[row], shared_name=shared_name, name=name)
        add_queue_runner(QueueRunner(queue, [queue.enqueue_many([input_tensor])], cancel_op=cancel_op))
        if summary_name is not None:
            summaries.scalar(summary_name, cast(queue.size(), datatypes.float32) * (1.0 / capacity))
        return queue


def string_input_producer(
    string_tensor: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> QueueBase:
    """Return a queue of strings, such as names of files; arguments as of `input_producer`.

    Raises: ValueError where there are none; running it raises InvalidArgumentError.
    """
    empty = "string_input_producer requires a non-null input tensor"
    if not isinstance(string_tensor, Tensor) and not string_tensor:
        raise ValueError(empty)
    with name_scope(name, "input_producer", [string_tensor]) as scope:
        string_tensor = convert_to_tensor(string_tensor, dtype=datatypes.string)
        with control_dependencies([Assert(apply_op("Greater", size(string_tensor), 0), [empty])]):
            string_tensor = identity(string_tensor)
        return input_producer(
            string_tensor,
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            f"fraction_of_{capacity}_full",
            scope,
            cancel_op,
        )


def range_input_producer(
    limit: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> QueueBase:
    """Return a queue of the integers from 0 to `limit`, exclusive; arguments as of `input_producer`."""
    with name_scope(name, "input_producer", [limit]) as scope:
        return input_producer(
            range(limit), [], num_epochs, shuffle, seed, capacity, shared_name, f"fraction_of_{capacity}_full", scope
        )


def slice_input_producer(
    tensor_list: Sequence[Any],
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """Return one row of each tensor of a list, in each run the next; arguments as of `input_producer`.

    Raises: ValueError for an empty list.
    """
    with name_scope(name, "input_producer", tensor_list):
        tensors = convert_n_to_tensor_or_indexed_slices(tensor_list)
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        queue = range_input_producer(
            shape(tensors[0])[0],
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
        )
        index = queue.dequeue()
        return [gather(t, index) for t in tensors]
