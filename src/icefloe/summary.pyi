# Written by fixtures/make/public_names.py; do not edit.
from icefloe.proto import Event as Event
from icefloe.proto import SessionLog as SessionLog
from icefloe.proto import Summary as Summary
from icefloe.proto import SummaryDescription as SummaryDescription
from icefloe.proto import TaggedRunMetadata as TaggedRunMetadata
from icefloe.lib.summaries import audio as audio
from icefloe.lib.summaries import get_summary_description as get_summary_description
from icefloe.lib.summaries import histogram as histogram
from icefloe.lib.summaries import image as image
from icefloe.lib.summaries import merge as merge
from icefloe.lib.summaries import merge_all as merge_all
from icefloe.lib.summaries import scalar as scalar
from icefloe.lib.summaries import tensor_summary as tensor_summary
from icefloe.lib.summaries import text as text
