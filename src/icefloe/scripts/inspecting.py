"""Tensors of a checkpoint, printed, as tensorflow.python.tools.inspect_checkpoint does."""

from __future__ import annotations

import math
import re
from typing import Any

import icefloe as tf


def print_tensors_in_checkpoint_file(
    file_name: Any,
    tensor_name: str,
    all_tensors: bool,
    all_tensor_names: bool = False,
    count_exclude_pattern: str = "",
) -> None:
    """Print what a checkpoint holds, one tensor of it or all, and how many numbers that are. Errors are printed, too.

    tensor_name: the one to print; "" for a list of all. all_tensors: with their values. all_tensor_names: without.
    count_exclude_pattern: names that it matches are not counted.
    """
    try:
        reader = tf.train.NewCheckpointReader(file_name)
        shapes, dtypes = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
        if all_tensors or all_tensor_names:
            for key in sorted(shapes):
                print(f"tensor: {key} ({dtypes[key].name}) {shapes[key]}")
                if all_tensors:
                    print(reader.get_tensor(key))
        elif not tensor_name:
            print(reader.debug_string().decode(errors="ignore"))
        elif not reader.has_tensor(tensor_name):
            print(f"Tensor {tensor_name} not found in checkpoint")
            return
        else:
            print(f"tensor: {tensor_name} ({dtypes[tensor_name].name}) {shapes[tensor_name]}")
            print(reader.get_tensor(tensor_name))
        print(f"# Total number of params: {_count(shapes, count_exclude_pattern)}")
    except (tf.errors.OpError, ValueError) as error:
        print(error)


def _count(shapes: dict[str, list[int]], pattern: str) -> int:
    left_out = [name for name in shapes if pattern and re.search(pattern, name)]
    if pattern:
        numbers = sum(math.prod(shapes[name]) for name in left_out)
        print(f"# Excluding {len(left_out)} tensors ({numbers} params) that match {pattern} when counting.")
    return sum(math.prod(shape) for name, shape in shapes.items() if name not in left_out)
