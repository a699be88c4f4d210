"""`Timeline`: the step stats of a run as a trace that Chrome (chrome://tracing) and Perfetto show.

    json = Timeline(run_metadata.step_stats).generate_chrome_trace_format()

The trace is a list of events: `M` names a process or thread, `X` is a node that ran, `s` and `t` start and end the
arrow of a tensor from node to node, `N`, `O` and `D` make, show and delete a tensor, `C` counts an allocator's bytes.
Each device is two processes, of what it computes and of its tensors. Nodes that overlap are on different lanes.

Source: tensorflow/python/client/timeline.py (names, what is shown); the "Trace Event Format" of Chrome.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

_LABEL = re.compile(r"(.*) = (.*)\((.*)\)")


class AllocationMaximum(NamedTuple):
    """When an allocator held most: the time in microseconds, the bytes, the names of the tensors."""

    timestamp: int
    num_bytes: int
    tensors: set[str]


class StepStatsAnalysis(NamedTuple):
    """The trace, and for each allocator its maximum."""

    chrome_trace: Trace
    allocator_maximums: dict[str, AllocationMaximum]


class Trace:
    """Events in Chrome's format."""

    def __init__(self) -> None:
        self._names: list[dict[str, Any]] = []
        self._events: list[dict[str, Any]] = []

    def process(self, name: str) -> int:
        """Return the number of a new process."""
        number = len(self._names)
        self._names.append({"name": "process_name", "ph": "M", "pid": number, "args": {"name": name}})
        return number

    def event(self, kind: str, category: str, name: str, pid: int, tid: int, time: int, **more: Any) -> None:
        """Add an event. time: microseconds. more: fields of its kind."""
        self._events.append({"ph": kind, "cat": category, "name": name, "pid": pid, "tid": tid, "ts": time, **more})

    def format_to_string(self, pretty: bool = False) -> str:
        """Return the events as JSON, indented if `pretty`."""
        trace = {"traceEvents": [*self._names, *self._events]}
        return json.dumps(trace, indent=4) if pretty else json.dumps(trace, separators=(",", ":"))


@dataclass(slots=True)
class _Tensor:
    """A tensor from when it is made to its last use. produced: end of its node, process and lane there."""

    number: int
    created: int
    last_used: int
    pid: int
    allocator: str
    size: int
    produced: tuple[int, int, int]


@dataclass(slots=True)
class _Node:
    """A node that ran. pid, tensors: the processes of its device. lane: where it does not overlap others."""

    stats: Any
    pid: int
    tensors: int
    lane: int
    inputs: list[str] = field(default_factory=list)
    op: str = "unknown"

    @property
    def start(self) -> int:
        return int(self.stats.all_start_micros)

    @property
    def end(self) -> int:
        return self.start + int(self.stats.all_end_rel_micros)


class Timeline:
    """Shows what a run has done when. Two calls make two traces."""

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        """step_stats: a StepStats message, of icefloe or TensorFlow. graph: the graph that ran, which is not needed."""
        self._step_stats = step_stats

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False, op_time: str = "schedule"
    ) -> str:
        """Return the trace as JSON. The arguments are those of `analyze_step_stats`."""
        found = self.analyze_step_stats(show_dataflow, show_memory, op_time)
        return found.chrome_trace.format_to_string(pretty=True)

    def analyze_step_stats(
        self, show_dataflow: bool = True, show_memory: bool = True, op_time: str = "schedule"
    ) -> StepStatsAnalysis:
        """Return the trace and what each allocator held at most.

        show_dataflow: with arrows from nodes to those that use their tensors. show_memory: with tensors and counters.
        op_time: "schedule", "gpu" or "all", which differ for GPUs only.
        """
        if op_time not in ("schedule", "gpu", "all"):
            raise ValueError(f"op_time must be 'schedule', 'gpu' or 'all', got {op_time!r}")
        trace = Trace()
        allocators = trace.process("Allocators")
        nodes = list(self._nodes(trace))
        tensors = _produce(trace, nodes, show_memory)
        _compute(trace, nodes, tensors, show_dataflow)
        return StepStatsAnalysis(trace, _count(trace, tensors, allocators) if show_memory else {})

    def _nodes(self, trace: Trace) -> Iterator[_Node]:
        devices = [
            (device, trace.process(device.device + " Compute"), trace.process(device.device + " Tensors"))
            for device in self._step_stats.dev_stats
        ]
        for device, pid, tensors in devices:
            busy = [0]
            for stats in device.node_stats:
                start = stats.all_start_micros
                lane = next((i for i, until in enumerate(busy) if start > until), len(busy))
                if lane == len(busy):
                    busy.append(0)
                busy[lane] = start + stats.all_end_rel_micros
                node = _Node(stats, pid, tensors, lane)
                label = _LABEL.match(stats.timeline_label)
                if label is not None:
                    node.op = label[2]
                    node.inputs = label[3].split(", ") if label[3] else []
                yield node


def _produce(trace: Trace, nodes: list[_Node], show: bool) -> dict[str, _Tensor]:
    tensors: dict[str, _Tensor] = {}
    for node in nodes:
        for i, output in enumerate(node.stats.output):
            name = f"{node.stats.node_name}:{i}" if i else node.stats.node_name
            memory = output.tensor_description.allocation_description
            number = len(tensors)
            tensors[name] = _Tensor(
                number,
                node.start,
                node.end,
                node.tensors,
                memory.allocator_name,
                memory.requested_bytes,
                (node.end, node.pid, node.lane),
            )
            if show:
                trace.event("N", "Tensor", name, node.tensors, node.lane, node.start, id=number)
                said = str(output.tensor_description).replace('"', "")
                args = {"snapshot": {"tensor_description": said}}
                trace.event("O", "Tensor", name, node.tensors, node.lane, node.end - 1, id=number, args=args)
    return tensors


def _compute(trace: Trace, nodes: list[_Node], tensors: dict[str, _Tensor], show_dataflow: bool) -> None:
    flows = 0
    for node in nodes:
        args = {"name": node.stats.node_name, "op": node.op}
        args.update({f"input{i}": name for i, name in enumerate(node.inputs)})
        duration = node.stats.all_end_rel_micros
        trace.event("X", "Op", node.op, node.pid, node.lane, node.start, dur=duration, args=args)
        for name in node.inputs:
            tensor = tensors.get(name)
            if tensor is None:
                continue
            tensor.last_used = max(tensor.last_used, node.end - 1)
            time, pid, lane = tensor.produced
            if show_dataflow and (pid, lane) != (node.pid, node.lane):
                trace.event("s", "DataFlow", name, pid, lane, time, id=flows)
                trace.event("t", "DataFlow", name, node.pid, node.lane, node.start, id=flows)
                flows += 1


def _count(trace: Trace, tensors: dict[str, _Tensor], pid: int) -> dict[str, AllocationMaximum]:
    changes: dict[str, list[tuple[int, int, str]]] = {}
    for name, tensor in tensors.items():
        trace.event("D", "Tensor", name, tensor.pid, 0, tensor.last_used, id=tensor.number)
        of_allocator = changes.setdefault(tensor.allocator, [])
        of_allocator.append((tensor.created, tensor.size, name))
        of_allocator.append((tensor.last_used, -tensor.size, name))
    maximums = {}
    for allocator, found in changes.items():
        most = AllocationMaximum(0, 0, set())
        held: set[str] = set()
        total = 0
        for time, size, name in sorted(found):
            total += size
            if size < 0:
                held.discard(name)
            else:
                held.add(name)
            if total > most.num_bytes:
                most = AllocationMaximum(time, total, set(held))
            trace.event("C", "Memory", allocator, pid, 0, time, args={allocator: total})
        maximums[allocator] = most
    return maximums
