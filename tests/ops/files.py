"""Kernel cases that read files: FILES lie in a folder whose name stands for `{dir}` in inputs and attrs."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import google_crc32c
import numpy as np

from ops.case import GOLDENS, Case

GOLDEN = GOLDENS / "files.npz"
SAVED = Path(__file__).parents[2] / "fixtures" / "savers" / "plain" / "model.ckpt-3"


def _masked(data: bytes) -> bytes:
    crc = google_crc32c.value(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _record(data: bytes) -> bytes:
    size = struct.pack("<Q", len(data))
    return size + _masked(size) + data + _masked(data)


FILES = {
    "new.txt": b"one\ntwo\nthree\nfour\nfive\n",
    "old.txt": b"three\none\nsix\nfive",
    "twice.txt": b"three\none\nthree\n",
    "empty.txt": b"",
    "numbers": np.arange(12, dtype=np.float32).tobytes(),
    "one.record": b"".join(map(_record, [b"same"] * 3)),
    "bad.record": b"".join(map(_record, [b"same"] * 3))[:-1] + b"\0",
}


def lay(folder: Path) -> None:
    """Write FILES into `folder`."""
    for name, data in FILES.items():
        (folder / name).write_bytes(data)


def placed(value: Any, folder: Path) -> Any:
    """Return an input or attr with the folder's name in it."""
    if isinstance(value, bytes):
        return value.replace(b"{dir}", str(folder).encode()).replace(b"{saved}", str(SAVED).encode())
    if isinstance(value, str):
        return value.replace("{dir}", str(folder))
    return value


def ids(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def f32(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def remap(rows: np.ndarray, columns: np.ndarray, fill: np.ndarray, name: bytes = b"w", **sizes: int) -> Case:
    attrs = {"num_rows": len(rows), "num_cols": len(columns) or 3, "max_rows_in_memory": -1, **sizes}
    return Case("LoadAndRemapMatrix", b"{saved}", name, rows, columns, fill, **attrs)


def vocabulary(new: bytes, old: bytes, offset: int, count: int, old_size: int = -1) -> Case:
    attrs = {"new_vocab_offset": offset, "num_new_vocab": count, "old_vocab_size": old_size}
    return Case("GenerateVocabRemapping", b"{dir}/" + new, b"{dir}/" + old, **attrs)


NONE, EMPTY = ids(), f32()

CASES = [
    remap(ids(1, 0), NONE, EMPTY),
    remap(ids(1, 0), NONE, EMPTY, max_rows_in_memory=1),
    remap(ids(1), ids(2, 0), EMPTY),
    remap(ids(-1, 1, -1), ids(2, -1), f32(1, 2, 3, 4, 5)),
    remap(ids(-1, -1), NONE, f32(1, 2, 3, 4, 5, 6)),
    remap(ids(-1), ids(0), EMPTY),
    remap(ids(-1), ids(0), f32(1, 2)),
    remap(ids(1, 1), NONE, EMPTY),
    remap(ids(1), ids(1, 1), EMPTY),
    remap(ids(1), ids(1), EMPTY, num_cols=2),
    remap(ids(1), NONE, EMPTY, num_cols=2),
    remap(ids(1), NONE, EMPTY, num_rows=2),
    remap(ids(0), NONE, EMPTY, b"step"),
    remap(ids(0), NONE, EMPTY, b"b"),
    remap(ids(0), NONE, EMPTY, b"none"),
    vocabulary(b"new.txt", b"old.txt", 0, 5),
    vocabulary(b"new.txt", b"old.txt", 1, 2),
    vocabulary(b"new.txt", b"old.txt", 0, 5, 2),
    vocabulary(b"new.txt", b"old.txt", 0, 0),
    vocabulary(b"new.txt", b"old.txt", 3, 3),
    vocabulary(b"new.txt", b"old.txt", 0, 5, 9),
    vocabulary(b"new.txt", b"twice.txt", 0, 5),
    vocabulary(b"new.txt", b"none.txt", 0, 5),
    Case("GenerateVocabRemapping", b"", b"{dir}/old.txt", new_vocab_offset=0, num_new_vocab=1, old_vocab_size=-1),
    Case("ImmutableConst", dtype="float32", shape=[3, 4], memory_region_name="{dir}/numbers"),
    Case("ImmutableConst", dtype="int64", shape=[2], memory_region_name="{dir}/numbers"),
    Case("ImmutableConst", dtype="float32", shape=[0, 4], memory_region_name="{dir}/numbers"),
    Case("ImmutableConst", dtype="float32", shape=[4, 4], memory_region_name="{dir}/numbers"),
    Case("ImmutableConst", dtype="string", shape=[1], memory_region_name="{dir}/numbers"),
    Case("ImmutableConst", dtype="float32", shape=[1], memory_region_name="{dir}/none"),
    Case("RecordInput", file_pattern="{dir}/one.*", batch_size=5, file_parallelism=1),
    Case("RecordInput", file_pattern="{dir}/one.record,{dir}/one.r*", batch_size=2, file_parallelism=2),
    Case("RecordInput", file_pattern="{dir}/one.record", batch_size=0),
    Case("RecordInput", file_pattern="{dir}/none", batch_size=1),
    Case("RecordInput", file_pattern="{dir}/bad.record", batch_size=3),
    Case("RecordInput", file_pattern="{dir}/one.record", batch_size=-1),
    Case("RecordInput", file_pattern="{dir}/one.record", file_parallelism=-1),
]
for number, case in enumerate(CASES):
    case.id = f"{case.op}-{number}"


def in_folder(case: Case, folder: Path) -> Case:
    """Return the case with paths in `folder`."""
    made = Case(case.op, *[placed(v, folder) for v in case.inputs], tol=case.tol)
    made.attrs = {name: placed(v, folder) for name, v in case.attrs.items()}
    made.id = case.id
    return made
