# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.process_config import LogicalDeviceConfiguration as VirtualDeviceConfiguration
from icefloe.lib.process_config import enable_op_determinism as enable_op_determinism
from icefloe.lib.process_config import enable_tensor_float_32_execution as enable_tensor_float_32_execution
from icefloe.lib.process_config import get_device_details as get_device_details
from icefloe.lib.process_config import get_memory_growth as get_memory_growth
from icefloe.lib.process_config import get_logical_device_configuration as get_virtual_device_configuration
from icefloe.lib.process_config import get_visible_devices as get_visible_devices
from icefloe.lib.process_config import list_logical_devices as list_logical_devices
from icefloe.lib.process_config import list_physical_devices as list_physical_devices
from icefloe.lib.process_config import set_memory_growth as set_memory_growth
from icefloe.lib.process_config import set_logical_device_configuration as set_virtual_device_configuration
from icefloe.lib.process_config import set_visible_devices as set_visible_devices
from icefloe.lib.process_config import tensor_float_32_execution_enabled as tensor_float_32_execution_enabled


__all__ = [
    "VirtualDeviceConfiguration",
    "enable_op_determinism",
    "enable_tensor_float_32_execution",
    "get_device_details",
    "get_memory_growth",
    "get_virtual_device_configuration",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "set_memory_growth",
    "set_virtual_device_configuration",
    "set_visible_devices",
    "tensor_float_32_execution_enabled",
]
