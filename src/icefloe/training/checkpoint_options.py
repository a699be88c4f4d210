"""`CheckpointOptions`: how a Checkpoint writes and reads.

Source: tensorflow/python/checkpoint/checkpoint_options.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from icefloe import errors


class CheckpointOptions:
    """Options of a Checkpoint.

    experimental_write_callbacks: called after writing, each with the path or without arguments.
    experimental_skip_slot_variables: leave optimizers' slots out. experimental_io_device: does not matter here.
    experimental_enable_async_checkpoint, enable_async: writing in the background, which is refused.

    Raises: UnimplementedError for writing in the background and for sharding functions.
    """

    __slots__ = (
        "enable_async",
        "experimental_enable_async_checkpoint",
        "experimental_io_device",
        "experimental_sharding_callback",
        "experimental_skip_slot_variables",
        "experimental_write_callbacks",
    )

    def __init__(
        self,
        experimental_io_device: str | None = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Callable[..., Any]] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:
        if experimental_enable_async_checkpoint or enable_async:
            raise errors.UnimplementedError(
                "CheckpointOptions: checkpoints are not written in the background",
                hint="Leave `enable_async` out: a checkpoint is written when `save` returns.",
            )
        if experimental_sharding_callback is not None:
            raise errors.UnimplementedError(
                "CheckpointOptions: a checkpoint is written as one shard",
                hint="Split it afterwards with icefloe.save_checkpoint(..., shards=n).",
            )
        self.experimental_io_device = experimental_io_device
        self.experimental_enable_async_checkpoint = False
        self.enable_async = False
        self.experimental_write_callbacks = (
            None if experimental_write_callbacks is None else list(experimental_write_callbacks)
        )
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = None
