"""Integer products by float64 equal those in the integers themselves, wrapping around included."""

from __future__ import annotations

import numpy as np
import pytest

from icefloe import datatypes
from icefloe.ops.math import products


@pytest.mark.parametrize("scale", [1, 1000, 2**15, 2**40])
@pytest.mark.parametrize("name", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"])
def test_large_integer_products(name: str, scale: int) -> None:
    info = np.iinfo(name)
    values = (np.arange(40 * 50) * 7919 % 2003 - 1001).astype(object) * scale
    a = (values % (int(info.max) + 1)).astype(name).reshape(40, 50)
    b = (values[::-1] * (1 if info.min == 0 else -1) % (int(info.max) + 1)).astype(name).reshape(50, 40)
    if info.min < 0:
        a = -a
    expected = np.matmul(a.astype(object), b.astype(object)) % (1 << info.bits)
    got = products.matrix_product(datatypes.as_dtype(name))(a, b)
    assert got.dtype == a.dtype
    assert np.array_equal(got.astype(object) % (1 << info.bits), expected)
