"""TensorFlow's private functions of warm starts, as its tests call them, on icefloe's."""

from __future__ import annotations

import math
from typing import Any

import icefloe as tf
from icefloe.training import warm_start
from icefloe.training.init_from_checkpoint import as_parts
from icefloe.training.remapped_matrix import Axis, RemappedMatrix


def load_and_remap_matrix(
    ckpt_path: Any,
    old_tensor_name: str,
    new_row_vocab_offset: int,
    num_rows_to_load: int,
    new_col_vocab_size: int,
    initializer: Any,
    old_row_vocab_size: int = -1,
    old_row_vocab_file: Any = None,
    new_row_vocab_file: Any = None,
    old_col_vocab_file: Any = None,
    new_col_vocab_file: Any = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    max_rows_in_memory: int = -1,
) -> Any:
    rows = Axis(0, old_row_vocab_file, new_row_vocab_file, old_row_vocab_size, num_row_oov_buckets)
    columns = Axis(new_col_vocab_size, old_col_vocab_file, new_col_vocab_file, -1, num_col_oov_buckets)
    matrix = RemappedMatrix(ckpt_path, old_tensor_name, rows, columns, initializer, max_rows_in_memory)
    return matrix._remapped(new_row_vocab_offset, num_rows_to_load, num_row_oov_buckets)


def load_and_remap_matrix_initializer(
    ckpt_path: Any,
    old_tensor_name: str,
    new_row_vocab_size: int,
    new_col_vocab_size: int,
    old_row_vocab_size: int = -1,
    old_row_vocab_file: Any = None,
    new_row_vocab_file: Any = None,
    old_col_vocab_file: Any = None,
    new_col_vocab_file: Any = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    initializer: Any = None,
    max_rows_in_memory: int = -1,
) -> RemappedMatrix:
    rows = Axis(new_row_vocab_size, old_row_vocab_file, new_row_vocab_file, old_row_vocab_size, num_row_oov_buckets)
    columns = Axis(new_col_vocab_size, old_col_vocab_file, new_col_vocab_file, -1, num_col_oov_buckets)
    return RemappedMatrix(ckpt_path, old_tensor_name, rows, columns, initializer, max_rows_in_memory)


def load_embedding_initializer(
    ckpt_path: Any,
    embedding_tensor_name: str,
    new_vocab_size: int,
    embedding_dim: int,
    old_vocab_file: Any,
    new_vocab_file: Any,
    old_vocab_size: int = -1,
    num_oov_buckets: int = 0,
    initializer: Any = None,
    max_rows_in_memory: int = -1,
) -> RemappedMatrix:
    rows = Axis(new_vocab_size, old_vocab_file, new_vocab_file, old_vocab_size, num_oov_buckets)
    fill = initializer or tf.truncated_normal_initializer(stddev=1 / math.sqrt(embedding_dim))
    return RemappedMatrix(ckpt_path, embedding_tensor_name, rows, Axis(embedding_dim), fill, max_rows_in_memory)


def warm_start_var_with_vocab(
    var: Any,
    current_vocab_path: Any,
    current_vocab_size: int,
    prev_ckpt: Any,
    prev_vocab_path: Any,
    previous_vocab_size: int = -1,
    current_oov_buckets: int = 0,
    prev_tensor_name: str | None = None,
    initializer: Any = None,
    axis: int = 0,
) -> None:
    info = tf.train.VocabInfo(
        current_vocab_path,
        current_vocab_size,
        current_oov_buckets,
        prev_vocab_path,
        previous_vocab_size,
        initializer,
        axis,
    )
    name = prev_tensor_name or warm_start._name(warm_start._as_list(var))
    warm_start._warm_start_with_vocab(var, name, prev_ckpt, info)


def get_var_info(var: Any, prev_tensor_name: str | None = None) -> Any:
    parts = as_parts(var)
    if parts is None:
        raise TypeError(f"var MUST be one of the following: {type(var)}")
    return prev_tensor_name or warm_start._name(warm_start._as_list(var)), parts
