"""Case 63: large checkpoints are edited in little memory. The files are sparse: they take no room."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from icefloe.checkpoint.entries import Header, encode_entry
from icefloe.checkpoint.writer import encode_index
from icefloe.wire.crc import combine, crc32c, mask

CHILD = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))
from icefloe import ckpt
source, target = sys.argv[1:]
report = {edit}
# The peak of this program alone: `ru_maxrss` counts that of the process it was forked from.
status = open("/proc/self/status").read()
peak = int(status.split("VmHWM:")[1].split()[0]) >> 10
print(json.dumps([report.bytes, report.copied, peak]))
"""


def sparse(prefix, tensors):
    """Write a checkpoint of float32 zeros with tensors of these names and shapes."""
    crcs = {}
    entries, offset = {}, 0
    block = crc32c(np.zeros(1 << 20, np.uint8))
    for name, shape in tensors.items():
        size = int(np.prod(shape)) * 4
        assert size % (1 << 20) == 0
        if size not in crcs:
            crc = 0
            for _ in range(size >> 20):
                crc = combine(crc, block, 1 << 20)
            crcs[size] = mask(crc)
        entries[name.encode()] = encode_entry(1, shape, offset=offset, size=size, masked_crc=crcs[size])
        offset += size
    with open(f"{prefix}.data-00000-of-00001", "wb") as file:
        file.truncate(offset)
    prefix.with_suffix(".index").write_bytes(encode_index(Header(1), entries))
    return offset


def run(edit, source, target):
    done = subprocess.run(
        [sys.executable, "-c", CHILD.format(edit=edit), str(source), str(target)],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS is Linux's")
def test_four_gigabytes(tmp_path):
    shapes = {f"net/{i}/w{s}": (1 << 18, 256) for i in range(5) for s in ("", "/Adam", "/Adam_1")}
    total = sparse(tmp_path / "big", shapes)
    assert total >= 4 * 10**9 - 10**9 // 2
    written, copied, peak = run("ckpt.rename(source, target, ['s,^net/,new/,'])", tmp_path / "big", tmp_path / "out")
    assert (written, copied) == (total, total)
    assert peak < 400
    data = tmp_path / "out.data-00000-of-00001"
    assert data.stat().st_size == total
    assert data.stat().st_blocks * 512 < total // 10  # holes stay holes
    written, copied, peak = run("ckpt.slim(source)", tmp_path / "out", tmp_path / "out")
    assert written == copied == total // 3
    assert peak < 400
    assert sorted(os.listdir(tmp_path)) == sorted(
        f"{p}{s}" for p in ("big", "out") for s in (".data-00000-of-00001", ".index")
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS is Linux's")
@pytest.mark.parametrize(
    "edit",
    [
        "ckpt.cast(source, target, 'float8_e5m2')",
        "ckpt.resize(source, {'w': 400}, target)",
        "ckpt.extract(source, target + '.npz', '*')",
        "ckpt.reshard(source, target, partition={'w': 100})",
    ],
)
def test_a_tensor_larger_than_memory(edit, tmp_path):
    """One tensor of 700 MB, in an address space of 600 MB."""
    sparse(tmp_path / "big", {"w": (700, 1 << 18)})
    _, _, peak = run(edit, tmp_path / "big", tmp_path / "out")
    assert peak < 400
