# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.data_flow import SparseConditionalAccumulator as SparseConditionalAccumulator
from icefloe.graph.sparse_tensor import SparseTensor as SparseTensor
from icefloe.lib.sparse_arithmetic import sparse_add as add
from icefloe.lib.sparse_arithmetic import sparse_bincount as bincount
from icefloe.lib.sparse_layout import sparse_concat as concat
from icefloe.lib.sparse_arithmetic import sparse_cross as cross
from icefloe.lib.sparse_arithmetic import sparse_cross_hashed as cross_hashed
from icefloe.lib.sparse_layout import sparse_expand_dims as expand_dims
from icefloe.lib.sparse_convert import sparse_eye as eye
from icefloe.lib.sparse_layout import sparse_fill_empty_rows as fill_empty_rows
from icefloe.lib.sparse_convert import from_dense as from_dense
from icefloe.lib.array_select import sparse_mask as mask
from icefloe.lib.sparse_arithmetic import sparse_tensor_dense_matmul as matmul
from icefloe.lib.sparse_arithmetic import sparse_maximum as maximum
from icefloe.lib.sparse_layout import sparse_merge as merge
from icefloe.lib.sparse_arithmetic import sparse_minimum as minimum
from icefloe.lib.array_sparse import sparse_placeholder as placeholder
from icefloe.lib.sparse_arithmetic import sparse_reduce_max as reduce_max
from icefloe.lib.sparse_arithmetic import sparse_reduce_max_sparse as reduce_max_sparse
from icefloe.lib.sparse_arithmetic import sparse_reduce_sum as reduce_sum
from icefloe.lib.sparse_arithmetic import sparse_reduce_sum_sparse as reduce_sum_sparse
from icefloe.lib.sparse_layout import sparse_reorder as reorder
from icefloe.lib.sparse_layout import sparse_reset_shape as reset_shape
from icefloe.lib.sparse_layout import sparse_reshape as reshape
from icefloe.lib.sparse_layout import sparse_retain as retain
from icefloe.lib.math_segment import sparse_segment_mean as segment_mean
from icefloe.lib.math_segment import sparse_segment_sqrt_n as segment_sqrt_n
from icefloe.lib.math_segment import sparse_segment_sum as segment_sum
from icefloe.lib.sparse_layout import sparse_slice as slice
from icefloe.lib.sparse_arithmetic import sparse_softmax as softmax
from icefloe.lib.sparse_arithmetic import sparse_tensor_dense_matmul as sparse_dense_matmul
from icefloe.lib.sparse_layout import sparse_split as split
from icefloe.lib.sparse_convert import sparse_tensor_to_dense as to_dense
from icefloe.lib.sparse_layout import sparse_to_indicator as to_indicator
from icefloe.lib.sparse_layout import sparse_transpose as transpose


__all__ = [
    "SparseConditionalAccumulator",
    "SparseTensor",
    "add",
    "bincount",
    "concat",
    "cross",
    "cross_hashed",
    "expand_dims",
    "eye",
    "fill_empty_rows",
    "from_dense",
    "mask",
    "matmul",
    "maximum",
    "merge",
    "minimum",
    "placeholder",
    "reduce_max",
    "reduce_max_sparse",
    "reduce_sum",
    "reduce_sum_sparse",
    "reorder",
    "reset_shape",
    "reshape",
    "retain",
    "segment_mean",
    "segment_sqrt_n",
    "segment_sum",
    "slice",
    "softmax",
    "sparse_dense_matmul",
    "split",
    "to_dense",
    "to_indicator",
    "transpose",
]
