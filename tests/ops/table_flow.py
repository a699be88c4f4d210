"""Ops of the device that a node runs on."""

from ops.case import Case

CASES = [Case("DeviceIndex", device_names=names) for names in (["CPU", "GPU"], ["GPU", "CPU"], ["GPU"], ["CPU"])]
