"""`replica_device_setter`: variables go to the parameter servers in turn, all else to the worker.

Source: tensorflow/python/training/device_setter.py (rules and messages).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from icefloe.graph.device_spec import DeviceSpec
from icefloe.lib import messages
from icefloe.training.cluster import ClusterSpec

STANDARD_PS_OPS = (
    "Variable",
    "VariableV2",
    "AutoReloadVariable",
    "MutableHashTable",
    "MutableHashTableV2",
    "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2",
    "MutableDenseHashTable",
    "MutableDenseHashTableV2",
    "VarHandleOp",
    "BoostedTreesEnsembleResourceHandleOp",
    "BoostedTreesQuantileStreamResourceHandleOp",
    "ResourceConditionalAccumulator",
    "DecisionTreeResource",
)


def _each_in_turn(count: int) -> Callable[[Any], int]:
    numbers = itertools.cycle(range(count))
    return lambda op: next(numbers)


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Iterable[str] | None = None,
    ps_strategy: Callable[[Any], int] | None = None,
) -> Callable[[Any], str] | None:
    """Return a function for `device` that places the variables of a model, or None where there is no server for them.

    ps_tasks: how many servers there are, those of `cluster` (a ClusterSpec, or what makes one) if that is given.
    ps_device, worker_device: jobs of the servers and of this worker. merge_devices: keep what an op says of its device
    and add what it does not. ps_ops: types of the ops that go to servers, those of variables and tables if None.
    ps_strategy: gives the server's number for an op; each in turn if None.

    Raises: TypeError for a `cluster` that is none, or a `ps_strategy` that cannot be called.
    """
    if cluster is not None:
        jobs = ClusterSpec(cluster).as_dict()
        job = DeviceSpec.from_string(ps_device).job
        if job not in jobs:
            return None
        ps_tasks = len(jobs[job])
    if ps_tasks == 0:
        return None
    served = frozenset(STANDARD_PS_OPS if ps_ops is None else ps_ops)
    if not merge_devices:
        messages.warning("DEPRECATION: It is recommended to set merge_devices=true in replica_device_setter")
    if ps_strategy is None:
        ps_strategy = _each_in_turn(ps_tasks)
    if not callable(ps_strategy):
        raise TypeError("ps_strategy must be callable")

    def device_of(op: Any) -> str:
        if not merge_devices and op.device:
            return str(op.device)
        current = DeviceSpec.from_string(op.device or "")
        op_type = op.type if hasattr(op, "type") else op.op
        if not (ps_device and op_type in served):
            return DeviceSpec.from_string(worker_device or "").make_merged_spec(current).to_string()
        server = DeviceSpec.from_string(ps_device)
        if server.job and (not current.job or current.job == server.job):
            server = server.replace(task=ps_strategy(op))
        return server.make_merged_spec(current).to_string()

    return device_of
