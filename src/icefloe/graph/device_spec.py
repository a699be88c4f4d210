"""Device strings such as `/job:ps/task:0/device:CPU:0`: read, written and merged.

Source: tensorflow/python/framework/device_spec.py (forms and messages).
"""

from __future__ import annotations

from typing import Any

_DEVICE_TYPES = frozenset(("CPU", "GPU", "TPU", "CUSTOM", "EPU", "XLA_CPU", "XLA_GPU"))
_FIELDS = ("job", "replica", "task", "device_type", "device_index")


class DeviceSpec:
    """The parts of a device string; a part that is None is not given."""

    __slots__ = ("_device_index", "_device_type", "_job", "_replica", "_task")

    def __init__(
        self,
        job: Any = None,
        replica: Any = None,
        task: Any = None,
        device_type: Any = None,
        device_index: Any = None,
    ) -> None:
        self.job = job
        self.replica = replica
        self.task = task
        self.device_type = device_type
        self.device_index = device_index

    @property
    def job(self) -> str | None:
        """The name of the job."""
        return self._job

    @job.setter
    def job(self, value: Any) -> None:
        self._job = None if value is None else str(value)

    @property
    def replica(self) -> int | None:
        """The number of the replica."""
        return self._replica

    @replica.setter
    def replica(self, value: Any) -> None:
        self._replica = None if value is None else int(value)

    @property
    def task(self) -> int | None:
        """The number of the task in its job."""
        return self._task

    @task.setter
    def task(self, value: Any) -> None:
        self._task = None if value is None else int(value)

    @property
    def device_type(self) -> str | None:
        """`CPU`, `GPU`, ..."""
        return self._device_type

    @device_type.setter
    def device_type(self, value: Any) -> None:
        self._device_type = value.upper() if value in ("cpu", "gpu") else None if value is None else str(value)

    @property
    def device_index(self) -> int | None:
        """The number of the device of its type."""
        return self._device_index

    @device_index.setter
    def device_index(self, value: Any) -> None:
        self._device_index = None if value is None else int(value)

    def _parts(self) -> tuple[Any, ...]:
        return (self._job, self._replica, self._task, self._device_type, self._device_index)

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """Return the DeviceSpec of a device string. Raises: ValueError if it is none."""
        return cls(*_parse(spec))

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """Take the parts of a device string and return self. Raises: ValueError if it is none."""
        self.job, self.replica, self.task, self.device_type, self.device_index = _parse(spec)
        return self

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """Return the parts of `dev`, and of this one where `dev` has none."""
        return DeviceSpec(*[b if a is None else a for a, b in zip(dev._parts(), self._parts())])

    def merge_from(self, dev: DeviceSpec) -> None:
        """Take over the parts that `dev` has."""
        merged = self.make_merged_spec(dev)
        self.job, self.replica, self.task, self.device_type, self.device_index = merged._parts()

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """Return a copy with some parts changed."""
        return DeviceSpec(**{**dict(zip(_FIELDS, self._parts())), **kwargs})

    def to_string(self) -> str:
        """Return the device string."""
        text = ""
        if self._job is not None:
            text += f"/job:{self._job}"
        if self._replica is not None:
            text += f"/replica:{self._replica}"
        if self._task is not None:
            text += f"/task:{self._task}"
        if self._device_type is not None:
            text += f"/device:{self._device_type}:{'*' if self._device_index is None else self._device_index}"
        return text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def __repr__(self) -> str:
        parts = ", ".join(f"{field}={value}" for field, value in zip(_FIELDS, self._parts()))
        return f"<DeviceSpec({parts})>"


def _parse(spec: str | None) -> tuple[Any, ...]:
    found: dict[str, Any] = dict.fromkeys(_FIELDS)

    def put_device(kind: str, index: str) -> None:
        if found["device_type"] is not None:
            raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {spec}.")
        found["device_type"] = kind
        if index != "*":
            found["device_index"] = int(index)

    for piece in (spec or "").split("/"):
        words = piece.split(":")
        if len(words) == 2 and words[0] in ("job", "replica", "task"):
            found[words[0]] = words[1]
        elif len(words) <= 2 and words[0].upper() in _DEVICE_TYPES:
            put_device(words[0].upper(), words[1] if len(words) == 2 else "*")
        elif len(words) == 3 and words[0] == "device":
            put_device(words[1], words[2])
        elif words[0]:
            raise ValueError(f"Unknown attribute '{words[0]}' is encountered while parsing the device spec: '{spec}'.")
    return tuple(found.values())


def canonical_name(device: Any) -> str:
    """Return a device string or DeviceSpec as a device string in its full form; empty for None."""
    if device is None:
        return ""
    return (device if isinstance(device, DeviceSpec) else DeviceSpec.from_string(device)).to_string()


class MergeDevice:
    """A device function that gives an op the parts of `spec` which its device string lacks."""

    __slots__ = ("_merged", "_spec")

    def __init__(self, spec: Any) -> None:
        if spec is None or isinstance(spec, str):
            self._spec = DeviceSpec.from_string(spec or "")
        else:
            self._spec = spec.make_merged_spec(DeviceSpec())
        self._merged: dict[str, str] = {}

    def __call__(self, node_def: Any) -> DeviceSpec:
        return self._spec.make_merged_spec(DeviceSpec.from_string(node_def.device or ""))

    def merge_string(self, device: str) -> str:
        """Return `device` with the parts it lacks."""
        found = self._merged.get(device)
        if found is None:
            found = self._merged[device] = self._spec.make_merged_spec(DeviceSpec.from_string(device)).to_string()
        return found

    @property
    def is_null_merge(self) -> bool:
        """Whether it changes nothing."""
        return not self._spec.to_string()


def merge_device(spec: Any) -> MergeDevice:
    """Return `spec`, a device string or DeviceSpec or None for one without parts, as a device function."""
    return spec if isinstance(spec, MergeDevice) else MergeDevice(spec)


class DeviceScope:
    """One device block: a device string, a DeviceSpec, a function of the op, or None to ignore the blocks outside."""

    __slots__ = ("function", "is_null_merge")

    def __init__(self, device_name_or_function: Any) -> None:
        self.function: Any = device_name_or_function
        if device_name_or_function is not None and not callable(device_name_or_function):
            self.function = merge_device(device_name_or_function)
        self.is_null_merge = isinstance(self.function, MergeDevice) and self.function.is_null_merge

    def device_for(self, op: Any) -> str:
        """Return the device string of `op` in this scope."""
        if isinstance(self.function, MergeDevice):
            return self.function.merge_string(op.device)
        device = self.function(op)
        if device is None:
            return ""
        return (
            device.decode() if isinstance(device, bytes) else device if isinstance(device, str) else device.to_string()
        )
