"""What a RunMetadata message says of a run: times and sizes of each node, its cost, the graph that ran.

Source: tensorflow/core/common_runtime/step_stats_collector.cc, graph_execution_state.cc (names of arguments and
results), direct_session.cc (when what is filled in).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.operation import Operation
from icefloe.ops.flow.dead import DEAD
from icefloe.proto import CostGraphDef, GraphDef, NodeExecStats, RunMetadata, RunOptions, TensorDescription
from icefloe.resources import Variable
from icefloe.runtime.observing import Record
from icefloe.runtime.plan import Plan
from icefloe.runtime.settings import Config

_CPU = "/job:localhost/replica:0/task:0/device:CPU:"
# The number of a CPU in a device string: "/cpu:1", "/job:localhost/device:CPU:1".
_NUMBER = re.compile(r"cpu:(\d+)", re.IGNORECASE)
_ALLOCATOR = "cpu"


class Recording:
    """Collects what a RunMetadata is to hold. `observer` is None where nothing of it needs one."""

    def __init__(self, options: Any, settings: Config, runs: int) -> None:
        """options: a RunOptions or None. runs: how many runs of the same fetches and feeds the session has had."""
        level = RunOptions.NO_TRACE if options is None else options.trace_level
        self.wants_stats = level > RunOptions.NO_TRACE
        self.wants_graphs = options is not None and options.output_partition_graphs
        past = runs - settings.build_cost_model_after
        every = settings.build_cost_model
        self.wants_costs = every > 0 and past >= 0 and (past + 1) % every == 0
        self.observer = self._observe if self.wants_stats or self.wants_costs else None
        self._devices = settings.cpu_devices
        self._records: list[tuple[Record, list[TensorDescription | None]]] = []
        self._lock = threading.Lock()

    def _observe(self, record: Record) -> None:
        # Values are described now, so that they need not live on.
        described = [_description(value) for value in record.outputs]
        with self._lock:
            self._records.append((record, described))

    def fill(self, metadata: Any, plan: Plan) -> None:
        """Make `metadata`, a message of ours or TensorFlow's, hold what was asked for, and nothing else."""
        made = RunMetadata()
        if self.wants_stats:
            devices: dict[str, Any] = {}
            threads: dict[int, int] = {}
            for record, described in sorted(self._records, key=lambda pair: pair[0].start):
                name = self._device(record.op)
                if name not in devices:
                    devices[name] = made.step_stats.dev_stats.add(device=name)
                thread = threads.setdefault(record.thread, len(threads))
                devices[name].thread_names[thread] = "run" if thread == 0 else f"step thread {thread}"
                devices[name].node_stats.append(_node_stats(record, described, thread))
        if self.wants_costs:
            made.cost_graph.CopyFrom(_cost_graph(plan, self._records, self._device))
        if self.wants_graphs:
            made.partition_graphs.append(_graph_of(plan, self._device))
        metadata.Clear()
        metadata.MergeFromString(made.SerializeToString())

    def _device(self, op: Operation) -> str:
        """Return the CPU that a node asks for, where the session shows so many; else the first one."""
        found = _NUMBER.search(op.device)
        number = 0 if found is None else int(found[1])
        return f"{_CPU}{number if number < self._devices else 0}"


def _description(value: Any) -> TensorDescription | None:
    """Return dtype, shape and size of a value, or None for one that is dead."""
    if value is DEAD:
        return None
    if isinstance(value, Variable):
        value = value.array
    made = TensorDescription()
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype != object:
        made.dtype = datatypes.as_dtype(value.dtype).as_datatype_enum
        for size in value.shape:
            made.shape.dim.add(size=size)
        made.allocation_description.requested_bytes = value.nbytes
        made.allocation_description.allocated_bytes = value.nbytes
        made.allocation_description.allocator_name = _ALLOCATOR
        if isinstance(value, np.ndarray):
            made.allocation_description.ptr = value.__array_interface__["data"][0]
    elif isinstance(value, np.ndarray) and all(isinstance(item, bytes) for item in value.flat):
        made.dtype = datatypes.string.as_datatype_enum
        for size in value.shape:
            made.shape.dim.add(size=size)
        made.allocation_description.requested_bytes = sum(map(len, value.flat))
        made.allocation_description.allocator_name = _ALLOCATOR
    else:
        made.dtype = datatypes.resource.as_datatype_enum
        made.shape.SetInParent()
    return made


def _node_stats(record: Record, described: Sequence[TensorDescription | None], thread: int) -> NodeExecStats:
    micros, nanos = record.start // 1000, record.nanoseconds
    names = ", ".join(_input_names(record.op))
    stats = NodeExecStats(
        node_name=record.name,
        all_start_micros=micros,
        op_end_rel_micros=max(1, round(nanos / 1000)),
        all_end_rel_micros=max(1, round(nanos / 1000)),
        timeline_label=f"{record.name} = {record.op.type}({names})",
        scheduled_micros=micros,
        thread_id=thread,
        all_start_nanos=record.start,
        op_end_rel_nanos=nanos,
        all_end_rel_nanos=nanos,
        scheduled_nanos=record.start,
    )
    size = 0
    for slot, description in enumerate(described):
        if description is not None:
            stats.output.add(slot=slot, tensor_description=description)
            size += description.allocation_description.allocated_bytes
    if size:
        stats.memory.add(allocator_name=_ALLOCATOR, total_bytes=size, peak_bytes=size, live_bytes=size)
    return stats


def _input_names(op: Operation) -> list[str]:
    return [t.op.name if t.value_index == 0 else t.name for t in op.inputs] + [f"^{c.name}" for c in op.control_inputs]


def _cost_graph(
    plan: Plan,
    records: Sequence[tuple[Record, Sequence[TensorDescription | None]]],
    device: Callable[[Operation], str],
) -> CostGraphDef:
    """Return the plan's nodes with their times in microseconds and their outputs' sizes, of the last iteration."""
    seen = {id(record.op): (record, described) for record, described in records}
    micros: dict[int, int] = {}
    for record, _ in records:
        micros[id(record.op)] = micros.get(id(record.op), 0) + max(1, round(record.nanoseconds / 1000))
    numbers = {step.node: i for i, step in enumerate(plan.steps)}
    wanted = {plan.tensors[slot].op for slot in plan.fetches}.union(plan.targets)
    made = CostGraphDef()
    for step in plan.steps:
        op = step.node
        node = made.node.add(name=op.name, device=device(op), id=numbers[op], is_final=op in wanted)
        for tensor in op.inputs:
            if tensor.op in numbers:
                node.input_info.add(preceding_node=numbers[tensor.op], preceding_port=tensor.value_index)
        node.control_input.extend([numbers[c] for c in op.control_inputs if c in numbers])
        if id(op) not in seen:
            continue
        node.compute_cost = micros[id(op)]
        for description in seen[id(op)][1]:
            info = node.output_info.add(alias_input_port=-1)
            if description is not None:
                info.size = description.allocation_description.requested_bytes
                info.shape.CopyFrom(description.shape)
                info.dtype = description.dtype
    return made


def _graph_of(plan: Plan, device: Callable[[Operation], str]) -> GraphDef:
    """Return the nodes that run, with an `_Arg` for each feed and a `_Retval` for each fetch."""
    made = GraphDef()
    arguments: dict[int, str] = {}
    for i, slot in enumerate(plan.feeds):
        tensor = plan.tensors[slot]
        name = arguments[id(tensor)] = f"_arg_{tensor.op.name}_{tensor.value_index}_{i}"
        node = made.node.add(name=name, op="_Arg", device=device(tensor.op))
        node.attr["T"].type = tensor.dtype.base_dtype.as_datatype_enum
        node.attr["index"].i = i
    known = {step.node for step in plan.steps}
    for step in plan.steps:
        node = made.node.add()
        node.CopyFrom(step.node.node_def)
        node.device = device(step.node)
        names = [_name_of(tensor, arguments) for tensor in step.node.inputs]
        names += [f"^{c.name}" for c in step.node.control_inputs if c in known]
        del node.input[:]
        node.input.extend(names)
    for i, slot in enumerate(plan.fetches):
        tensor = plan.tensors[slot]
        name = f"_retval_{tensor.op.name}_{tensor.value_index}_{i}"
        node = made.node.add(name=name, op="_Retval", device=device(tensor.op), input=[_name_of(tensor, arguments)])
        node.attr["T"].type = tensor.dtype.base_dtype.as_datatype_enum
        node.attr["index"].i = i
    graph = next((t.graph for t in plan.tensors), None)
    if graph is not None:
        made.versions.CopyFrom(graph.graph_def_versions)
        made.library.SetInParent()
        for function in graph.functions.values():
            made.library.function.append(function)
    return made


def _name_of(tensor: Any, arguments: Mapping[int, str]) -> str:
    if id(tensor) in arguments:
        return arguments[id(tensor)]
    return tensor.op.name if tensor.value_index == 0 else str(tensor.name)
