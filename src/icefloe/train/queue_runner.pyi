# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.queue_runner import QueueRunner as QueueRunner
from icefloe.lib.queue_runner import add_queue_runner as add_queue_runner
from icefloe.training.queue_runner import start_queue_runners as start_queue_runners


__all__ = [
    "QueueRunner",
    "add_queue_runner",
    "start_queue_runners",
]
