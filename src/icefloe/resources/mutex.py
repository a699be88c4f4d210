"""`Mutex`: what one step at a time may hold, from the op that locks it to the last use of the lock that this made."""

from __future__ import annotations

from icefloe.resources.waiting import Arena, Attempt, Progress


class MutexLock:
    """The hold on a mutex. It ends with the last reference to this, as when a run has no more use for the tensor."""

    type_name = "SharedLockReleaser"

    def __init__(self, mutex: Mutex) -> None:
        self._mutex = mutex

    def __del__(self) -> None:
        self._mutex._release()


class Mutex(Arena):
    """What can be locked by one at a time; those who wait get it in their order. name: as errors call it."""

    def __init__(self, name: str) -> None:
        super().__init__(("Lock acquisition",))
        self.name = name
        self._is_locked = False

    def __repr__(self) -> str:
        return f"<Mutex {self.name!r}>"

    def acquire(self) -> Attempt:
        """Return what ends with a MutexLock, as soon as nobody else has one."""
        return self.submit(Attempt(self, 0, self._take))

    def _take(self, attempt: Attempt) -> Progress:
        if self._is_locked:
            return Progress.NONE
        self._is_locked = True
        attempt.end(MutexLock(self))
        return Progress.ENDED

    def _release(self) -> None:
        with self._lock:
            self._is_locked = False
            self.changed()
