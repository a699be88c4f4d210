"""The cell of a variable: copy on write, dtype and shape checks, no torn reads."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from icefloe import datatypes, errors
from icefloe.machine import memory
from icefloe.resources import ResourceVariable, Variable
from icefloe.resources.variable import update_together


def cell(value: object, dtype: datatypes.DType = datatypes.float32) -> Variable:
    made = Variable(dtype, np.shape(value), "v")
    made.assign(np.array(value, dtype.numpy))
    return made


def add_one(array: np.ndarray) -> None:
    np.add(array, 1, out=array)


def test_an_array_handed_out_never_changes() -> None:
    v = cell([1.0, 2.0])
    held = v.read()
    v.update(add_one)
    assert held.tolist() == [1.0, 2.0]
    assert v.read().tolist() == [2.0, 3.0]


def test_a_view_of_the_array_keeps_its_value() -> None:
    v = cell([1.0, 2.0])
    view = v.read()[1:]
    v.update(add_one)
    assert view.tolist() == [2.0]


def test_an_update_is_in_place_where_nobody_else_holds_the_array() -> None:
    v = cell([1.0, 2.0])
    where = v.read().ctypes.data
    v.update(add_one)
    assert v.read().ctypes.data == where
    v.assign(np.array([5.0, 6.0], np.float32))
    assert v.read().ctypes.data == where


def test_assign_copies_unless_fresh() -> None:
    v = Variable(datatypes.float32, (2,), "v")
    given = np.array([1.0, 2.0], np.float32)
    v.assign(given)
    given[0] = 9
    assert v.read().tolist() == [1.0, 2.0]
    v.assign(given, fresh=True)
    assert v.read() is given


@pytest.mark.parametrize("given", [np.zeros((2, 3), np.float32).T, np.zeros(6, np.float32)[::2], np.zeros(3, "f4")[:]])
def test_a_fresh_view_is_copied_all_the_same(given: np.ndarray) -> None:
    v = Variable(datatypes.float32, None, "v")
    v.assign(given, fresh=True)
    held = v.read()
    assert held.base is None and held.flags.c_contiguous


def test_an_array_with_pages_of_its_own_is_kept_and_its_views_do_not_change() -> None:
    large = memory.empty((3 << 20,), np.dtype(np.float32))
    large[:] = 1
    where = large.ctypes.data
    v = Variable(datatypes.float32, large.shape, "v")
    v.assign(large, fresh=True)
    del large
    view = v.read()[-2:]
    v.update(add_one)
    assert view.tolist() == [1.0, 1.0] and v.read()[-2:].tolist() == [2.0, 2.0]
    assert v.read().ctypes.data != where
    del view
    where = v.read().ctypes.data
    v.update(add_one)
    assert v.read().ctypes.data == where


def test_a_failing_update_keeps_the_value() -> None:
    v = cell([1.0, 2.0])

    def fail(array: np.ndarray) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        v.update(fail)
    assert v.read().tolist() == [1.0, 2.0]


def test_updates_of_several_cells_change_all_or_none() -> None:
    a, b = cell([1.0]), cell([2.0])

    def swap(x: np.ndarray, y: np.ndarray) -> None:
        x[0], y[0] = y[0], x[0]

    update_together([a, b], swap)
    assert a.read() == 2 and b.read() == 1
    held = a.read()
    update_together([b, a], swap)
    assert held == 2 and a.read() == 1 and b.read() == 2
    with pytest.raises(errors.FailedPreconditionError, match="value w"):
        update_together([a, Variable(datatypes.float32, (1,), "w")], swap)
    assert a.read() == 1


def test_a_resource_without_a_value_may_change_its_dtype() -> None:
    v = ResourceVariable(datatypes.float32, (), "v")
    v.declare(datatypes.int32)
    v.assign(np.int32(3))
    v.declare(datatypes.float32)
    assert v.dtype == datatypes.int32
    assert "localhost/v" in v.missing().message


def test_an_update_may_return_a_new_array() -> None:
    v = cell([1.0, 2.0])
    v.update(lambda array: array[:1] * 3)
    assert v.read().tolist() == [3.0]
    assert v.read().base is None


@pytest.mark.parametrize("is_resource", [False, True])
def test_uninitialized(is_resource: bool) -> None:
    v = (ResourceVariable if is_resource else Variable)(datatypes.float32, (2,), "v")
    assert not v.initialized and v.array is None and v.current_shape == (2,)
    text = "Could not find variable v. This could mean" if is_resource else "Attempting to use uninitialized value v"
    with pytest.raises(errors.FailedPreconditionError, match=text):
        v.read()
    with pytest.raises(errors.FailedPreconditionError, match=text):
        v.update(add_one)
    assert not v.initialized


def test_shapes_are_checked_against_the_value_then_the_declaration() -> None:
    v = Variable(datatypes.float32, (None, 2), "v")
    with pytest.raises(errors.InvalidArgumentError, match=r"lhs shape= \[\?,2\] rhs shape= \[3\]"):
        v.assign(np.zeros(3, np.float32))
    v.assign(np.zeros((4, 2), np.float32))
    with pytest.raises(errors.InvalidArgumentError, match=r"lhs shape= \[4,2\] rhs shape= \[5,2\]"):
        v.assign(np.zeros((5, 2), np.float32))
    v.assign(np.zeros((5, 2), np.float32), validate_shape=False)
    assert v.current_shape == (5, 2)


def test_another_dtype_is_refused() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="Expected float32 got float64"):
        cell([1.0]).assign(np.zeros(1))


def test_strings_and_scalars() -> None:
    v = cell(b"a", datatypes.string)
    held = v.read()
    v.assign(np.array(b"b", object))
    assert held[()] == b"a" and v.read()[()] == b"b"
    n = cell(1, datatypes.int64)
    n.update(add_one)
    assert n.read().shape == () and n.read() == 2


def test_clear_makes_it_uninitialized() -> None:
    v = cell([1.0])
    v.clear()
    assert not v.initialized


def test_reads_of_other_threads_are_never_torn() -> None:
    v = cell(np.zeros(20_000))
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            v.update(add_one)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(300):
            held = v.read()
            first = held[0]
            assert (held == first).all()
    finally:
        stop.set()
        writer.join()
    assert v.read()[0] > 0
