"""Collections: named lists that a graph carries, such as its variables; and the standard names of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any


class _ClassProperty:
    """An attribute of the class that stands for another one of its attributes."""

    def __init__(self, target: str) -> None:
        self.target = target

    def __get__(self, instance: Any, owner: type) -> Any:
        return getattr(owner, self.target)


class GraphKeys:
    """The standard names of collections."""

    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"
    _SUMMARY_COLLECTION = "_SUMMARY_V2"
    _STREAMING_MODEL_PORTS = "streaming_model_ports"
    _VARIABLE_COLLECTIONS = (
        "variables",
        "local_variables",
        "metric_variables",
        "model_variables",
        "trainable_variables",
        "moving_average_variables",
        "concatenated_variables",
        "trainable_resource_variables",
    )
    VARIABLES = _ClassProperty("GLOBAL_VARIABLES")


class Collections:
    """The part of a Graph that keeps its collections."""

    _collections: dict[Any, list[Any]]

    def _check_not_finalized(self) -> None:
        raise NotImplementedError

    @property
    def collections(self) -> list[Any]:
        """The names of the collections of this graph."""
        return list(self._collections)

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Append `value` to collection `name`, even if it is there already.

        Raises: RuntimeError if the graph is finalized.
        """
        self._check_not_finalized()
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: str | Iterable[Any], value: Any) -> None:
        """Append `value` to each collection of `names`, once to each."""
        for name in (names,) if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: Any) -> list[Any]:
        """Return the list itself of collection `name`, made empty if there is none yet; changes to it stay."""
        return self._collections.setdefault(name, [])

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """Return a copy of collection `name`.

        scope: a regular expression; only items whose name matches it from the start are given.
        """
        items = self._collections.get(name, [])
        if scope is None:
            return list(items)
        pattern = re.compile(scope)
        return [item for item in items if isinstance(getattr(item, "name", None), str) and pattern.match(item.name)]

    def get_all_collection_keys(self) -> list[str]:
        """Return the collection names that are strings."""
        return [name for name in self._collections if isinstance(name, str)]

    def clear_collection(self, name: Any) -> None:
        """Forget collection `name`. Raises: RuntimeError if the graph is finalized."""
        self._check_not_finalized()
        self._collections.pop(name, None)


# How items of a collection are written to a MetaGraphDef and read: name -> (message class, to_proto, from_proto).
_PROTO_FUNCTIONS: dict[Any, tuple[Any, Callable[..., Any] | None, Callable[..., Any] | None]] = {}


def register_proto_function(
    collection_name: Any,
    proto_type: Any = None,
    to_proto: Callable[..., Any] | None = None,
    from_proto: Callable[..., Any] | None = None,
) -> None:
    """Say how items of a collection become messages and back.

    Raises: TypeError if a function is not callable; KeyError if the collection has functions already.
    """
    if to_proto is not None and not callable(to_proto):
        raise TypeError("to_proto must be callable.")
    if from_proto is not None and not callable(from_proto):
        raise TypeError("from_proto must be callable.")
    if collection_name in _PROTO_FUNCTIONS:
        raise KeyError(f"Registering two proto functions with name '{collection_name}'!")
    _PROTO_FUNCTIONS[collection_name] = (proto_type, to_proto, from_proto)


def get_collection_proto_type(collection_name: Any) -> Any:
    """Return the message class registered for a collection, or None."""
    return _PROTO_FUNCTIONS.get(collection_name, (None, None, None))[0]


def get_to_proto_function(collection_name: Any) -> Callable[..., Any] | None:
    """Return the function that makes a message of an item, or None."""
    return _PROTO_FUNCTIONS.get(collection_name, (None, None, None))[1]


def get_from_proto_function(collection_name: Any) -> Callable[..., Any] | None:
    """Return the function that makes an item of a message, or None."""
    return _PROTO_FUNCTIONS.get(collection_name, (None, None, None))[2]
