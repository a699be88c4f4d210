"""`tf.config`: the devices of this process, and options of sessions that are made without a config.

There is one device, the CPU. Source: tensorflow/python/framework/config.py, tensorflow/python/eager/context.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from icefloe import errors
from icefloe.process_options import OPTIONS, PLAIN, TOGGLES
from icefloe.proto import RewriterConfig


class PhysicalDevice(NamedTuple):
    """A device of this machine."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device that nodes can be placed on."""

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """What a part of a physical device may use. memory_limit: in MB."""

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Return the devices, or those of a type: the CPU is the only one."""
    return [_CPU] if device_type in (None, "CPU") else []


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """Return the devices that nodes can be placed on, or those of a type."""
    return [LogicalDevice("/device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Return the devices that sessions use, or those of a type."""
    return list_physical_devices(device_type)


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Choose the devices that sessions use: nothing to choose, since the CPU is always used.

    Raises: ValueError for what is no device, or none of that type.
    """
    for device in devices if isinstance(devices, Sequence) and not isinstance(devices, tuple) else [devices]:
        if device not in list_physical_devices(device_type):
            raise ValueError(f"Unrecognized device: {device!r}")


def get_logical_device_configuration(device: Any) -> None:
    """Return None: the CPU is one device. Raises: ValueError for what is no device."""
    _checked(device)


def set_logical_device_configuration(device: Any, logical_devices: Sequence[Any]) -> None:
    """Cut a device into several.

    Raises: ValueError for what is no device, UnimplementedError for more than one part; a session shows several CPUs
    where its ConfigProto's `device_count` says so.
    """
    _checked(device)
    if len(logical_devices) > 1:
        raise errors.UnimplementedError(
            f"{device.name} cannot be cut into {len(logical_devices)} devices: the CPU is one device",
            hint="tf.ConfigProto(device_count={'CPU': n}) makes a session list n CPUs",
        )


def _checked(device: Any) -> None:
    if device != _CPU:
        raise ValueError(f"Unrecognized device: {device!r}")


def get_device_details(device: Any) -> dict[str, Any]:
    """Return what is known of a device: nothing of the CPU. Raises: ValueError for what is no device."""
    if not isinstance(device, PhysicalDevice):
        raise ValueError(f"device must be a tf.config.PhysicalDevice, but got: {device}")  # noqa: TRY004 (as TensorFlow)
    return {}


def get_memory_growth(device: Any) -> bool:
    """Return whether a GPU takes memory as needed. Raises: ValueError, as there is no GPU."""
    raise ValueError(f"Cannot get memory growth on non-GPU and non-Pluggable devices: {device!r}")


def set_memory_growth(device: Any, enable: bool) -> None:
    """Let a GPU take memory as needed. Raises: ValueError, as there is no GPU."""
    raise ValueError(f"Cannot set memory growth on non-GPU and non-Pluggable devices: {device!r}")


def functions_run_eagerly() -> bool:
    """Return False: functions are graphs."""
    return False


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Let functions be graphs. Raises: UnimplementedError for True."""
    if run_eagerly:
        raise errors.UnimplementedError("functions cannot run eagerly: icefloe builds and runs graphs")


def get_soft_device_placement() -> bool:
    """Return whether nodes may run on other devices than they are put on."""
    return OPTIONS.soft_device_placement


def set_soft_device_placement(enabled: bool) -> None:
    """Let nodes run on other devices than they are put on. All run on the CPU in any case."""
    OPTIONS.soft_device_placement = bool(enabled)


def get_intra_op_parallelism_threads() -> int:
    """Return how many threads may share the work of a large op; 0 for as many as there are cores."""
    return OPTIONS.intra_op_parallelism_threads or 0


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Set how many threads may share the work of a large op, in sessions that are made from now on."""
    OPTIONS.intra_op_parallelism_threads = num_threads


def get_inter_op_parallelism_threads() -> int:
    """Return how many ops may run at a time, as it was set."""
    return OPTIONS.inter_op_parallelism_threads or 0


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Say how many ops may run at a time. A session runs one at a time, besides those that wait."""
    OPTIONS.inter_op_parallelism_threads = num_threads


def get_optimizer_jit() -> str:
    """Return "autoclustering" if that was asked for, else an empty text."""
    return OPTIONS.jit or ""


def set_optimizer_jit(enabled: bool | str) -> None:
    """Ask for compilation: "autoclustering" or True. Sessions say so in their config; it changes nothing else.

    Raises: ValueError for other texts.
    """
    if isinstance(enabled, str) and enabled not in ("", "autoclustering"):
        raise ValueError(f"Unrecognized optimizer jit mode: {enabled!r}: expected 'autoclustering' or ''")
    OPTIONS.jit = "autoclustering" if enabled else ""


def get_optimizer_experimental_options() -> dict[str, Any]:
    """Return the options of graph rewriting that are set."""
    rewrites: Any = OPTIONS.to_proto().graph_options.rewrite_options
    found: dict[str, Any] = {
        name: getattr(rewrites, name) == RewriterConfig.ON for name in TOGGLES if getattr(rewrites, name)
    }
    found.update((name, getattr(rewrites, name)) for name in PLAIN[:2])
    if rewrites.min_graph_nodes:
        found["min_graph_nodes"] = rewrites.min_graph_nodes
    return found


def set_optimizer_experimental_options(options: Mapping[str, Any]) -> None:
    """Set options of graph rewriting by name; names that TensorFlow does not know are left alone, as it does."""
    OPTIONS.experimental.update(options)


def enable_op_determinism() -> None:
    """Refuse random ops without a seed: their numbers differ from run to run. All other ops are deterministic."""
    OPTIONS.deterministic = True


def disable_op_determinism() -> None:
    """Let random ops have no seed again."""
    OPTIONS.deterministic = False


def is_op_determinism_enabled() -> bool:
    """Whether random ops need a seed."""
    return OPTIONS.deterministic


def tensor_float_32_execution_enabled() -> bool:
    """Return False: no product is rounded to TensorFloat-32."""
    return False


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Let GPUs round products to TensorFloat-32; there is none, and all products are exact float32 either way."""
