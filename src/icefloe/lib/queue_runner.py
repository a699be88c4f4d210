"""`QueueRunner`: the threads that fill a queue, as a collection of the graph knows them.

Source: tensorflow/python/training/queue_runner_impl.py (names, rules and messages).
"""

from __future__ import annotations

import contextlib
import logging
import threading
import weakref
from collections.abc import Iterable, Sequence
from typing import Any

from icefloe import errors
from icefloe.graph.collections import GraphKeys
from icefloe.graph.default_graph import add_to_collection
from icefloe.graph.graph import get_default_graph
from icefloe.graph.naming import prepend_name_scope, strip_name_scope
from icefloe.proto import QueueRunnerDef

_LOG = logging.getLogger("icefloe")


class QueueRunner:
    """Runs operations that enqueue, each in a thread of its own, until the queue or a coordinator says stop.

    When one raises one of `queue_closed_exception_types`, its thread ends; the last that does closes the queue. When
    the coordinator stops, what waits to be enqueued is cancelled.
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Sequence[Any] | None = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: Iterable[type[errors.OpError]] | None = None,
        queue_runner_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        """close_op, cancel_op: operations that close the queue; made where they are None.

        queue_closed_exception_types: a tuple, OutOfRangeError where it is None. queue_runner_def: a QueueRunnerDef to
        be used instead of the other arguments; import_scope: under which its nodes are.

        Raises: ValueError where both or neither are given; TypeError for types that are no errors.
        """
        if queue_runner_def:
            if queue or enqueue_ops:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            self._read(queue_runner_def, import_scope)
        else:
            if not queue or not enqueue_ops:
                raise ValueError("Must provide queue and enqueue_ops.")
            self._queue: Any = queue
            self._enqueue_ops: list[Any] = list(enqueue_ops)
            self._queue_closed_exception_types = _checked_types(queue_closed_exception_types)
            self._close_op: Any = queue.close() if close_op is None else close_op
            self._cancel_op: Any = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        self._lock = threading.Lock()
        self._runs_per_session: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._exceptions_raised: list[Exception] = []

    def _read(self, message: Any, scope: str | None) -> None:
        graph = get_default_graph()

        def element(name: str) -> Any:
            return graph.as_graph_element(prepend_name_scope(name, scope))

        self._queue = element(message.queue_name)
        self._enqueue_ops = [element(name) for name in message.enqueue_op_name]
        self._close_op = element(message.close_op_name)
        self._cancel_op = element(message.cancel_op_name)
        codes = message.queue_closed_exception_types
        self._queue_closed_exception_types = tuple([errors.exception_type_from_error_code(code) for code in codes]) or (
            errors.OutOfRangeError,
        )

    @property
    def queue(self) -> Any:
        """The queue; one read from a message is its handle."""
        return self._queue

    @property
    def enqueue_ops(self) -> list[Any]:
        """The operations that enqueue."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Any:
        """The operation that closes the queue."""
        return self._close_op

    @property
    def cancel_op(self) -> Any:
        """The operation that closes the queue and cancels what waits to be enqueued."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type[errors.OpError], ...]:
        """The errors that mean that there is no more to enqueue."""
        return self._queue_closed_exception_types

    @property
    def exceptions_raised(self) -> list[Exception]:
        """What threads raised that no coordinator was told of."""
        return self._exceptions_raised

    @property
    def name(self) -> str:
        """The name of the queue."""
        return str(self._queue.name)

    def _run(self, sess: Any, enqueue_op: Any, coord: Any = None) -> None:
        """Enqueue until there is no more, or `coord` says stop."""
        has_left = False
        try:
            enqueue = sess.make_callable(enqueue_op)
            while not (coord and coord.should_stop()):
                try:
                    enqueue()
                except self._queue_closed_exception_types:
                    has_left = True
                    self._leave(sess)
                    return
        except Exception as error:
            if coord:
                coord.request_stop(error)
                return
            _LOG.error("Exception in QueueRunner: %s", error)
            with self._lock:
                self._exceptions_raised.append(error)
            raise
        finally:
            if not has_left:
                with self._lock:
                    self._runs_per_session[sess] -= 1

    def _leave(self, sess: Any) -> None:
        """Close the queue if no other thread is left."""
        with self._lock:
            self._runs_per_session[sess] -= 1
            is_last = not self._runs_per_session[sess]
        if is_last:
            try:
                sess.run(self._close_op)
            except Exception as error:
                _LOG.debug("Ignored exception: %s", error)

    @staticmethod
    def _close_on_stop(sess: Any, cancel_op: Any, coord: Any) -> None:
        coord.wait_for_stop()
        try:
            sess.run(cancel_op)
        except Exception as error:
            _LOG.debug("Ignored exception: %s", error)

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """Return the threads that enqueue in `sess`; none if those of an earlier call still run.

        coord: a Coordinator; it gets to know the threads and what they raise, and one more thread that cancels
        enqueues when it stops. start: whether to start them.
        """
        with self._lock:
            with contextlib.suppress(KeyError):
                if self._runs_per_session[sess] > 0:
                    return []
            self._runs_per_session[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []
        name = f"QueueRunnerThread-{self.name}"
        threads = [
            threading.Thread(target=self._run, args=(sess, op, coord), name=f"{name}-{op.name}")
            for op in self._enqueue_ops
        ]
        if coord:
            args = sess, self._cancel_op, coord
            threads.append(threading.Thread(target=self._close_on_stop, args=args, name=f"{name}-close_on_stop"))
        for thread in threads:
            if coord:
                coord.register_thread(thread)
            thread.daemon = daemon
            if start:
                thread.start()
        return threads

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return a QueueRunnerDef, or None if the queue is not below `export_scope`."""
        if export_scope is not None and not self.queue.name.startswith(export_scope):
            return None

        def name(element: Any) -> str:
            return strip_name_scope(element.name, export_scope)

        return QueueRunnerDef(
            queue_name=name(self.queue),
            enqueue_op_name=[name(op) for op in self.enqueue_ops],
            close_op_name=name(self.close_op),
            cancel_op_name=name(self.cancel_op),
            queue_closed_exception_types=[cls.code for cls in self._queue_closed_exception_types],
        )

    @staticmethod
    def from_proto(queue_runner_def: Any, import_scope: str | None = None) -> QueueRunner:
        """Return the queue runner that a QueueRunnerDef describes, of the default graph."""
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


def _checked_types(types: Any) -> tuple[type[errors.OpError], ...]:
    if types is None:
        return (errors.OutOfRangeError,)
    if not isinstance(types, tuple) or not types or not all(issubclass(t, errors.OpError) for t in types):
        raise TypeError(
            f"queue_closed_exception_types, when provided, must be a tuple of tf.error types, but saw: {types}"
        )
    return types


def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Add a queue runner to a collection of the default graph, for `start_queue_runners`."""
    add_to_collection(collection, qr)
