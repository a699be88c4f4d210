"""Products of matrices in blocks, and BLAS held to one thread."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

from icefloe.machine import blas, products, threads


@pytest.mark.parametrize("shape", [(700, 300, 40), (40, 300, 700), (3, 5, 4), (1, 400, 250), (200, 400, 1)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
def test_products(shape: tuple[int, int, int], dtype: type) -> None:
    rows, inner, columns = shape
    draw = np.random.default_rng(0)
    a, b = draw.random((rows, inner)).astype(dtype), draw.random((inner, columns)).astype(dtype)
    want = a.astype(np.complex128) @ b.astype(np.complex128)
    for left, right in ((a, b), (np.asfortranarray(a), np.asfortranarray(b))):
        out = np.empty((rows, columns), dtype)
        products.matmul(left, right, out)
        np.testing.assert_allclose(out, want, rtol=1e-5)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((6, 100, 90), (6, 90, 110)),
        ((1, 6, 100, 90), (5, 1, 90, 110)),
        ((100, 90), (12, 90, 110)),
        ((3, 200, 90), (90, 110)),
        ((2, 1, 3, 4), (3, 4, 2)),
        ((1, 1, 300, 90), (90, 300)),
        ((0, 300, 90), (90, 300)),
        ((3, 500, 0), (0, 300)),
    ],
)
def test_stacks_of_products(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    draw = np.random.default_rng(0)
    a, b = draw.random(left, np.float32), draw.random(right, np.float32)
    want = a.astype(np.float64) @ b.astype(np.float64)
    for width in (1, 2):
        with threads.using(width):
            got = products.product(a, b)
            turned = products.product(np.swapaxes(np.swapaxes(a, -1, -2).copy(), -1, -2), b)
        assert got.dtype == np.float32 and got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-5)
        np.testing.assert_allclose(turned, want, rtol=1e-5)


def test_what_finishes_sees_each_element_once() -> None:
    draw = np.random.default_rng(0)
    a, b = draw.random((800, 200), np.float32), draw.random((200, 96), np.float32)
    bias = np.arange(96, dtype=np.float32)

    def finish(block: np.ndarray, rows: slice, columns: slice) -> None:
        block += bias[columns]
        block += np.arange(800, dtype=np.float32)[rows, None]

    out = np.empty((800, 96), np.float32)
    products.matmul(a, b, out, finish)
    np.testing.assert_allclose(out, a @ b + bias + np.arange(800)[:, None], rtol=1e-5)


def test_the_number_of_threads_changes_nothing() -> None:
    draw = np.random.default_rng(0)
    a, b = draw.random((1000, 333), np.float32), draw.random((333, 257), np.float32)
    found = []
    for width in (1, 2, 3):
        out = np.empty((1000, 257), np.float32)
        with threads.using(width):
            products.matmul(a, b, out)
        found.append(out)
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])


@pytest.mark.parametrize(
    ("rows", "columns", "inner"), [(1000, 10, 4000), (10, 1000, 4000), (512, 2048, 640), (1, 1, 1)]
)
def test_blocks_cover_a_product(rows: int, columns: int, inner: int) -> None:
    for finishes in (False, True):
        seen = np.zeros((rows, columns), int)
        for block in products.blocks(rows, columns, inner, 4, finishes=finishes):
            seen[block] += 1
        assert (seen == 1).all()


def _counts() -> list[int]:
    return [get() for get, _ in blas._libraries()]


def test_blas_has_one_thread_inside_and_its_own_outside() -> None:
    with blas.alone:
        pass
    before = _counts()
    assert before
    for _, limit in blas._libraries():
        limit(2)
    try:
        with blas.alone:
            entered = blas.alone.entered
            with blas.alone:
                assert set(_counts()) == {1}
            assert blas.alone.entered == entered
            assert set(_counts()) == {1}
        assert set(_counts()) == {2}

        inside, leave = threading.Event(), threading.Event()

        def stay() -> None:
            with blas.alone:
                inside.set()
                leave.wait(10)

        thread = threading.Thread(target=stay)
        thread.start()
        inside.wait(10)
        with blas.alone:
            pass
        assert set(_counts()) == {1}  # the other is still in it
        leave.set()
        thread.join()
        assert set(_counts()) == {2}
    finally:
        for (_, limit), count in zip(blas._libraries(), before, strict=True):
            limit(count)


def test_a_child_process_has_blas_for_itself() -> None:
    inside, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with blas.alone:
            inside.set()
            leave.wait(10)

    before = _counts()
    thread = threading.Thread(target=stay)
    thread.start()
    inside.wait(10)
    child = os.fork()
    if not child:
        try:
            right = _counts() == before
            with blas.alone:
                right = right and set(_counts()) == {1}
            os._exit(0 if right and _counts() == before else 1)
        finally:
            os._exit(2)
    leave.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
    assert _counts() == before
