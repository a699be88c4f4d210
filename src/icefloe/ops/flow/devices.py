"""DeviceIndex: which of several devices a node runs on. Models choose between implementations by it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe.graph.registry import kernel, not_differentiable, shape
from icefloe.graph.shape_inference import scalar

not_differentiable("DeviceIndex")


@kernel("DeviceIndex", factory=True)
def device_index(*, device_names: tuple[str, ...]) -> Callable[[], Any]:
    """The place of "CPU" among the names, or their number where it is not among them."""
    index = np.int32(device_names.index("CPU") if "CPU" in device_names else len(device_names))
    return lambda: index


shape("DeviceIndex")(scalar)
