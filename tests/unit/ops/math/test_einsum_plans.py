"""Einsum remembers how operands of known shapes go: the second call answers as the first, which goldens hold."""

from __future__ import annotations

import numpy as np
import pytest

from icefloe import datatypes
from icefloe.errors import InvalidArgumentError
from icefloe.ops.math.einsum import einsum

EQUATIONS = {
    "abc,cde->abde": ((2, 3, 4), (4, 5, 6)),
    "aecd,abcd->acbe": ((2, 3, 4, 5), (2, 6, 4, 5)),
    "acbe,aecd->abcd": ((2, 4, 6, 3), (2, 3, 4, 5)),
    "...ij,...jk->...ik": ((2, 3, 4, 5), (2, 3, 5, 6)),
    "ij,jk->ki": ((3, 4), (4, 5)),
    "i,i->": ((7,), (7,)),
    "ij,kj->": ((3, 4), (5, 4)),
    "bi,bj->bij": ((2, 3), (2, 4)),
    "ii,ij->ij": ((3, 3), (3, 4)),
    "ij,jk->iki": ((3, 4), (4, 3)),
    "ijk,kl->il": ((2, 3, 4), (4, 5)),
}


@pytest.mark.parametrize("equation", EQUATIONS)
def test_again(equation: str) -> None:
    draw = np.random.default_rng(0)
    run = einsum(equation=equation, N=2, T=datatypes.float32)
    for shapes in (EQUATIONS[equation], EQUATIONS[equation]):
        x, y = (draw.standard_normal(s).astype(np.float32) for s in shapes)
        first, second = run((x, y)), run((x, y))
        if equation == "ij,jk->iki":
            want = np.einsum("ij,jk->ik", x, y)[:, :, None] * np.eye(3)[:, None, :]
        else:
            want = np.einsum(equation, x, y)
        for got in (first, second):
            assert got.dtype == np.float32 and not np.shares_memory(got, x) and not np.shares_memory(got, y)
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_other_shapes_and_wrong_ones() -> None:
    run = einsum(equation="...ij,...jk->...ik", N=2, T=datatypes.float32)
    for stack in ((2,), (1,), (), (3, 2), (2,)):
        x, y = np.ones((*stack, 3, 4), np.float32), np.ones((2, 4, 5), np.float32)
        assert run((x, y)).tolist() == np.matmul(x, y).tolist()
        assert run((x, y)).tolist() == np.matmul(x, y).tolist()
    for _ in range(2):
        with pytest.raises(InvalidArgumentError):
            run((np.ones((2, 3, 4), np.float32), np.ones((2, 5, 5), np.float32)))


def test_many_shapes() -> None:
    run = einsum(equation="ij,jk->ik", N=2, T=datatypes.int32)
    for n in range(1, 250):
        got = run((np.ones((n, 2), np.int32), np.ones((2, 3), np.int32)))
        assert got.shape == (n, 3) and (got == 2).all()
