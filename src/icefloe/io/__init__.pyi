# Written by fixtures/make/public_names.py; do not edit.
from typing import Any

from icefloe.lib.parsing_features import FixedLenFeature as FixedLenFeature
from icefloe.lib.parsing_features import FixedLenSequenceFeature as FixedLenSequenceFeature
from icefloe.lib.queues import PaddingFIFOQueue as PaddingFIFOQueue
from icefloe.lib.queues import PriorityQueue as PriorityQueue
from icefloe.lib.queues import QueueBase as QueueBase
from icefloe.lib.parsing_features import RaggedFeature as RaggedFeature
from icefloe.lib.queues import RandomShuffleQueue as RandomShuffleQueue
from icefloe.lib.parsing_features import SparseFeature as SparseFeature
from icefloe.lib.record_files import TFRecordCompressionType as TFRecordCompressionType
from icefloe.lib.record_files import TFRecordOptions as TFRecordOptions
from icefloe.lib.record_files import TFRecordWriter as TFRecordWriter
from icefloe.lib.parsing_features import VarLenFeature as VarLenFeature
from icefloe.lib.parsing import decode_csv as decode_csv
from icefloe.lib.image_files import decode_image as decode_image
from icefloe.lib.parsing import decode_json_example as decode_json_example
from icefloe.lib.parsing import decode_raw as decode_raw
from icefloe.lib.sparse_convert import deserialize_many_sparse as deserialize_many_sparse
from icefloe.lib.image_files import encode_png as encode_png
from icefloe.io import gfile as gfile
from icefloe.lib.image_files import is_jpeg as is_jpeg
from icefloe.lib.input import match_filenames_once as match_filenames_once
from icefloe.lib.parsing import parse_example as parse_example
from icefloe.lib.parsing import parse_sequence_example as parse_sequence_example
from icefloe.lib.parsing import parse_single_example as parse_single_example
from icefloe.lib.parsing import parse_single_sequence_example as parse_single_sequence_example
from icefloe.lib.sparse_convert import serialize_many_sparse as serialize_many_sparse
from icefloe.lib.sparse_convert import serialize_sparse as serialize_sparse
from icefloe.lib.parsing import serialize_tensor as serialize_tensor
from icefloe.lib.record_files import tf_record_iterator as tf_record_iterator
from icefloe.saver.meta_files import write_graph as write_graph

def decode_and_crop_jpeg(contents: Any, crop_window: Any, channels: Any = 0, ratio: Any = 1, fancy_upscaling: Any = True, try_recover_truncated: Any = False, acceptable_fraction: Any = 1.0, dct_method: Any = '', name: str | None = ...) -> Any: ...
def decode_base64(input: Any, name: str | None = ...) -> Any: ...
def decode_bmp(contents: Any, channels: Any = 0, name: str | None = ...) -> Any: ...
def decode_compressed(bytes: Any, compression_type: Any = '', name: str | None = ...) -> Any: ...
def decode_gif(contents: Any, name: str | None = ...) -> Any: ...
def decode_jpeg(contents: Any, channels: Any = 0, ratio: Any = 1, fancy_upscaling: Any = True, try_recover_truncated: Any = False, acceptable_fraction: Any = 1.0, dct_method: Any = '', name: str | None = ...) -> Any: ...
def decode_jxl(contents: Any, channels: Any = 0, dtype: Any = ..., name: str | None = ...) -> Any: ...
def decode_png(contents: Any, channels: Any = 0, dtype: Any = ..., name: str | None = ...) -> Any: ...
def decode_proto(bytes: Any, message_type: Any, field_names: Any, output_types: Any, descriptor_source: Any = 'local://', message_format: Any = 'binary', sanitize: Any = False, name: str | None = ...) -> Any: ...
def decode_webp(contents: Any, channels: Any = 0, dtype: Any = ..., name: str | None = ...) -> Any: ...
def encode_base64(input: Any, pad: Any = False, name: str | None = ...) -> Any: ...
def encode_jpeg(image: Any, format: Any = '', quality: Any = 95, progressive: Any = False, optimize_size: Any = False, chroma_downsampling: Any = True, density_unit: Any = 'in', x_density: Any = 300, y_density: Any = 300, xmp_metadata: Any = '', name: str | None = ...) -> Any: ...
def encode_proto(sizes: Any, values: Any, field_names: Any, message_type: Any, descriptor_source: Any = 'local://', name: str | None = ...) -> Any: ...
def extract_jpeg_shape(contents: Any, output_type: Any = ..., name: str | None = ...) -> Any: ...
def matching_files(pattern: Any, name: str | None = ...) -> Any: ...
def parse_tensor(serialized: Any, out_type: Any, name: str | None = ...) -> Any: ...
def read_file(filename: Any, name: str | None = ...) -> Any: ...
def write_file(filename: Any, contents: Any, name: str | None = ...) -> Any: ...

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "PaddingFIFOQueue",
    "PriorityQueue",
    "QueueBase",
    "RaggedFeature",
    "RandomShuffleQueue",
    "SparseFeature",
    "TFRecordCompressionType",
    "TFRecordOptions",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_and_crop_jpeg",
    "decode_base64",
    "decode_bmp",
    "decode_compressed",
    "decode_csv",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_json_example",
    "decode_jxl",
    "decode_png",
    "decode_proto",
    "decode_raw",
    "decode_webp",
    "deserialize_many_sparse",
    "encode_base64",
    "encode_jpeg",
    "encode_png",
    "encode_proto",
    "extract_jpeg_shape",
    "gfile",
    "is_jpeg",
    "match_filenames_once",
    "matching_files",
    "parse_example",
    "parse_sequence_example",
    "parse_single_example",
    "parse_single_sequence_example",
    "parse_tensor",
    "read_file",
    "serialize_many_sparse",
    "serialize_sparse",
    "serialize_tensor",
    "tf_record_iterator",
    "write_file",
    "write_graph",
]
