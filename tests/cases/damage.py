"""Checkpoints to damage, and ways to damage them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np

import icefloe
from icefloe.checkpoint.entries import Header
from icefloe.checkpoint.writer import encode_index

SAVERS = Path(__file__).resolve().parents[2] / "fixtures" / "savers"


def copied(name: str, folder: Path) -> Path:
    """Copy a checkpoint that TensorFlow wrote into `folder`; return its prefix."""
    for path in (SAVERS / name).iterdir():
        if path.is_file():
            shutil.copy(path, folder / path.name)
    return folder / ("objects" if name == "object_based" else "model.ckpt-3")


def values(count: int = 8, seed: int = 1) -> dict[str, np.ndarray]:
    """Return tensors of 4 kB whose bytes are random, so that no damage goes by chance unseen."""
    rng = np.random.default_rng(seed)
    return {f"layer{i}/w": rng.standard_normal(1000).astype(np.float32) for i in range(count)}


def saved(prefix: Path, shards: int = 1, **more: np.ndarray) -> dict[str, np.ndarray]:
    """Save `values` and `more`; return them."""
    content = {**values(), **more}
    icefloe.save_checkpoint(prefix, content, shards=shards)
    return content


def change(path: Path, how: Callable[[bytes], bytes]) -> None:
    path.write_bytes(how(path.read_bytes()))


def flipped(at: int, bit: int = 0) -> Callable[[bytes], bytes]:
    """Return a change of one bit; a negative place counts from the end."""

    def flip(data: bytes) -> bytes:
        out = bytearray(data)
        out[at] ^= 1 << bit
        return bytes(out)

    return flip


def data_file(prefix: Path, shard: int = 0, count: int = 1) -> Path:
    return Path(f"{prefix}.data-{shard:05d}-of-{count:05d}")


def index_file(prefix: Path) -> Path:
    return Path(f"{prefix}.index")


def same(reader: object, content: dict[str, np.ndarray]) -> None:
    """Assert that a checkpoint holds exactly these values."""
    assert sorted(reader) == sorted(content)  # type: ignore[call-overload]
    for name, value in content.items():
        np.testing.assert_array_equal(reader[name], value, err_msg=name)  # type: ignore[index]


def write_crafted(prefix: Path, entries: dict[bytes, bytes], data: bytes = b"", header: Header | None = None) -> None:
    """Write an index of these entries, whatever they say, and a data file."""
    index_file(prefix).write_bytes(encode_index(header or Header(1), entries))
    data_file(prefix).write_bytes(data)
