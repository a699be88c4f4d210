# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.process_config import LogicalDeviceConfiguration as VirtualDeviceConfiguration
from icefloe.lib.debugging_options import disable_mlir_bridge as disable_mlir_bridge
from icefloe.lib.debugging_options import enable_mlir_bridge as enable_mlir_bridge
from icefloe.lib.process_config import enable_op_determinism as enable_op_determinism
from icefloe.lib.process_config import enable_tensor_float_32_execution as enable_tensor_float_32_execution
from icefloe.lib.process_config import get_device_details as get_device_details
from icefloe.lib.debugging_options import get_device_policy as get_device_policy
from icefloe.lib.process_config import get_memory_growth as get_memory_growth
from icefloe.lib.debugging_options import get_memory_info as get_memory_info
from icefloe.lib.debugging_options import get_memory_usage as get_memory_usage
from icefloe.lib.debugging_options import get_synchronous_execution as get_synchronous_execution
from icefloe.lib.process_config import get_logical_device_configuration as get_virtual_device_configuration
from icefloe.lib.process_config import get_visible_devices as get_visible_devices
from icefloe.lib.process_config import list_logical_devices as list_logical_devices
from icefloe.lib.process_config import list_physical_devices as list_physical_devices
from icefloe.lib.debugging_options import reset_memory_stats as reset_memory_stats
from icefloe.lib.debugging_options import set_device_policy as set_device_policy
from icefloe.lib.process_config import set_memory_growth as set_memory_growth
from icefloe.lib.debugging_options import set_synchronous_execution as set_synchronous_execution
from icefloe.lib.process_config import set_logical_device_configuration as set_virtual_device_configuration
from icefloe.lib.process_config import set_visible_devices as set_visible_devices
from icefloe.lib.process_config import tensor_float_32_execution_enabled as tensor_float_32_execution_enabled


__all__ = [
    "VirtualDeviceConfiguration",
    "disable_mlir_bridge",
    "enable_mlir_bridge",
    "enable_op_determinism",
    "enable_tensor_float_32_execution",
    "get_device_details",
    "get_device_policy",
    "get_memory_growth",
    "get_memory_info",
    "get_memory_usage",
    "get_synchronous_execution",
    "get_virtual_device_configuration",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "reset_memory_stats",
    "set_device_policy",
    "set_memory_growth",
    "set_synchronous_execution",
    "set_virtual_device_configuration",
    "set_visible_devices",
    "tensor_float_32_execution_enabled",
]
