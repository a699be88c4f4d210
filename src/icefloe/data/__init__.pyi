# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.data_arguments import AUTOTUNE as AUTOTUNE
from icefloe.lib.data_dataset import Dataset as Dataset
from icefloe.lib.data_spec import DatasetSpec as DatasetSpec
from icefloe.lib.data_readers import FixedLengthRecordDataset as FixedLengthRecordDataset
from icefloe.lib.data_arguments import INFINITE as INFINITE_CARDINALITY
from icefloe.lib.data_iterator import Iterator as Iterator
from icefloe.lib.data_options import Options as Options
from icefloe.lib.data_readers import TFRecordDataset as TFRecordDataset
from icefloe.lib.data_readers import TextLineDataset as TextLineDataset
from icefloe.lib.data_options import ThreadingOptions as ThreadingOptions
from icefloe.lib.data_arguments import UNKNOWN as UNKNOWN_CARDINALITY
from icefloe.data import experimental as experimental
from icefloe.lib.data_iterator import get_legacy_output_classes as get_output_classes
from icefloe.lib.data_iterator import get_legacy_output_shapes as get_output_shapes
from icefloe.lib.data_iterator import get_legacy_output_types as get_output_types
from icefloe.lib.data_iterator import make_initializable_iterator as make_initializable_iterator
from icefloe.lib.data_iterator import make_one_shot_iterator as make_one_shot_iterator


__all__ = [
    "AUTOTUNE",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "INFINITE_CARDINALITY",
    "Iterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "ThreadingOptions",
    "UNKNOWN_CARDINALITY",
    "experimental",
    "get_output_classes",
    "get_output_shapes",
    "get_output_types",
    "make_initializable_iterator",
    "make_one_shot_iterator",
]
