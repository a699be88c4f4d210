"""A V1 checkpoint of tensors that come in pieces has the bytes of one of tensors that are given whole."""

import numpy as np
import pytest

from icefloe import errors, open_checkpoint
from icefloe.checkpoint.v1.writer import V1Writer
from icefloe.datatypes import as_dtype

RNG = np.random.default_rng(0)
SIZE = 200_000
VALUES = {
    "float": RNG.standard_normal((SIZE, 2)).astype(np.float32),
    "double": RNG.standard_normal(SIZE),
    "complex": (RNG.standard_normal(SIZE) + 1j).astype(np.complex64),
    "half": RNG.standard_normal(SIZE).astype(np.float16),
    "long": RNG.integers(-(1 << 62), 1 << 62, SIZE) >> RNG.integers(0, 62, SIZE),
    "short": RNG.integers(-300, 300, 3 * SIZE).astype(np.int16),
    "byte": RNG.integers(0, 256, 3 * SIZE).astype(np.uint8),
    "bool": RNG.integers(0, 2, 4 * SIZE).astype(bool),
    "small": np.arange(7, dtype=np.int64) - 3,
    "scalar": np.float32(3),
    "none": np.zeros((0, 3), np.int32),
}


def pieces(value, size=70_001):
    flat = np.ravel(value)
    return lambda: (flat[i : i + size] for i in range(0, flat.size, size))


def test_the_same_file(tmp_path):
    whole, parts = V1Writer(tmp_path / "whole"), V1Writer(tmp_path / "parts")
    for name, value in VALUES.items():
        whole.add(name, value)
        parts.add_lazy(
            name, as_dtype(value.dtype), value.shape, lambda: pytest.fail("asked for whole"), None, pieces(value)
        )
    whole.finish()
    parts.finish()
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "parts").read_bytes()
    with open_checkpoint(tmp_path / "parts") as reader:
        for name, value in VALUES.items():
            np.testing.assert_array_equal(reader[name], value)


def test_what_a_record_cannot_hold_is_refused_before_it_is_read(tmp_path):
    writer = V1Writer(tmp_path / "m")
    asked = pytest.fail
    writer.add_lazy("large", as_dtype("float32"), (1 << 20, 1 << 10), asked, None, lambda: asked("read"))
    with pytest.raises(errors.InvalidArgumentError, match=r"too large to serialize .* large"):
        writer.finish()
    assert not list(tmp_path.iterdir())


def test_pieces_of_another_size_are_noticed(tmp_path):
    writer = V1Writer(tmp_path / "m")
    value = np.zeros(SIZE, np.float32)
    writer.add_lazy("w", as_dtype("float32"), (SIZE + 1,), lambda: value, None, pieces(value))
    with pytest.raises(ValueError, match="expected a value of"):
        writer.finish()
    assert not list(tmp_path.iterdir())
