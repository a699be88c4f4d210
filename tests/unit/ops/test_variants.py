"""AddN of variants, whose classes say how they are added."""

from __future__ import annotations

from typing import Any

import pytest

from icefloe import datatypes, errors
from icefloe.ops.math import products


class Bag:
    def __init__(self, *held: Any) -> None:
        self.held = held

    def __add__(self, other: Bag) -> Bag:
        return Bag(*self.held, *other.held)


def test_variants_are_added_by_their_class() -> None:
    add = products.add_n(T=datatypes.variant, node="n")
    assert add((Bag(1), Bag(2, 3), Bag(4))).held == (1, 2, 3, 4)


@pytest.mark.parametrize("inputs", [(object(), object()), (Bag(1), 2)])
def test_other_variants_are_refused(inputs: tuple[Any, ...]) -> None:
    with pytest.raises(errors.InternalError, match="No binary variant op"):
        products.add_n(T=datatypes.variant, node="n")(inputs)
