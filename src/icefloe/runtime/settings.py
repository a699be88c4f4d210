"""Settings of a session: `Config`, or what a ConfigProto of TensorFlow says."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import Any

from icefloe import errors
from icefloe.process_options import OPTIONS
from icefloe.proto import ConfigProto
from icefloe.resources.manager import FilePolicy


def _from_environment() -> bool:
    return os.environ.get("ICEFLOE_DEBUG_ALIASING", "") not in ("", "0")


@dataclass(frozen=True, slots=True)
class Config:
    """Settings of a session.

    files: what ops may do with files: "all", "read" or "none".
    allow_files: directories below which ops may read and write all the same.
    engine: "auto", or "interpret", "codegen" or "general" to run every plan on that engine.
    cpu_devices: how many CPUs `list_devices` shows; ops run on one all the same.
    intra_op_parallelism_threads: how many threads may share the work of a large op; 0 for as many as there are cores.
    operation_timeout_in_ms: how long a run may take, where its RunOptions do not say; 0 for ever.
    seed: draw random numbers by this seed and the node's name, whatever seeds the graph has, so that a random op more
        in the graph changes no other's numbers. None: by the nodes' own seeds, as TensorFlow does.
    check_numerics: stop each run at the first node that makes a NaN or an Inf. It runs node by node, slowly.
    debug_aliasing: give kernels inputs that they cannot write to, and look whose memory their outputs are: a kernel
        that breaks its word fails with the name of the node. Slower. Environment variable ICEFLOE_DEBUG_ALIASING=1
        sets it for sessions that do not say.
    build_cost_model, build_cost_model_after: put a cost graph into the RunMetadata of every so manieth run of the same
        fetches and feeds, after so many; 0 for never. As in GraphOptions.
    """

    files: FilePolicy = "all"
    allow_files: tuple[str | os.PathLike[str], ...] = ()
    engine: str = "auto"
    cpu_devices: int = 1
    intra_op_parallelism_threads: int = 0
    operation_timeout_in_ms: int = 0
    seed: int | None = None
    check_numerics: bool = False
    debug_aliasing: bool = field(default_factory=_from_environment)
    build_cost_model: int = 0
    build_cost_model_after: int = 0


def checked_target(target: Any) -> bytes:
    """Return the target of a session. Raises: TypeError in TensorFlow's words if it is no string."""
    if target is None:
        return b""
    if not isinstance(target, (str, bytes)):
        hint = ""
        if isinstance(target, Config) or _is_config_proto(target):
            hint = '. Did you do "Session(config)" instead of "Session(config=config)"?'
        raise TypeError(f'Argument `target` must be a string, but got "{type(target).__name__}"{hint}')
    return target.encode() if isinstance(target, str) else target


def unknown_target(target: bytes) -> errors.NotFoundError:
    """Return the error for a target that is no server of this process."""
    return errors.NotFoundError(
        "No session factory registered for the given session options: "
        f'{{target: "{target.decode(errors="replace")}"}}: sessions run in this process, the target must be empty or '
        "that of a `train.Server`."
    )


def _is_config_proto(config: Any) -> bool:
    return getattr(getattr(config, "DESCRIPTOR", None), "full_name", None) == ConfigProto.DESCRIPTOR.full_name


def checked_config(config: Any) -> tuple[Config, bool]:
    """Return the settings, and whether `graph_def` shall have shapes."""
    settings, infers_shapes = _settings(config)
    if OPTIONS.check_numerics:
        settings = replace(settings, check_numerics=True)
    return settings, infers_shapes


def _settings(config: Any) -> tuple[Config, bool]:
    if config is None:
        return Config(intra_op_parallelism_threads=max(0, OPTIONS.intra_op_parallelism_threads or 0)), False
    if isinstance(config, Config):
        return config, False
    if not _is_config_proto(config):
        raise TypeError(f'Argument `config` must be a tf.ConfigProto, but got "{type(config).__name__}"')
    settings = Config(
        cpu_devices=config.device_count.get("CPU", 0) or 1,
        intra_op_parallelism_threads=max(0, config.intra_op_parallelism_threads),
        operation_timeout_in_ms=config.operation_timeout_in_ms,
        build_cost_model=config.graph_options.build_cost_model,
        build_cost_model_after=config.graph_options.build_cost_model_after,
    )
    return settings, bool(config.graph_options.infer_shapes)
