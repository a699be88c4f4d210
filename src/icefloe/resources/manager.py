"""What belongs to one session: variables and other resources, random streams, and what its ops may do with files.

A resource is known by its container, its name and the class it is looked up as; ops of one kind look up the same class.
Cells of variables stay in place once made (a plan may hold them): clearing a container or destroying a handle empties
them.
"""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from icefloe import errors
from icefloe.process_options import OPTIONS
from icefloe.resources.variable import Variable

if TYPE_CHECKING:
    from icefloe.philox.stream import Stream

T = TypeVar("T")

DEFAULT_CONTAINER = "localhost"
FilePolicy = Literal["all", "read", "none"]


class ResourceManager:
    """The resources of one session. Safe to use from several threads.

    files: "all", "read" (ops may read files, not write them) or "none".
    allow_files: directories below which ops may read and write all the same.
    seed: keys random streams by node name with it, whatever the nodes' own seeds are; None: by the nodes' seeds.
    """

    seed: int | None = None

    def __init__(
        self,
        files: FilePolicy = "all",
        allow_files: Iterable[str | os.PathLike[str]] = (),
    ) -> None:
        self._set_files(files, allow_files)
        self._resources: dict[tuple[str, str, type[Any]], Any] = {}
        self._streams: dict[str, Stream] = {}
        self._states: dict[str, Any] = {}
        self._lock = threading.Lock()

    def fork(self) -> ResourceManager:
        """Return a manager of the same resources, under which nodes have random streams and states of their own."""
        other = copy.copy(self)
        other._streams, other._states = {}, {}
        return other

    def with_files(self, files: FilePolicy, allow_files: Iterable[str | os.PathLike[str]]) -> ResourceManager:
        """Return a fork whose ops may do something else with files."""
        other = self.fork()
        other._set_files(files, allow_files)
        return other

    def _set_files(self, files: FilePolicy, allow_files: Iterable[str | os.PathLike[str]]) -> None:
        if files not in ("all", "read", "none"):
            raise ValueError(f"files must be 'all', 'read' or 'none', got {files!r}")
        self.files = files
        self._allowed = tuple(map(_real, allow_files))
        self._readable: tuple[str, ...] = ()

    def let_read(self, directory: str | os.PathLike[str]) -> None:
        """Let ops read the files below `directory`, whatever else they may do with files."""
        self._readable = (*self._readable, _real(directory))

    def lookup(self, container: str, name: str, cls: type[T]) -> T:
        """Return the resource. Raises: NotFoundError if there is none of that class."""
        container = container or DEFAULT_CONTAINER
        found: T | None = self._resources.get((container, name, cls))
        if found is None:
            raise errors.NotFoundError(f"Resource {container}/{name}/{cls.__name__} does not exist.")
        return found

    def lookup_or_create(self, container: str, name: str, cls: type[T], factory: Callable[[], T]) -> T:
        """Return the resource; where there is none, make it by `factory`, which must not use the manager."""
        key = (container or DEFAULT_CONTAINER, name, cls)
        found: T | None = self._resources.get(key)
        if found is None:
            with self._lock:
                found = self._resources.get(key)
                if found is None:
                    found = self._resources[key] = factory()
        return found

    def delete(self, container: str, name: str, cls: type[Any]) -> None:
        """Delete the resource; a variable becomes uninitialized. Raises: NotFoundError if there is none."""
        found = self.lookup(container, name, cls)
        if isinstance(found, Variable):
            found.clear()
        else:
            self._resources.pop((container or DEFAULT_CONTAINER, name, cls), None)
            _close(found)

    def forget(self, resource: Any) -> bool:
        """Delete a resource that is no variable, wherever it is; return whether it was there."""
        with self._lock:
            keys = [key for key, found in self._resources.items() if found is resource]
            for key in keys:
                del self._resources[key]
        if keys:
            _close(resource)
        return bool(keys)

    def clear(self, container: str | None = None) -> None:
        """Delete all resources of `container`; None: of all containers, with the random streams and states of nodes."""
        with self._lock:
            for key, resource in list(self._resources.items()):
                if container is None or key[0] == container:
                    if isinstance(resource, Variable):
                        resource.clear()
                    else:
                        del self._resources[key]
                        _close(resource)
            if container is None:
                self._streams.clear()
                self._states.clear()

    def resources(self, cls: type[T]) -> list[T]:
        """Return all resources of class `cls`, oldest first."""
        return [r for r in list(self._resources.values()) if isinstance(r, cls)]

    def stream(self, node: str, seed: int, seed2: int) -> Stream:
        """Return the random stream of a node, which goes on over runs and plans; the seeds count when it is made."""
        if self.seed is not None:
            import hashlib

            digest = hashlib.blake2b(node.encode("utf-8", "surrogateescape"), digest_size=8).digest()
            seed, seed2 = self.seed, int.from_bytes(digest, "little", signed=True)
        elif seed == seed2 == 0 and OPTIONS.deterministic:
            raise errors.InvalidArgumentError(
                "When determinism is enabled, random ops must have a seed specified, but neither seed nor seed2 is set"
            )
        found = self._streams.get(node)
        if found is None:
            from icefloe.philox.stream import Stream

            with self._lock:
                found = self._streams.setdefault(node, Stream.from_seeds(seed, seed2))
        return found

    def node_state(self, node: str, factory: Callable[[], T]) -> T:
        """Return what a node keeps between runs, made by `factory` at first."""
        found: T | None = self._states.get(node)
        if found is None:
            with self._lock:
                found = self._states.get(node)
                if found is None:
                    found = self._states[node] = factory()
        return found

    def check_file(self, path: str | os.PathLike[str], action: Literal["read", "write"]) -> None:
        """Do nothing if this session's ops may read or write `path`. Raises: PermissionDeniedError otherwise."""
        if self.files == "all" or (self.files == "read" and action == "read"):
            return
        permitted = (*self._allowed, *self._readable) if action == "read" else self._allowed
        if permitted:
            real = _real(path)
            if any(real.startswith(d) for d in permitted):
                return
        raise errors.PermissionDeniedError(
            f"this session may not {action} files",
            path=path,
            hint=f"It was made with Config(files={self.files!r}); allow_files=[directory] permits one directory.",
        )


def _real(path: str | os.PathLike[str]) -> str:
    """Return the path that is meant, with a separator at its end."""
    return os.path.join(os.path.realpath(os.fspath(path)), "")


def _close(resource: Any) -> None:
    """Wake whatever waits for a resource that goes away."""
    close = getattr(resource, "close", None)
    if close is not None:
        close()
