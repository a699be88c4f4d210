"""Kernels and shape rules of the ops that exist for TensorFlow's tests only.

Source: tensorflow/python/framework/test_ops.cc.
"""

from __future__ import annotations

import time
from queue import SimpleQueue
from threading import Timer
from typing import Any

import numpy as np

from icefloe import errors, resources
from icefloe.graph import registry
from icefloe.graph.graph import GRAPH_DEF_VERSION
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import ShapeContext


class Stub:
    """What StubResourceHandleOp refers to: it exists once it was created."""

    def __init__(self) -> None:
        self.created = False


def install() -> None:
    """Register them, once."""
    if "Old" in registry.KERNELS:
        return

    @kernel("KernelLabel", per_run=True)
    def kernel_label(*, node: str, run: Any) -> Any:
        op = run.session.graph.get_operation_by_name(node)
        label = op.kernel_attr("_kernel") if op.has_attr("_kernel") else ""
        return np.array(f"My label is: {label or 'default'}".encode(), object)

    @kernel("Old")
    def old() -> tuple[()]:
        return ()

    @kernel("GraphDefVersion", per_run=True)
    def graph_def_version(*, run: Any) -> Any:
        return np.int32(run.session.graph.graph_def_versions.producer)

    @shape("RequiresOlderGraphVersion")
    def requires_older(c: ShapeContext) -> list[Any]:
        if c.graph_def_version >= GRAPH_DEF_VERSION:
            raise errors.InvalidArgumentError("Wrong graph version for RequiresOlderGraphVersion")
        return [()]

    @shape("KernelLabelRequired")
    def label_required(c: ShapeContext) -> list[Any]:
        if c.shape(0) is not None and len(c.shape(0)) != 1:
            raise errors.InvalidArgumentError(f"Shape must be rank 1 but is rank {len(c.shape(0))}")
        return [()]

    @kernel("GetDeadline", per_run=True)
    def get_deadline(*, run: Any) -> Any:
        if run.deadline is None:
            raise errors.InvalidArgumentError("Deadline has not ben set.")
        return np.int64((time.time() + run.deadline - time.monotonic()) * 1e6)

    @kernel("SleepOp", per_run=True)
    def sleep(seconds: Any, *, run: Any) -> tuple[()]:
        _sleep(run, float(seconds))
        return ()

    @kernel("SleepIdentityOp", per_run=True)
    def sleep_identity(seconds: Any, value: Any, *, run: Any) -> Any:
        _sleep(run, float(seconds))
        return value

    @kernel("StubResourceHandleOp", returns="stored")
    def stub(*, container: str, shared_name: str, node: str, manager: resources.ResourceManager) -> Any:
        return manager.lookup_or_create(container, shared_name or node, Stub, Stub)

    @kernel("ResourceCreateOp")
    def create(stub: Any) -> tuple[()]:
        stub = np.asarray(stub, object).reshape(-1)[0]
        if stub.created:
            raise errors.AlreadyExistsError("Resource already exists.")
        stub.created = True
        return ()

    @kernel("ResourceInitializedOp")
    def is_created(stub: Any) -> Any:
        return np.bool_(stub.created)

    @shape("ResourceInitializedOp", "GraphDefVersion", "GetDeadline", "StubResourceHandleOp")
    def one(c: ShapeContext) -> list[Any]:
        return [()]

    @kernel("ResourceUsingOp")
    def use(stub: Any) -> tuple[()]:
        if not stub.created:
            raise errors.NotFoundError("Resource does not exist.")
        return ()


def _sleep(run: Any, seconds: float) -> None:
    inbox: Any = SimpleQueue()
    timer = Timer(seconds, inbox.put, (True,))
    timer.daemon = True
    timer.start()
    try:
        run.sleep(inbox)
    finally:
        timer.cancel()
