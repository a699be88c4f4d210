"""Training with several replicas, which needs a cluster: refused."""

from __future__ import annotations

from typing import Any

from icefloe import errors
from icefloe.optimizers.optimizer import Optimizer


class SyncReplicasOptimizer(Optimizer):
    """Refused: it adds the gradients of several machines, and a session runs on one.

    Raises: UnimplementedError.
    """

    def __init__(self, opt: Any, replicas_to_aggregate: int, *args: Any, **kwargs: Any) -> None:
        raise errors.UnimplementedError(
            f"SyncReplicasOptimizer: expected one machine, got {replicas_to_aggregate} replicas to aggregate",
            hint="Use the optimizer itself, or average the gradients of several batches in one graph.",
        )
