"""`case` and `switch_case`: one of several functions, chosen when the graph runs."""

from __future__ import annotations

import collections
import functools
import logging
from collections.abc import Callable, Sequence
from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.checks import Assert
from icefloe.lib.control_flow_cond import cond
from icefloe.lib.math_cast import cast
from icefloe.lib.math_reduce import reduce_sum

_LOG = logging.getLogger("icefloe")

Function = Callable[[], Any]


def case(
    pred_fn_pairs: Any, default: Any = None, exclusive: bool = False, strict: bool = False, name: str = "case"
) -> Any:
    """Return what the function of the first predicate that is True returns, or what `default` does if none is.

    pred_fn_pairs: pairs of a bool scalar and a function, in a list, or a dict of them, whose order is that of the
    predicates' names. exclusive: fail when the graph runs if several are True. strict: as in `cond`. Without
    `default`, running fails if none is True.

    Raises: TypeError if the pairs are no such thing.
    """
    predicates, functions = _checked_pairs(pred_fn_pairs, exclusive, name)
    with name_scope(name, "case", [predicates]):
        if default is None:
            default, predicates, functions = _default_of_last(predicates, functions)
        chosen = default
        for predicate, function in reversed(list(zip(predicates, functions))):
            chosen = functools.partial(cond, predicate, true_fn=function, false_fn=chosen, strict=strict)
        if not exclusive:
            return chosen()
        with control_dependencies([_at_most(predicates, 1, "Input error: exclusive=True")]):
            return chosen()


def _checked_pairs(pairs: Any, exclusive: bool, name: str) -> tuple[tuple[Tensor, ...], tuple[Function, ...]]:
    if not isinstance(pairs, (list, tuple, dict)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pairs)}")
    if isinstance(pairs, collections.OrderedDict):
        pairs = list(pairs.items())
    elif isinstance(pairs, dict):
        pairs = sorted(pairs.items(), key=lambda item: item[0].name)
        if not exclusive:
            _LOG.warning(
                "%s: An unordered dictionary of predicate/fn pairs was provided, but exclusive=False. The order of "
                "conditional tests is deterministic but not guaranteed.",
                name,
            )
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        predicate, function = pair
        if not isinstance(predicate, Tensor):
            raise TypeError(f"pred must be a Tensor, got: {predicate}")
        if predicate.dtype != datatypes.bool:
            raise TypeError(f"pred must be Tensor of type bool: {predicate.name}")
        if not callable(function):
            raise TypeError(f"fn for pred {predicate.name} must be callable.")
    predicates, functions = zip(*pairs)
    return predicates, functions


def _stacked(predicates: Sequence[Tensor]) -> Tensor:
    if not predicates:
        return constant([], name="preds_c")
    return apply_op("Pack", list(predicates), name="preds_c")


def _at_most(predicates: Sequence[Tensor], n: int, message: str) -> Any:
    """Return an Assert that at most `n` predicates are True."""
    stacked = _stacked(predicates)
    number = reduce_sum(cast(stacked, datatypes.int32), name="num_true_conds")
    condition = apply_op("LessEqual", number, constant(n, name="n_true_conds"))
    names = ", ".join(getattr(p, "name", "?") for p in predicates)
    said = f"{message}: more than {n} conditions ({names}) evaluated as True:"
    return Assert(condition, data=[said, stacked], summarize=len(predicates))


def _default_of_last(
    predicates: tuple[Tensor, ...], functions: tuple[Function, ...]
) -> tuple[Function, tuple[Tensor, ...], tuple[Function, ...]]:
    """Return the last function as the default, which checks that its predicate alone is True, and the other pairs."""
    last = len(predicates) - 1

    def default() -> Any:
        all_of_them = _stacked(predicates)
        others = _at_most(
            predicates[:last],
            0,
            f"Implementation error: selected default action #{last} was called, but some of other predicates are "
            "True: ",
        )
        own = Assert(predicates[last], data=("Input error: None of conditions evaluated as True:", all_of_them))
        with control_dependencies([others, own]):
            return functions[last]()

    return default, predicates[:last], functions[:last]


def switch_case(branch_index: Any, branch_fns: Any, default: Any = None, name: str = "switch_case") -> Any:
    """Return what `branch_fns[branch_index]` returns, or `default`, or the last one, if there is no such index.

    branch_index: an integer scalar. branch_fns: functions, or pairs of int and function, or a dict of them; the ints
    are 0, 1, 2, ... All return the same structure. It becomes a Case op that calls functions of the library.

    Raises: TypeError, ValueError if an argument is no such thing.
    """
    from icefloe.lib.control_flow_cond_v2 import indexed_case

    functions = _checked_functions(branch_fns, default, branch_index)
    with name_scope(name, "case", [branch_index]):
        return indexed_case(branch_index, functions)


def _checked_functions(branch_fns: Any, default: Any, branch_index: Any) -> list[Function]:
    if not isinstance(branch_index, Tensor):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype}")
    if not branch_fns:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    if not isinstance(branch_fns, (list, tuple, dict)):
        raise TypeError("'branch_fns' must be a list, tuple, or dict")
    pairs: list[Any] = list(branch_fns.items() if isinstance(branch_fns, dict) else branch_fns)
    if all(callable(function) for function in pairs):
        pairs = list(enumerate(pairs))
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
        key, function = pair
        if not isinstance(key, int):
            raise TypeError(f"key must be a Python `int`, got {type(key)}")
        if not callable(function):
            raise TypeError(f"fn for key {key} must be callable.")
    keys = sorted(key for key, _ in pairs)
    if keys != list(range(len(keys))):
        listed = ",".join(str(key) for key in keys)
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(keys)}) but found {{{listed}}}"
        )
    by_key = dict(pairs)
    functions = [by_key[key] for key in keys]
    return functions if default is None else [*functions, default]
