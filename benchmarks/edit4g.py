"""Edit a checkpoint of 4 GB: peak memory of each edit, and its time beside that of `cp`.

Run: python benchmarks/edit4g.py [--gigabytes 4] [--dense] [--address-space 600] [--folder DIR] [EDIT ...]

The checkpoint has 64 tensors of weights, each with two Adam slots. It is a sparse file, which takes no room and whose
holes both `cp` and the copying edits skip, so that its times say little about copying; `--dense` writes real bytes.
Every edit runs in a process of its own, under RLIMIT_AS. Everything is removed afterwards.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

EDITS = {
    "rename": "ckpt.rename(source, target, ['s,^net/,new/,'])",
    "slim": "ckpt.slim(source, target)",
    "slim_nothing": "ckpt.slim(source, target, keep_optimizer=True)",
    "cast": "ckpt.cast(source, target, 'bfloat16')",
    "average": "ckpt.average(target, [source, source])",
    "reshard": "ckpt.reshard(source, target, shards=4)",
    "resize": "ckpt.resize(source, {'net/layer0/kernel': 100000}, target)",
}
CHILD = """
import json, resource, sys, time
source, target, limit = sys.argv[1], sys.argv[2], int(sys.argv[3]) << 20
if limit:
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
start = time.perf_counter()
from icefloe import ckpt
report = {edit}
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({{"seconds": seconds, "peak": peak, "bytes": report.bytes, "copied": report.copied}}))
"""


def make(prefix: Path, size: int, dense: bool) -> None:
    """Write a checkpoint of `size` bytes in 192 tensors; a sparse one has zeros, whose checksums are computed once."""
    from icefloe.checkpoint.entries import Header, encode_entry
    from icefloe.checkpoint.writer import encode_index
    from icefloe.wire.crc import crc32c, mask

    names = sorted(f"net/layer{i}/kernel{s}" for i in range(64) for s in ("", "/Adam", "/Adam_1"))
    rows = size // len(names) // 4096
    shape, each = (rows, 1024), rows * 4096
    rng = np.random.default_rng(0)
    block = rng.standard_normal(shape, np.float32) if dense else np.zeros(shape, np.float32)
    crc = mask(crc32c(block.view(np.uint8).reshape(-1)))
    entries = {}
    with open(f"{prefix}.data-00000-of-00001", "wb") as file:
        for i, name in enumerate(names):
            entries[name.encode()] = encode_entry(1, shape, offset=i * each, size=each, masked_crc=crc)
            if dense:
                file.write(block.data)
        file.truncate(each * len(names))
    Path(f"{prefix}.index").write_bytes(encode_index(Header(1), entries))


def copy_seconds(prefix: Path, target: Path, *, sync: bool) -> float:
    """Return how long `cp` takes for the files of a checkpoint, with the time until they are on the disk or without."""
    start = time.perf_counter()
    for suffix in (".index", ".data-00000-of-00001"):
        subprocess.run(["cp", f"{prefix}{suffix}", f"{target}{suffix}"], check=True)
        if sync:
            subprocess.run(["sync", f"{target}{suffix}"], check=True)
    seconds = time.perf_counter() - start
    for suffix in (".index", ".data-00000-of-00001"):
        os.unlink(f"{target}{suffix}")
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("edits", nargs="*", default=list(EDITS), metavar="EDIT", help=", ".join(EDITS))
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--dense", action="store_true", help="real bytes in place of holes")
    parser.add_argument("--address-space", type=int, default=600, metavar="MiB", help="0 for no limit")
    parser.add_argument("--folder", help="where to make the temporary folder")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="edit4g-", dir=options.folder))
    try:
        source, target = folder / "source", folder / "target"
        make(source, int(options.gigabytes * 1e9), options.dense)
        os.sync()
        # A first copy brings the source into memory, where all that follow find it.
        copy_seconds(source, target, sync=True)
        plain = copy_seconds(source, target, sync=False)
        synced = copy_seconds(source, target, sync=True)
        print(f"{'cp':14} {plain:6.2f} s    cp and sync {synced:6.2f} s")
        for name in options.edits:
            command = [sys.executable, "-c", CHILD.format(edit=EDITS[name]), source, target, str(options.address_space)]
            done = subprocess.run([str(c) for c in command], check=True, stdout=subprocess.PIPE, text=True)
            found = json.loads(done.stdout)
            for path in folder.glob("target.*"):
                path.unlink()
            ratio = f"{found['seconds'] / synced:5.2f} of cp and sync    " if options.dense else ""
            amount = f"wrote {found['bytes'] / 1e9:.2f} GB, {found['copied'] / 1e9:.2f} copied"
            print(f"{name:14} {found['seconds']:6.2f} s    {ratio}peak {found['peak']:4.0f} MiB    {amount}")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"highest peak of all {peak:.0f} MiB, address space at most {options.address_space or 'unlimited'} MiB")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
