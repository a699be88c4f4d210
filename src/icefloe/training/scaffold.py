"""`Scaffold`: the pieces around a model that training takes from the graph's collections, or makes.

Source: tensorflow/python/training/monitored_session.py (names, rules and messages).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe.graph.collections import GraphKeys
from icefloe.graph.default_graph import add_to_collection, get_collection
from icefloe.graph.graph import get_default_graph
from icefloe.lib import messages, summaries
from icefloe.lib.array_join import concat
from icefloe.lib.control import group
from icefloe.lib.variable_lists import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
)
from icefloe.saver.saver import Saver
from icefloe.training.checkpoint import Checkpoint
from icefloe.training.shared_resources import (
    initialize_resources,
    local_resources,
    report_uninitialized_resources,
    shared_resources,
)


class Scaffold:
    """What training needs around a model. What is None is taken from a collection, or made, by `finalize`.

    init_op, init_feed_dict: initialize global variables. init_fn: called as `init_fn(scaffold, session)` after that.
    ready_op: gives the names of what is not initialized, a vector of strings. ready_for_local_init_op: the same, for
    global variables, before local_init_op, with local_init_feed_dict, runs. summary_op: gives all summaries in one.
    saver: a Saver or a Checkpoint. copy_from_scaffold: gives what is not passed.

    Raises: TypeError if `copy_from_scaffold` is no Scaffold.
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Any = None,
        copy_from_scaffold: Any = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        if copy_from_scaffold is not None and not isinstance(copy_from_scaffold, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")

        def own(value: Any, attribute: str) -> Any:
            if value is None and copy_from_scaffold is not None:
                return getattr(copy_from_scaffold, attribute)
            return value

        self._user_init_fn = own(init_fn, "_user_init_fn")
        self._init_op = own(init_op, "_init_op")
        self._init_feed_dict = own(init_feed_dict, "_init_feed_dict")
        self._ready_op = own(ready_op, "_ready_op")
        self._ready_for_local_init_op = own(ready_for_local_init_op, "_ready_for_local_init_op")
        self._local_init_op = own(local_init_op, "_local_init_op")
        self._local_init_feed_dict = own(local_init_feed_dict, "_local_init_feed_dict")
        self._summary_op = own(summary_op, "_summary_op")
        self._saver = own(saver, "_saver")

    def finalize(self) -> Scaffold:
        """Take or make what is missing, finalize the default graph and return the scaffold.

        Raises: RuntimeError if a collection has several of what one is needed of.
        """
        self._init_op = self._found(self._init_op, "init_op", GraphKeys.INIT_OP, _default_init_op)
        self._ready_op = self._found(self._ready_op, "ready_op", GraphKeys.READY_OP, _default_ready_op)
        self._ready_for_local_init_op = self._found(
            self._ready_for_local_init_op,
            "ready_for_local_init_op",
            GraphKeys.READY_FOR_LOCAL_INIT_OP,
            _default_ready_for_local_init_op,
        )
        self._local_init_op = self._found(
            self._local_init_op, "local_init_op", GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op
        )
        self._summary_op = self._found(self._summary_op, "summary_op", GraphKeys.SUMMARY_OP, summaries.merge_all)
        if self._saver is None:
            self._saver = saver_or_default()
        if isinstance(self._saver, Checkpoint):
            self._saver = self._saver.as_saver()
        else:
            self._saver.build()
        get_default_graph().finalize()
        messages.info("Graph was finalized.")
        return self

    @staticmethod
    def _found(given: Any, name: str, key: str, make: Callable[[], Any]) -> Any:
        return Scaffold.get_or_default(name, key, make) if given is None else given

    @property
    def init_fn(self) -> Callable[[Any], Any] | None:
        """What is called with the session after `init_op`, or None."""
        called = self._user_init_fn
        if not called:
            return None
        return lambda session: called(self, session)

    @property
    def init_op(self) -> Any:
        """What initializes global variables."""
        return self._init_op

    @property
    def ready_op(self) -> Any:
        """The names of what is not initialized."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """The names of the global variables that are not initialized."""
        return self._ready_for_local_init_op

    @property
    def local_init_op(self) -> Any:
        """What initializes local variables and tables."""
        return self._local_init_op

    @property
    def local_init_feed_dict(self) -> Any:
        """What `local_init_op` is fed."""
        return self._local_init_feed_dict

    @property
    def summary_op(self) -> Any:
        """All summaries in one."""
        return self._summary_op

    @property
    def saver(self) -> Any:
        """The Saver."""
        return self._saver

    @property
    def init_feed_dict(self) -> Any:
        """What `init_op` is fed."""
        return self._init_feed_dict

    @staticmethod
    def get_or_default(arg_name: str, collection_key: str, default_constructor: Callable[[], Any]) -> Any:
        """Return the only element of a collection; where it is empty, what is made, which is added unless None.

        Raises: RuntimeError if the collection has several.
        """
        elements = get_collection(collection_key)
        if len(elements) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which one to use by passing '
                f"it to the tf.Scaffold constructor as:  tf.Scaffold({arg_name}=item to use)"
            )
        if elements:
            return elements[0]
        op = default_constructor()
        if op is not None:
            add_to_collection(collection_key, op)
        return op

    @staticmethod
    def default_local_init_op() -> Any:
        """Return an op that initializes local variables, tables and local resources."""
        return group(
            local_variables_initializer(),
            tables_initializer(),
            initialize_resources(local_resources()),
        )


def _default_init_op() -> Any:
    return group(
        global_variables_initializer(),
        initialize_resources(shared_resources()),
        get_collection("saved_model_initializers"),
    )


def _default_ready_op() -> Any:
    return concat([report_uninitialized_variables(), report_uninitialized_resources()], 0)


def _default_ready_for_local_init_op() -> Any:
    return concat(
        [
            report_uninitialized_variables(global_variables()),
            report_uninitialized_resources(shared_resources()),
        ],
        0,
    )


def saver_or_default() -> Saver:
    """Return the Saver in the graph's collection, a new sharded one if there is none.

    Raises: RuntimeError if there are several.
    """
    savers = get_collection(GraphKeys.SAVERS)
    if len(savers) > 1:
        raise RuntimeError(
            f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to use by passing it to "
            "the constructor."
        )
    if savers:
        found: Saver = savers[0]
        return found
    saver = Saver(sharded=True, allow_empty=True)
    add_to_collection(GraphKeys.SAVERS, saver)
    return saver
