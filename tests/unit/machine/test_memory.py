"""The memory that a process keeps for its next run."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

# Frees what lies last on the heap, many times, and tells how many pages it had to ask for per round.
PROGRAM = """
import resource, sys
import numpy as np
from icefloe.machine import memory
if sys.argv[1] == "keep":
    print(memory.keep(), end=" ")
def turn():
    parts = [np.ones(1 << 19, np.float32) for _ in range(12)]
turn(); turn()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    turn()
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) // 10)
"""


def _run(argument: str, **settings: str) -> list[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MALLOC_", "GLIBC_TUNABLES"))}
    command = [sys.executable, "-c", PROGRAM, argument]
    made = subprocess.run(command, env={**environment, **settings}, capture_output=True, text=True, check=True)
    return made.stdout.split()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another malloc")
def test_pages_are_kept() -> None:
    (without,) = _run("leave")
    said, kept = _run("keep")
    assert said == "True"
    assert int(kept) < int(without) / 10


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another malloc")
def test_settings_of_the_environment_stand() -> None:
    assert _run("keep", MALLOC_TRIM_THRESHOLD_="1000000")[0] == "False"
