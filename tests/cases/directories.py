"""Directories of checkpoints for tests."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import icefloe as tf


def state(folder: Path, latest: object, *kept: object) -> None:
    """Write a state file with these paths as they are."""
    lines = [f'model_checkpoint_path: "{latest}"', *(f'all_model_checkpoint_paths: "{p}"' for p in kept or [latest])]
    (folder / "checkpoint").write_text("\n".join(lines) + "\n")


def save(prefix: Path, value: float = 1.0) -> str:
    """Save a small checkpoint whose tensors `v` and `metric` have this value."""
    tf.save_checkpoint(prefix, {"v": np.float32(value), "metric": np.float32(value)})
    return str(prefix)


def listed(folder: Path) -> list[str]:
    """Return what the state file lists, relative to the folder."""
    found = tf.train.get_checkpoint_state(folder)
    return [os.path.relpath(p, folder) for p in found.all_model_checkpoint_paths]


def steps_in(folder: Path) -> list[int]:
    """Return the steps of the checkpoints `m-<step>`."""
    return sorted(int(p.stem.rpartition("-")[2]) for p in folder.glob("m-*.index"))
