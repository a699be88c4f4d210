"""Options that hold for the whole process: what a session gets that is made without a config.

`tf.config` sets them. Source: tensorflow/python/eager/context.py (`Context.config`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from icefloe.proto import ConfigProto, OptimizerOptions, RewriterConfig

# What `set_experimental_options` takes: options that are on or off, and plain ones.
TOGGLES = (
    "layout_optimizer",
    "constant_folding",
    "shape_optimization",
    "remapping",
    "arithmetic_optimization",
    "dependency_optimization",
    "loop_optimization",
    "function_optimization",
    "debug_stripper",
    "scoped_allocator_optimization",
    "pin_to_host_optimization",
    "implementation_selector",
    "auto_mixed_precision",
    "use_plugin_optimizers",
    "auto_mixed_precision_onednn_bfloat16",
    "auto_mixed_precision_mkl",
)
PLAIN = ("disable_model_pruning", "disable_meta_optimizer", "min_graph_nodes")


@dataclass(slots=True)
class ProcessOptions:
    """What was set; None: not set.

    deterministic: random ops without a seed are refused, since their numbers differ from run to run. check_numerics:
    sessions stop at the first node that makes a NaN or an Inf, as `Config.check_numerics` lets one do. The other
    options say how TensorFlow spreads work over threads and devices and rewrites graphs; of these, `icefloe` heeds
    `intra_op_parallelism_threads`.
    """

    intra_op_parallelism_threads: int | None = None
    inter_op_parallelism_threads: int | None = None
    soft_device_placement: bool = False
    jit: str | None = None
    deterministic: bool = False
    check_numerics: bool = False
    log_device_placement: bool = False
    device_policy: str = "silent"
    synchronous: bool = True
    experimental: dict[str, Any] = field(default_factory=dict)

    def to_proto(self) -> ConfigProto:
        """Return them as a ConfigProto."""
        made: Any = ConfigProto(allow_soft_placement=self.soft_device_placement)
        made.device_count["CPU"] = 1
        made.log_device_placement = self.log_device_placement
        if self.intra_op_parallelism_threads is not None:
            made.intra_op_parallelism_threads = self.intra_op_parallelism_threads
        if self.inter_op_parallelism_threads is not None:
            made.inter_op_parallelism_threads = self.inter_op_parallelism_threads
        if self.jit is not None:
            level = OptimizerOptions.ON_1 if self.jit else OptimizerOptions.OFF
            made.graph_options.optimizer_options.global_jit_level = level
        rewrites = made.graph_options.rewrite_options
        for name, value in self.experimental.items():
            if name in TOGGLES:
                setattr(rewrites, name, RewriterConfig.ON if value else RewriterConfig.OFF)
            elif name in PLAIN:
                setattr(rewrites, name, value)
        return made


OPTIONS = ProcessOptions()
