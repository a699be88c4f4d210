"""Where tasks run: threads or processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from icefloe import errors
from icefloe.checkpoint import files

_HERE = {
    "threads": "threads",
    "processes": "processes",
    "sync": "synchronous",
    "synchronous": "synchronous",
    "single-threaded": "synchronous",
}
_ADDRESS = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")
_CONNECT_SECONDS = 10
# Called with the number and the result of each task when it is done.
Done = Callable[[int, Any], None]


def import_dask() -> Any:
    """Return the module dask, with its arrays. Raises: UnimplementedError if it is not installed."""
    try:
        import dask
        import dask.array
    except ImportError:
        hint = "Install it with: pip install 'icefloe[dask]'"
        raise errors.UnimplementedError("this needs Dask", hint=hint) from None
    return dask


@contextlib.contextmanager
def cluster(scheduler: Any) -> Iterator[Cluster]:
    """Give what runs tasks, to be used in a `with` block.

    scheduler: "threads", "processes", "sync"; the address of a cluster, such as "tcp://10.0.0.1:8786"; a
    `distributed.Client`; None for Dask's own choice, which is the current client where there is one.

    Raises: UnimplementedError if Dask is not installed, UnavailableError if nobody answers at the address,
    InvalidArgumentError for anything else.
    """
    dask = import_dask()
    if scheduler is None:
        yield _Local(dask, None)
    elif isinstance(scheduler, str) and scheduler in _HERE:
        yield _Local(dask, _HERE[scheduler])
    elif isinstance(scheduler, str) and scheduler.startswith(_ADDRESS):
        with _connected(scheduler) as client:
            yield _Remote(client)
    elif hasattr(scheduler, "submit") and hasattr(scheduler, "scheduler_info"):
        yield _Remote(scheduler)
    else:
        raise errors.InvalidArgumentError(
            f"no scheduler {scheduler!r}: expected threads, processes, sync, or an address such as tcp://10.0.0.1:8786"
        )


class Cluster:
    """Runs tasks. workers: how many run at once."""

    workers: int

    def run(self, tasks: Sequence[Callable[[], Any]], done: Done | None = None) -> list[Any]:
        """Return the results of `tasks`, in their order. Raises: what the first that fails raises, also AbortedError
        if its worker died.
        """
        raise NotImplementedError

    def compute(self, delayed: Sequence[Any]) -> list[Any]:
        """Return the results of delayed values. Raises: as `run`."""
        raise NotImplementedError


class _Local(Cluster):
    def __init__(self, dask: Any, scheduler: str | None) -> None:
        self._dask = dask
        self._scheduler = scheduler
        client = _current_client() if scheduler is None else None
        self.workers = _threads_of(client) if client else 1 if scheduler == "synchronous" else os.cpu_count() or 1

    def run(self, tasks: Sequence[Callable[[], Any]], done: Done | None = None) -> list[Any]:
        results = self.compute([self._dask.delayed(task, pure=False)() for task in tasks])
        for i, result in enumerate(results):
            if done is not None:
                done(i, result)
        return results

    def compute(self, delayed: Sequence[Any]) -> list[Any]:
        chosen = {} if self._scheduler is None else {"scheduler": self._scheduler}
        with _workers_errors():
            return list(self._dask.compute(*delayed, **chosen))


class _Remote(Cluster):
    def __init__(self, client: Any) -> None:
        self._client = client
        self.workers = _threads_of(client)

    def run(self, tasks: Sequence[Callable[[], Any]], done: Done | None = None) -> list[Any]:
        import distributed

        completed: Any = distributed.as_completed
        # A task that writes must not be taken for another that wrote the same once.
        futures = [self._client.submit(task, pure=False) for task in tasks]
        numbers = {future.key: i for i, future in enumerate(futures)}
        results: list[Any] = [None] * len(futures)
        try:
            with _workers_errors():
                for future in completed(futures, loop=self._client.loop):
                    i = numbers[future.key]
                    results[i] = future.result()
                    if done is not None:
                        done(i, results[i])
        finally:
            self._client.cancel(futures)
        return results

    def compute(self, delayed: Sequence[Any]) -> list[Any]:
        futures = self._client.compute(list(delayed))
        with _workers_errors():
            return list(self._client.gather(futures))


@contextlib.contextmanager
def _connected(address: str) -> Iterator[Any]:
    try:
        import distributed
    except ImportError:
        raise errors.UnimplementedError(
            "a cluster needs the package distributed", hint="Install it with: pip install 'icefloe[dask]'"
        ) from None
    connect: Any = distributed.Client
    try:
        client = connect(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as e:
        raise errors.UnavailableError(f"no Dask scheduler answers at {address}: {e}") from None
    with client:
        if not client.scheduler_info()["workers"]:
            raise errors.UnavailableError(f"the Dask scheduler at {address} has no workers")
        yield client


@contextlib.contextmanager
def _workers_errors() -> Iterator[None]:
    try:
        yield
    except Exception as e:
        if type(e).__name__ in ("KilledWorker", "CommClosedError", "FutureCancelledError", "FuturesCancelledError"):
            raise errors.AbortedError(f"a Dask worker died: {e}") from None
        raise


def _current_client() -> Any:
    try:
        from distributed import get_client

        return get_client()
    except (ImportError, ValueError):
        return None


def _threads_of(client: Any) -> int:
    return max(sum(client.nthreads().values()), 1)


def absolute(path: str | os.PathLike[str]) -> str:
    """Return a path as a worker with another working directory finds it."""
    text = files.path_of(path)
    return text if files.is_url(text) else os.path.abspath(text)


def shares(sizes: Sequence[int], count: int) -> list[list[int]]:
    """Return the numbers 0 to len(sizes) - 1 in `count` groups of about equal size, each in order; some are empty where
    there are fewer numbers.
    """
    groups: list[list[int]] = [[] for _ in range(count)]
    totals = [0] * len(groups)
    for i in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
        smallest = min(range(len(groups)), key=lambda g: (totals[g], len(groups[g])))
        groups[smallest].append(i)
        totals[smallest] += sizes[i]
    return [sorted(group) for group in groups]
