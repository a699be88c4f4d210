"""Resources of a graph other than variables that are initialized and asked whether they are.

Source: tensorflow/python/ops/resources.py.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.conversion import constant
from icefloe.graph.default_graph import add_to_collection, device, get_collection, name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_join import stack
from icefloe.lib.array_select import boolean_mask
from icefloe.lib.control import group, no_op


class Resource(NamedTuple):
    """A resource: its handle, the op that makes it, and a scalar bool: whether it has been made."""

    handle: Any
    create: Any
    is_initialized: Any


def register_resource(handle: Any, create_op: Any, is_initialized_op: Any, is_shared: bool = True) -> None:
    """Add a resource to those that sessions initialize. is_shared: once for all sessions, not in each."""
    key = GraphKeys.RESOURCES if is_shared else GraphKeys.LOCAL_RESOURCES
    add_to_collection(key, Resource(handle, create_op, is_initialized_op))


def shared_resources() -> list[Any]:
    """Return the resources that are initialized once for all sessions."""
    return get_collection(GraphKeys.RESOURCES)


def local_resources() -> list[Any]:
    """Return the resources that are initialized in each session."""
    return get_collection(GraphKeys.LOCAL_RESOURCES)


def report_uninitialized_resources(
    resource_list: list[Any] | None = None, name: str = "report_uninitialized_resources"
) -> Tensor:
    """Return the names of the handles of those resources that have not been made, a vector of strings.

    resource_list: all resources of the default graph if None.
    """
    if resource_list is None:
        resource_list = shared_resources() + local_resources()
    where = os.environ.get("TF_DEVICE_FOR_UNINITIALIZED_VARIABLE_REPORTING", "/cpu:0")
    with name_scope(name), device(where):
        if not resource_list:
            return constant([], dtype=datatypes.string)
        missing = apply_op("LogicalNot", stack([resource.is_initialized for resource in resource_list]))
        return boolean_mask(constant([resource.handle.name for resource in resource_list]), missing)


def initialize_resources(resource_list: list[Any], name: str = "init") -> Any:
    """Return an op that makes the resources."""
    if not resource_list:
        return no_op(name=name)
    return group(*[resource.create for resource in resource_list], name=name)
