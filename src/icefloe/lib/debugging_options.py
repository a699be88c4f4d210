"""`tf.debugging` and `tf.config.experimental`: what holds for the whole process while a program is looked into.

Source: tensorflow/python/framework/config.py, tensorflow/python/eager/context.py, tensorflow/python/debug/lib.
"""

from __future__ import annotations

import re
from typing import Any

from icefloe.process_options import OPTIONS

_POLICIES = ("silent", "silent_for_int32", "warn", "explicit")
_DEVICE = re.compile(r"(?:/(?:job|replica|task):[^/:]*)*(?:/device:|/?)([A-Za-z_]\w*):(\d+)$")


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Let sessions that are made from now on stop at the first node that makes a NaN or an Inf.

    The error, InvalidArgumentError, names the node, the line that made it, and what went in; TensorFlow adds nodes
    that check to what is built from now on. Such sessions run node by node, slowly, as with `Config(check_numerics=
    True)`. The arguments are taken for TensorFlow's sake: they say how it prints its stack.
    """
    OPTIONS.check_numerics = True


def disable_check_numerics() -> None:
    """Let sessions that are made from now on compute NaN and Inf again."""
    OPTIONS.check_numerics = False


def disable_traceback_filtering() -> None:
    """Do nothing: tracebacks of errors have all their frames."""


def enable_traceback_filtering() -> None:
    """Do nothing: tracebacks of errors have all their frames."""


def is_traceback_filtering_enabled() -> bool:
    """Return False: tracebacks of errors have all their frames."""
    return False


def get_log_device_placement() -> bool:
    """Return whether the configuration of sessions that have none of their own asks for the devices of nodes."""
    return OPTIONS.log_device_placement


def set_log_device_placement(enabled: bool) -> None:
    """Set `log_device_placement` in the configuration of sessions that have none of their own.

    There is one device, so nothing is printed.
    """
    OPTIONS.log_device_placement = bool(enabled)


def get_device_policy() -> str:
    """Return what was set by `set_device_policy`, at first "silent"."""
    return OPTIONS.device_policy


def set_device_policy(device_policy: str | None) -> None:
    """Say what happens to inputs that lie on another device than their op: there is one device, so it never happens.

    device_policy: "silent", "silent_for_int32", "warn", "explicit", or None for "silent".

    Raises: ValueError for others.
    """
    if device_policy is not None and device_policy not in _POLICIES:
        raise ValueError(
            f"Invalid argument `device_policy`: {device_policy!r}: expected one of {', '.join(map(repr, _POLICIES))}, "
            "or None"
        )
    OPTIONS.device_policy = device_policy or "silent"


def get_synchronous_execution() -> bool:
    """Return what was set by `set_synchronous_execution`, at first True."""
    return OPTIONS.synchronous


def set_synchronous_execution(enable: bool | None) -> None:
    """Say whether ops that are run at once are waited for. There are none: `Session.run` always waits."""
    OPTIONS.synchronous = enable is not False


def get_memory_info(device: str) -> dict[str, int]:
    """Return the bytes in use on a device and the most there were: 0 for the CPU, as in TensorFlow.

    `tracemalloc` and RunMetadata tell more. Raises: ValueError for what names no device, or one that is not there.
    """
    _check_device(device)
    return {"current": 0, "peak": 0}


def get_memory_usage(device: str) -> int:
    """Return the bytes in use on a device: 0 for the CPU. Raises: as `get_memory_info`."""
    return get_memory_info(device)["current"]


def reset_memory_stats(device: str) -> None:
    """Begin anew to look for the most bytes in use on a device. Raises: as `get_memory_info`."""
    _check_device(device)


def _check_device(device: Any) -> None:
    found = _DEVICE.match(str(device))
    if found is None:
        raise ValueError(
            f"Failed parsing device name: {device!r}. Note a valid device string should at least contain a device type "
            'and a device index, like "GPU:0".'
        )
    if found.groups() != ("CPU", "0"):
        raise ValueError(f"No matching devices found for {device!r}")


def enable_mlir_bridge() -> None:
    """Do nothing: there is no compiler whose intermediate form could be chosen."""


def disable_mlir_bridge() -> None:
    """Do nothing: there is no compiler whose intermediate form could be chosen."""
