"""Starting the threads that fill the queues of a graph.

Source: tensorflow/python/training/queue_runner_impl.py (names, rules and messages).
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from icefloe.graph.collections import GraphKeys
from icefloe.graph.default_graph import get_collection
from icefloe.session import BaseSession, get_default_session

_LOG = logging.getLogger("icefloe")


def start_queue_runners(
    sess: Any = None,
    coord: Any = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Start the threads of all queue runners in a collection of the default graph, and return them.

    sess: the default session where it is None. coord: a Coordinator that is told of the threads and what they raise.

    Raises: ValueError where there is no session; TypeError for another object.
    """
    if sess is None:
        sess = get_default_session()
        if not sess:
            raise ValueError(
                "Cannot start queue runners: No default session is registered. Use `with sess.as_default()` or pass an "
                "explicit session to tf.start_queue_runners(sess=sess)"
            )
    if not isinstance(sess, BaseSession):
        # They start the runners themselves.
        if type(sess).__name__ in ("MonitoredSession", "SingularMonitoredSession"):
            return []
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {type(sess)}")
    runners = get_collection(collection)
    if not runners:
        _LOG.warning(
            "`tf.train.start_queue_runners()` was called when no queue runners were defined. You can safely remove the "
            "call to this deprecated function."
        )
    with sess.graph.as_default():
        return [
            thread
            for runner in runners
            for thread in runner.create_threads(sess, coord=coord, daemon=daemon, start=start)
        ]
