"""Gradient rules of users, and how a node's rule is found.

A rule takes the operation and the gradient of each output and returns the gradient of each input: a tensor,
IndexedSlices, or None where nothing passes. Rules of the ops that icefloe knows stand with their kernels.

Source: tensorflow/python/framework/ops.py (messages).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from icefloe.graph import registry
from icefloe.graph.operation import Operation

Rule = Callable[..., Any]
F = TypeVar("F", bound=Rule)

# Rules of users: by op type, or by a name that an override map uses.
_OWN: dict[str, Rule | None] = {}


class RegisterGradient:
    """Decorator that registers a function as the gradient rule of an op type, or under a name that
    `Graph.gradient_override_map` can refer to.

    Raises: TypeError if the name is no str; KeyError if it has a rule.
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: F) -> F:
        """Register `f` and return it."""
        _register(self._op_type, f)
        return f


def _register(op_type: str, rule: Rule | None) -> None:
    if has_rule(op_type):
        raise KeyError(f"Registering two gradient with name '{op_type}'!")
    _OWN[op_type] = rule


def not_differentiable(op_type: str) -> None:
    """Declare that ops of this type pass no gradient. Raises: TypeError if it is no str; KeyError if it has a rule."""
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    _register(op_type, None)


def rule_of(op: Operation) -> Rule | None:
    """Return the gradient rule of a node, None where it passes no gradient. Raises: LookupError if there is no rule."""
    if not op.inputs:
        return None
    name = op.get_attr("_gradient_op_type").decode() if op.has_attr("_gradient_op_type") else op.type
    if not has_rule(name):
        raise LookupError(f"gradient registry has no entry for: {name}")
    return _OWN[name] if name in _OWN else registry.GRADIENTS[name]


def has_rule(op_type: str) -> bool:
    """Whether there is a rule, or the declaration that none is needed, for ops of this type."""
    if op_type in _OWN:
        return True
    registry.load_gradient(op_type)
    return op_type in registry.GRADIENTS
