"""Checkpoints: bundles (V2) and V1 files read and written, state files, paths. Bytes only, no graph."""

from icefloe.checkpoint.opening import open_checkpoint as open_checkpoint
from icefloe.checkpoint.opening import save_checkpoint as save_checkpoint
