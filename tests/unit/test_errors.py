"""Errors carry TensorFlow's codes, are the nearest builtins, and say where."""

from __future__ import annotations

import pickle

import pytest

from icefloe import errors


@pytest.mark.parametrize(
    ("name", "code", "builtin"),
    [
        ("InvalidArgumentError", 3, ValueError),
        ("NotFoundError", 5, LookupError),
        ("ResourceExhaustedError", 8, MemoryError),
        ("FailedPreconditionError", 9, RuntimeError),
        ("UnimplementedError", 12, NotImplementedError),
        ("DeadlineExceededError", 4, TimeoutError),
        ("DataLossError", 15, ValueError),
    ],
)
def test_class_code_and_builtin(name: str, code: int, builtin: type[Exception]) -> None:
    cls = getattr(errors, name)
    assert errors.exception_type_from_error_code(code) is cls
    assert errors.error_code_from_exception_type(cls) == code
    error = cls("what went wrong")
    assert isinstance(error, builtin)
    assert error.error_code == code
    assert str(error) == error.message == "what went wrong"


def test_tensorflows_constructor() -> None:
    error = errors.InvalidArgumentError(None, None, "text")
    assert (error.message, error.node_def, error.op) == ("text", None, None)
    with pytest.raises(TypeError):
        errors.InvalidArgumentError(None, None)


def test_context_is_added_once_and_shown() -> None:
    error = errors.DataLossError("block checksum mismatch", offset=17)
    error.add_context(path="a.index").add_context(path="b.index", node="save/RestoreV2")
    assert str(error) == "a.index at byte 17: node 'save/RestoreV2': block checksum mismatch"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.offset) == (type(error), str(error), 17)


def test_hint_stands_on_its_own_line() -> None:
    assert str(errors.NotFoundError("no such tensor", hint="Did you mean x:0?")) == "no such tensor\nDid you mean x:0?"
