"""Servers of this process: sessions that name one as their target share its variables, queues and other resources.

A server is only that state; nothing listens on the network. It lives as long as the process does.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from icefloe.resources import ResourceManager
from icefloe.runtime.settings import Config

SCHEME = "inprocess://"


@dataclass(frozen=True, slots=True)
class LocalServer:
    """What the sessions of one target share. settings: those of sessions that have none of their own."""

    target: str
    manager: ResourceManager
    settings: Config


_SERVERS: dict[str, LocalServer] = {}
_numbers = itertools.count()


def start(name: str, settings: Config, beside: LocalServer | None = None) -> LocalServer:
    """Return a new server with a target of its own, which `name` is part of; it shares the state of `beside`."""
    target = f"{SCHEME}{name}/{next(_numbers)}"
    manager = ResourceManager(settings.files, settings.allow_files) if beside is None else beside.manager
    server = LocalServer(target, manager, settings)
    _SERVERS[target] = server
    return server


def find(target: bytes) -> LocalServer | None:
    """Return the server of a session's target, or None."""
    return _SERVERS.get(target.decode(errors="replace"))
