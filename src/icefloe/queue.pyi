# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.queues import FIFOQueue as FIFOQueue
from icefloe.lib.queues import PaddingFIFOQueue as PaddingFIFOQueue
from icefloe.lib.queues import PriorityQueue as PriorityQueue
from icefloe.lib.queues import QueueBase as QueueBase
from icefloe.lib.queues import RandomShuffleQueue as RandomShuffleQueue


__all__ = [
    "FIFOQueue",
    "PaddingFIFOQueue",
    "PriorityQueue",
    "QueueBase",
    "RandomShuffleQueue",
]
