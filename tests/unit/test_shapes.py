"""Dimension and TensorShape behave as TensorFlow 1's; the plain form and TensorShapeProto convert to and fro."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from icefloe import errors, shapes
from icefloe.proto import TensorShapeProto
from icefloe.shapes import Dimension, TensorShape, as_shape, unknown_shape


def test_indexing_gives_dimensions() -> None:
    shape = TensorShape([2, None])
    assert isinstance(shape[0], Dimension)
    assert shape[0] == 2
    assert shape[0].value == 2
    assert shape[1].value is None
    assert [d.value for d in shape] == [2, None]
    assert shape[1:].as_list() == [None]
    assert shape.dims is not None and [str(d) for d in shape.dims] == ["2", "?"]


@pytest.fixture
def v2() -> Iterator[None]:
    shapes.enable_v2_tensorshape()
    yield
    shapes.disable_v2_tensorshape()


@pytest.mark.usefixtures("v2")
def test_indexing_gives_ints_where_that_was_asked_for() -> None:
    shape = TensorShape([2, None])
    assert shape[0] is not None and type(shape[0]) is int
    assert list(shape) == [2, None]
    assert (str(shape), repr(shape)) == ("(2, None)", "TensorShape([2, None])")
    assert unknown_shape()[0] is None


@pytest.mark.parametrize(
    ("dims", "text", "representation"),
    [
        (None, "<unknown>", "TensorShape(None)"),
        ([], "()", "TensorShape([])"),
        ([3], "(3,)", "TensorShape([Dimension(3)])"),
        ([None], "(?,)", "TensorShape([Dimension(None)])"),
        ([1, None], "(1, ?)", "TensorShape([Dimension(1), Dimension(None)])"),
    ],
)
def test_texts(dims: Any, text: str, representation: str) -> None:
    assert str(TensorShape(dims)) == text
    assert repr(TensorShape(dims)) == representation


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (3, (3,)),
        ((1, Dimension(2), None), (1, 2, None)),
        (np.array([4, 5]), (4, 5)),
        (iter([6]), (6,)),
        (TensorShape([7]), (7,)),
        (TensorShapeProto(unknown_rank=True), None),
        (np.int64(3), (3,)),
    ],
)
def test_what_a_shape_is_made_of(given: Any, expected: Any) -> None:
    assert shapes.to_tuple(given) == expected


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ([-1], ValueError, "Dimension -1 must be >= 0"),
        (["a"], TypeError, "Dimension value must be integer or None or have an __index__ method"),
        ("ab", TypeError, "could not be converted to a dimension"),
        ([1.5], TypeError, "__index__"),
    ],
)
def test_what_no_shape_is_made_of(given: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        TensorShape(given)


def test_arithmetic_of_dimensions() -> None:
    three, unknown = Dimension(3), Dimension(None)
    values = [
        three + 1,
        1 + three,
        three - 1,
        7 - three,
        three * 2,
        2 * three,
        three // 2,
        7 // three,
        three % 2,
        7 % three,
    ]
    assert [d.value for d in values] == [4, 4, 2, 4, 6, 6, 1, 2, 1, 1]
    assert [(unknown + 1).value, (2 * unknown).value, (three // unknown).value] == [None] * 3
    with pytest.raises(TypeError, match="please use // instead"):
        three / 2
    with pytest.raises(TypeError, match="please use // instead"):
        2 / three
    with pytest.raises(TypeError):
        three + "a"


def test_comparing_dimensions() -> None:
    three, unknown = Dimension(3), Dimension(None)
    assert (three == 3, three != 4, three < 4, three <= 3, three > 2, three >= 4) == (
        True,
        True,
        True,
        True,
        True,
        False,
    )
    assert [unknown == 3, three == unknown, unknown < 3, unknown != 3] == [None] * 4
    assert (three == "a") is False
    assert list(range(three)) == [0, 1, 2]
    assert int(three) == 3
    assert hash(three) == hash(3)
    with pytest.raises(TypeError):
        int(unknown)


def test_merging_dimensions() -> None:
    assert Dimension(None).merge_with(4).value == 4
    assert Dimension(4).merge_with(None).value == 4
    with pytest.raises(ValueError, match="Dimensions 3 and 4 are not compatible"):
        Dimension(3).merge_with(4)


def test_merging_and_joining_shapes() -> None:
    assert TensorShape([None, 3]).merge_with([2, None]).as_list() == [2, 3]
    assert TensorShape(None).merge_with([2]).as_list() == [2]
    assert TensorShape([1]).concatenate([None]).as_list() == [1, None]
    assert (TensorShape([1]) + [2]).as_list() == [1, 2]
    assert ([1] + TensorShape([2])).as_list() == [1, 2]
    assert TensorShape([1]).concatenate(None).rank is None
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(3,\) are not compatible"):
        TensorShape([2]).merge_with([3])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: s.with_rank(1), r"Shape \(2, \?\) must have rank 1"),
        (lambda s: s.with_rank_at_least(3), r"Shape \(2, \?\) must have rank at least 3"),
        (lambda s: s.with_rank_at_most(1), r"Shape \(2, \?\) must have rank at most 1"),
        (lambda s: s.assert_has_rank(3), r"Shape \(2, \?\) must have rank 3"),
        (lambda s: s.assert_same_rank([1]), r"Shapes \(2, \?\) and \(1,\) must have the same rank"),
        (lambda s: s.assert_is_compatible_with(TensorShape([3, 1])), r"Shapes \(2, \?\) and \(3, 1\) are incompatible"),
        (lambda s: s.assert_is_fully_defined(), r"Shape \(2, \?\) is not fully defined"),
        (lambda s: unknown_shape().as_list(), "as_list\\(\\) is not defined on an unknown TensorShape."),
        (lambda s: len(unknown_shape()), "Cannot take the length of shape with unknown rank."),
        (lambda s: list(unknown_shape()), "Cannot iterate over a shape with unknown rank."),
        (lambda s: unknown_shape()[::2], "Steps are not yet handled"),
    ],
)
def test_refusals(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call(TensorShape([2, None]))


def test_what_is_not_refused() -> None:
    shape = TensorShape([2, None])
    assert shape.with_rank(2) == shape
    assert unknown_shape().with_rank(2).as_list() == [None, None]
    assert shape.with_rank_at_least(2) is shape
    assert shape.with_rank_at_most(2) is shape
    assert shape.is_compatible_with([2, 7])
    assert not shape.is_compatible_with([2])
    assert shape.is_compatible_with(None)
    assert bool(unknown_shape()) is False
    assert bool(TensorShape([])) is True
    assert unknown_shape()[1:3].as_list() == [None, None]
    assert unknown_shape()[1:].rank is None
    assert unknown_shape()[0].value is None
    assert unknown_shape(ndims=1).as_list() == [None]
    with pytest.raises(TypeError, match="Unknown argument"):
        unknown_shape(size=1)


def test_counting_elements() -> None:
    assert TensorShape([2, 3]).num_elements() == 6
    assert TensorShape([]).num_elements() == 1
    assert TensorShape([2, None]).num_elements() is None
    assert TensorShape(None).num_elements() is None


def test_equality_and_pickling() -> None:
    assert TensorShape([2, None]) == [2, None]
    assert TensorShape([2]) != [3]
    assert TensorShape(None) != TensorShape([])
    assert (TensorShape([1]) == "a") is False
    assert len({TensorShape([1]), TensorShape([1]), TensorShape(None)}) == 2
    for value in (TensorShape([2, None]), TensorShape(None), Dimension(3), Dimension(None)):
        assert repr(pickle.loads(pickle.dumps(value))) == repr(value)


def test_subtypes() -> None:
    assert TensorShape([2, 3]).is_subtype_of(TensorShape([None, 3]))
    assert not TensorShape([None, 3]).is_subtype_of(TensorShape([2, 3]))
    assert TensorShape([2]).is_subtype_of(TensorShape(None))
    assert not TensorShape(None).is_subtype_of(TensorShape([2]))
    assert not TensorShape([2]).is_subtype_of([2])
    assert TensorShape([2, 3]).most_specific_common_supertype([TensorShape([2, 4])]) == [2, None]
    assert TensorShape([2]).most_specific_common_supertype([TensorShape([2, 4])]) == TensorShape(None)
    assert TensorShape([2]).most_specific_common_supertype(["x"]) is None


def test_protos() -> None:
    proto = TensorShape([2, None]).as_proto()
    assert [d.size for d in proto.dim] == [2, -1]
    assert as_shape(proto) == [2, None]
    assert TensorShape(None).as_proto().unknown_rank
    assert shapes.dims_from_proto(TensorShapeProto(dim=[{"size": -5}])) == (None,)


def test_dimension_access_of_either_form() -> None:
    assert shapes.dimension_value(Dimension(3)) == 3
    assert shapes.dimension_value(3) == 3
    assert shapes.dimension_value(None) is None
    assert shapes.dimension_at_index(TensorShape([4]), 0).value == 4
    assert shapes.dimension_at_index(unknown_shape(), 7).value is None


@pytest.mark.parametrize(
    ("a", "b", "merged"),
    [(None, (2,), (2,)), ((2,), None, (2,)), ((None, 3), (2, None), (2, 3)), ((), (), ()), (None, None, None)],
)
def test_merging_plain_shapes(a: Any, b: Any, merged: Any) -> None:
    assert shapes.merge(a, b) == merged


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ((2,), (2, 3), "Shapes must be equal rank, but are 1 and 2"),
        (
            (2, None),
            (3, 1),
            r"Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are \[2,\?\] and \[3,1\].",
        ),
    ],
)
def test_plain_shapes_that_do_not_merge(a: Any, b: Any, words: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=words):
        shapes.merge(a, b)


def test_shapes_in_messages() -> None:
    assert [shapes.shape_text(s) for s in (None, (), (2, None))] == ["<unknown>", "[]", "[2,?]"]
