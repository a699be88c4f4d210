"""Convert a checkpoint of several GB to each format and back: time, peak memory, the time of `cp`.

Run: python benchmarks/convert4g.py [--gb 4] [--dir DIR] [--largest MB]

The checkpoint has tensors of up to `--largest` MB. Every conversion runs in a process of its own; peak memory is that
process's resident size. Files are removed afterwards.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

CONVERT = """
import json, resource, sys, time
import icefloe
start = time.perf_counter()
icefloe.ckpt.convert(sys.argv[1], sys.argv[2], **json.loads(sys.argv[3]))
seconds = time.perf_counter() - start
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def make(prefix: Path, gigabytes: float, largest: int) -> None:
    from icefloe.checkpoint.writer import BundleWriter
    from icefloe.datatypes import as_dtype

    left = int(gigabytes * 1e9)
    block = np.random.default_rng(0).standard_normal(1 << 20).astype(np.float32)
    with BundleWriter(prefix) as writer:
        i = 0
        while left > 0:
            count = max(min(left, largest << 20 if i % 3 else 1 << 20) >> 22, 1)
            pieces = (block for _ in range(count))
            writer.add_stream(f"layer_{i}/kernel", as_dtype("float32"), (count, 1 << 20), pieces)
            left -= count << 22
            i += 1
        writer.add("step", np.int64(7))


def run(source: Path, target: Path, **options: str) -> tuple[float, float]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", CONVERT, str(source), str(target), json.dumps(options)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    seconds, peak = json.loads(done.stdout)
    return seconds, peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gb", type=float, default=4)
    parser.add_argument("--largest", type=int, default=1024, help="MB of the largest tensors")
    parser.add_argument("--dir", type=Path, default=None)
    parser.add_argument("--formats", default="npz,h5,safetensors,v2")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.dir) as name:
        folder = Path(name)
        make(folder / "m", options.gb, options.largest)
        start = time.perf_counter()
        shutil.copyfile(folder / "m.data-00000-of-00001", folder / "copy")
        copy = time.perf_counter() - start
        (folder / "copy").unlink()
        print(f"{'':24s} seconds  of cp  peak MB")
        print(f"{'cp':24s} {copy:7.2f}   1.00")
        for kind in options.formats.split(","):
            target = folder / ("out" if kind in ("v2", "v1") else f"out.{kind}")
            for source, to, label in (
                (folder / "m", target, f"V2 to {kind}"),
                (target, folder / "back", f"{kind} to V2"),
            ):
                seconds, peak = run(source, to, **({"to": kind} if to == target else {}))
                print(f"{label:24s} {seconds:7.2f} {seconds / copy:6.2f}  {peak:7.0f}", flush=True)
            for path in (*folder.glob("out*"), *folder.glob("back*")):
                path.unlink()


if __name__ == "__main__":
    main()
