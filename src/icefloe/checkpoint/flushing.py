"""Getting a large file onto the disk while it is still being written.

A file that is only synced at its end waits for all of its pages then, and meanwhile fills the system's memory with
pages that wait to be written.
"""

from __future__ import annotations

import queue
import threading

from icefloe.checkpoint import files

# Less than this is on the disk soon enough.
_STEP = 64 << 20


class Flusher:
    """Syncs an open file in the background each time that another `_STEP` bytes have been written to it."""

    def __init__(self, fd: int, path: str) -> None:
        self._fd = fd
        self._path = path
        self._waiting = 0
        self._thread: threading.Thread | None = None
        self._turns: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._failures: list[BaseException] = []

    def wrote(self, size: int) -> None:
        """Say that `size` more bytes were written."""
        self._waiting += size
        if self._waiting < _STEP or not self._turns.empty():
            return
        self._waiting = 0
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="icefloe-flush")
            self._thread.start()
        self._turns.put(True)

    def _work(self) -> None:
        while self._turns.get():
            try:
                files.sync_data(self._fd, self._path)
            except BaseException as e:  # the system tells of a lost page once only: `finish` hands it on
                self._failures.append(e)
                return

    def stop(self) -> None:
        """End the background thread; nothing happens where there is none. To be called before the file is closed."""
        if self._thread is not None:
            self._turns.put(False)
            self._thread.join()
            self._thread = None

    def finish(self) -> None:
        """`stop`, and raise what went wrong in the background."""
        self.stop()
        if self._failures:
            raise self._failures[0]
