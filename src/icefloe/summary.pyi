# Written by fixtures/make/public_names.py; do not edit.
from icefloe.proto import Event as Event
from icefloe.training.file_writer import FileWriter as FileWriter
from icefloe.training.file_writer import FileWriterCache as FileWriterCache
from icefloe.proto import SessionLog as SessionLog
from icefloe.proto import Summary as Summary
from icefloe.proto import SummaryDescription as SummaryDescription
from icefloe.proto import TaggedRunMetadata as TaggedRunMetadata
from icefloe.training.file_writer import all_v2_summary_ops as all_v2_summary_ops
from icefloe.lib.summaries import audio as audio
from icefloe.lib.summaries import get_summary_description as get_summary_description
from icefloe.lib.summaries import histogram as histogram
from icefloe.lib.summaries import image as image
from icefloe.training.file_writer import initialize as initialize
from icefloe.lib.summaries import merge as merge
from icefloe.lib.summaries import merge_all as merge_all
from icefloe.lib.summaries import scalar as scalar
from icefloe.lib.summaries import tensor_summary as tensor_summary
from icefloe.lib.summaries import text as text


__all__ = [
    "Event",
    "FileWriter",
    "FileWriterCache",
    "SessionLog",
    "Summary",
    "SummaryDescription",
    "TaggedRunMetadata",
    "all_v2_summary_ops",
    "audio",
    "get_summary_description",
    "histogram",
    "image",
    "initialize",
    "merge",
    "merge_all",
    "scalar",
    "tensor_summary",
    "text",
]
