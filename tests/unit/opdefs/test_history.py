"""Since when ops and attrs exist, against release notes and sources of TensorFlow."""

from __future__ import annotations

import pytest

from icefloe import opdefs
from icefloe.opdefs import history
from icefloe.proto import AttrValue


def since(op: str) -> str:
    found = history.since(op)
    assert found is not None
    return history.releases()[found]


@pytest.mark.parametrize(
    ("op", "release"),
    [
        ("MatMul", "1.0"),
        ("HashTableV2", "1.2"),
        ("AddV2", "1.5"),
        ("If", "1.8"),
        ("PartitionedCall", "1.9"),
        ("FusedBatchNormV3", "1.14"),
        ("SelectV2", "1.14"),
        ("MatrixDiagV3", "2.2"),
        ("BatchMatMulV3", "2.6"),
        ("NonMaxSuppressionV5", "1.15"),
    ],
)
def test_an_op_has_its_first_release(op: str, release: str) -> None:
    assert since(op) == release


@pytest.mark.parametrize(
    ("op", "attr", "release"),
    [
        ("Conv2D", "dilations", "1.5"),
        ("Conv2D", "explicit_paddings", "1.14"),
        ("Cast", "Truncate", "1.11"),
        ("ResizeBilinear", "half_pixel_centers", "1.14"),
        ("Equal", "incompatible_shape_error", "1.15"),
        ("ArgMax", "output_type", "1.3"),
        ("Conv2D", "strides", "1.0"),
    ],
)
def test_an_attr_has_its_first_release(op: str, attr: str, release: str) -> None:
    assert history.releases()[history.attr_since(op, attr)] == release


def test_a_value_has_its_first_release() -> None:
    explicit, valid = AttrValue(s=b"EXPLICIT"), AttrValue(s=b"VALID")
    assert history.releases()[history.value_since("MaxPool", "padding", explicit)] == "2.4"
    assert history.releases()[history.value_since("MaxPool", "padding", valid)] == "1.0"


def test_the_shape_of_a_placeholder_was_a_scalar_by_default() -> None:
    assert history.new_defaults("Placeholder", history.find("1.1")) == ["shape"]
    assert history.new_defaults("Placeholder", history.find("1.2")) == []


@pytest.mark.parametrize("name", ["1.15", "v1.15.2", "1.15.0-rc1", " 1.15 "])
def test_a_release_is_found_by_any_of_its_versions(name: str) -> None:
    assert history.releases()[history.find(name)] == "1.15"


@pytest.mark.parametrize("name", ["0.12", "3.0", "two", "", "1"])
def test_other_releases_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"there are 1\.0, 1\.1"):
        history.find(name)


def test_producers_rise_with_releases_of_one_line() -> None:
    known = {name: history.producer(i) for i, name in enumerate(history.releases())}
    assert (known["1.0"], known["1.14"], known["1.15"], known["2.0"]) == (21, 38, 134, 119)
    newer = [n for name, n in known.items() if name.startswith("2.")]
    assert newer == sorted(newer)


def test_every_op_of_the_table_has_a_first_release_and_lasts() -> None:
    for name in opdefs.names():
        first = history.since(name)
        assert first is not None
        assert history.until(name) is None
