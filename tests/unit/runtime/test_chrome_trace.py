"""Chrome traces of step stats are event by event those that TensorFlow makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format

from icefloe.proto import POOL, StepStats
from icefloe.runtime.chrome_trace import Timeline

FIXTURE = Path(__file__).resolve().parents[3] / "fixtures" / "sessions" / "timeline.json"
FOUND = json.loads(FIXTURE.read_text())


@pytest.mark.parametrize(("dataflow", "memory", "trace", "maximums"), FOUND["traces"])
def test_traces(dataflow: bool, memory: bool, trace: dict[str, Any], maximums: dict[str, Any]) -> None:
    stats = text_format.Parse(FOUND["step_stats"], StepStats(), descriptor_pool=POOL)
    analysis = Timeline(stats).analyze_step_stats(dataflow, memory)
    for got, want in zip(json.loads(analysis.chrome_trace.format_to_string())["traceEvents"], trace["traceEvents"]):
        assert got == want
    for pretty in (True, False):
        assert json.loads(analysis.chrome_trace.format_to_string(pretty)) == trace
    found = {name: [m.timestamp, m.num_bytes, sorted(m.tensors)] for name, m in analysis.allocator_maximums.items()}
    assert found == maximums
    assert json.loads(Timeline(stats).generate_chrome_trace_format(dataflow, memory)) == trace


def test_op_time_is_checked() -> None:
    with pytest.raises(ValueError, match="op_time must be"):
        Timeline(StepStats()).generate_chrome_trace_format(op_time="never")
