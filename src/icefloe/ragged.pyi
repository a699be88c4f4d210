# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.ragged_value import RaggedTensorValue as RaggedTensorValue
from icefloe.lib.ragged_mask import boolean_mask as boolean_mask
from icefloe.lib.ragged_factory import constant as constant
from icefloe.lib.ragged_factory import constant_value as constant_value
from icefloe.lib.ragged_cross import cross as cross
from icefloe.lib.ragged_cross import cross_hashed as cross_hashed
from icefloe.lib.ragged_functional import map_flat_values as map_flat_values
from icefloe.lib.ragged_factory import placeholder as placeholder
from icefloe.lib.ragged_range import range as range
from icefloe.lib.ragged_partition import row_splits_to_segment_ids as row_splits_to_segment_ids
from icefloe.lib.ragged_partition import segment_ids_to_row_splits as segment_ids_to_row_splits
from icefloe.lib.ragged_concat import stack as stack
from icefloe.lib.ragged_mask import stack_dynamic_partitions as stack_dynamic_partitions


__all__ = [
    "RaggedTensorValue",
    "boolean_mask",
    "constant",
    "constant_value",
    "cross",
    "cross_hashed",
    "map_flat_values",
    "placeholder",
    "range",
    "row_splits_to_segment_ids",
    "segment_ids_to_row_splits",
    "stack",
    "stack_dynamic_partitions",
]
