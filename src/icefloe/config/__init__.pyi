# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.process_config import LogicalDevice as LogicalDevice
from icefloe.lib.process_config import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from icefloe.lib.process_config import PhysicalDevice as PhysicalDevice
from icefloe.config import experimental as experimental
from icefloe.lib.process_config import functions_run_eagerly as experimental_functions_run_eagerly
from icefloe.lib.process_config import run_functions_eagerly as experimental_run_functions_eagerly
from icefloe.lib.process_config import functions_run_eagerly as functions_run_eagerly
from icefloe.lib.process_config import get_logical_device_configuration as get_logical_device_configuration
from icefloe.lib.process_config import get_soft_device_placement as get_soft_device_placement
from icefloe.lib.process_config import get_visible_devices as get_visible_devices
from icefloe.lib.process_config import list_logical_devices as list_logical_devices
from icefloe.lib.process_config import list_physical_devices as list_physical_devices
from icefloe.config import optimizer as optimizer
from icefloe.lib.process_config import run_functions_eagerly as run_functions_eagerly
from icefloe.lib.process_config import set_logical_device_configuration as set_logical_device_configuration
from icefloe.lib.process_config import set_soft_device_placement as set_soft_device_placement
from icefloe.lib.process_config import set_visible_devices as set_visible_devices
from icefloe.config import threading as threading


__all__ = [
    "LogicalDevice",
    "LogicalDeviceConfiguration",
    "PhysicalDevice",
    "experimental",
    "experimental_functions_run_eagerly",
    "experimental_run_functions_eagerly",
    "functions_run_eagerly",
    "get_logical_device_configuration",
    "get_soft_device_placement",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "optimizer",
    "run_functions_eagerly",
    "set_logical_device_configuration",
    "set_soft_device_placement",
    "set_visible_devices",
    "threading",
]
