"""The devices that a session shows."""

from __future__ import annotations

from dataclasses import dataclass

from icefloe.graph.device_spec import canonical_name


@dataclass(frozen=True, slots=True, repr=False)
class DeviceAttributes:
    """A device of a session. memory_limit_bytes: 0, there is no limit but the machine's."""

    name: str
    device_type: str
    memory_limit_bytes: int
    incarnation: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", canonical_name(self.name))

    def __repr__(self) -> str:
        return f"_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes}, {self.incarnation})"
