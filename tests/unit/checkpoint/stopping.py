"""A save that is stopped at any of its file-system calls, or watched at each."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from icefloe.checkpoint import files

CALLS = (
    "create", "write", "copy", "sync", "sync_file", "sync_directory", "rename", "remove", "make_directory", "remove_directory"
)  # fmt: skip


class Killed(BaseException):
    """The process died here."""


class Machine:
    """Counts the file-system calls of checkpoints.

    at: the number of the call, from 1, at which something happens. what: "kill" dies before the call, "torn" in the
    middle of it if it is a write, "full" makes that call fail for want of space and goes on. watch: called before
    each call.
    """

    def __init__(self, at: int = 0, what: str = "kill", watch: Callable[[], None] | None = None) -> None:
        self.count = 0
        self._at = at
        self._what = what
        self._watch = watch
        self._dead = False
        self._fds: set[int] = set()

    @property
    def struck(self) -> bool:
        return self.count >= self._at > 0

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            for name in CALLS:
                patch.setattr(files, name, self._stopping(name, getattr(files, name)))
            patch.setattr(files, "close", self._close)
            try:
                yield
            except Killed:
                pass
            finally:
                for fd in self._fds:  # as the system does for a dead process; its locks go with them
                    os.close(fd)

    def _close(self, fd: int) -> None:
        self._fds.discard(fd)
        os.close(fd)

    def _stopping(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def stopping(*args: Any) -> Any:
            if self._dead:
                raise Killed
            self.count += 1
            if self._watch is not None:
                self._watch()
            if self.count == self._at:
                if self._what == "full":
                    raise files.os_error(OSError(errno.ENOSPC, ""), str(args[-1]))
                self._dead = True
                if self._what == "torn" and name == "write":
                    call(args[0], memoryview(args[1])[: len(args[1]) // 2], args[2])
                raise Killed
            result = call(*args)
            if name == "create":
                self._fds.add(result)
            return result

        return stopping
