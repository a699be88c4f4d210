"""`SessionTensor`: a tensor that a session keeps between runs."""

from __future__ import annotations

from typing import Any


class SessionTensor:
    """A tensor that a session keeps; its handle, where that is a resource, is this."""

    def __init__(self, value: Any) -> None:
        self.value = value
