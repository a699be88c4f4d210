"""Check a checkpoint of 4 GB: peak memory and time of verify, rescue, stats and diff, beside reading it with `cat`.

Run: python benchmarks/check4g.py [--gigabytes 4] [--dense] [--address-space 600] [--folder DIR] [TASK ...]

Sparse or `--dense` as in edit4g.py. Every task runs in a process of its own, under RLIMIT_AS. Everything is removed
afterwards.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from edit4g import make

TASKS = {
    "verify": "ckpt.verify(source).ok",
    "rescue": "not ckpt.rescue(source, target).lost",
    "stats": "not ckpt.stats(source).errors",
    "stats_histogram": "not ckpt.stats(source, bins=16).errors",
    "diff": "ckpt.diff(source, source).is_equal",
    "diff_bytes": "ckpt.diff(source, source, compare_bytes=True).is_equal",
}
CHILD = """
import json, resource, sys, time
source, target, limit = sys.argv[1], sys.argv[2], int(sys.argv[3]) << 20
if limit:
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
from icefloe import ckpt
start, used = time.perf_counter(), time.process_time()
assert {task}
seconds, processor = time.perf_counter() - start, time.process_time() - used
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({{"seconds": seconds, "processor": processor, "peak": peak}}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"of {', '.join(TASKS)}; all by default")
    parser.add_argument("--gigabytes", type=float, default=4)
    parser.add_argument("--dense", action="store_true")
    parser.add_argument("--address-space", type=int, default=600, metavar="MB", help="0: no limit")
    parser.add_argument("--folder")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(dir=arguments.folder))
    try:
        prefix = folder / "m"
        make(prefix, int(arguments.gigabytes * 1e9), arguments.dense)
        data = Path(f"{prefix}.data-00000-of-00001")
        size = data.stat().st_size
        start = time.perf_counter()
        subprocess.run(["cat", str(data)], stdout=subprocess.DEVNULL, check=True)
        seconds = time.perf_counter() - start
        print(f"{'cat':16} {seconds:6.2f} s  {size / seconds / 1e9:5.2f} GB/s")
        for name in arguments.tasks or TASKS:
            program = CHILD.format(task=TASKS[name])
            command = [sys.executable, "-c", program, str(prefix), str(folder / "out"), str(arguments.address_space)]
            found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            print(
                f"{name:16} {found['seconds']:6.2f} s  {size / found['seconds'] / 1e9:5.2f} GB/s  "
                f"{size / found['processor'] / 1e9:5.2f} GB per second of processor  peak {found['peak']:4.0f} MB"
            )
            for path in folder.glob("out.*"):
                path.unlink()
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
