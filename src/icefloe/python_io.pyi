# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.record_files import TFRecordCompressionType as TFRecordCompressionType
from icefloe.lib.record_files import TFRecordOptions as TFRecordOptions
from icefloe.lib.record_files import TFRecordWriter as TFRecordWriter
from icefloe.lib.record_files import tf_record_iterator as tf_record_iterator


__all__ = [
    "TFRecordCompressionType",
    "TFRecordOptions",
    "TFRecordWriter",
    "tf_record_iterator",
]
