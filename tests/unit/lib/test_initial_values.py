"""Initial values equal TensorFlow's bit for bit, for the same graph and op seeds."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import icefloe as tf
from unit.lib import initial_variables

GOLDEN = Path(__file__).resolve().parents[3] / "fixtures" / "lib" / "initial_values.npz"


def test_initial_values_are_tensorflows() -> None:
    ours = initial_variables.values(tf)
    with np.load(GOLDEN) as golden:
        assert set(ours) == set(golden.files)
        for name in golden.files:
            wanted = golden[name]
            value = ours[name].view(np.uint16) if "bfloat16" in name else ours[name]
            assert value.dtype == wanted.dtype, name
            np.testing.assert_array_equal(value, wanted, err_msg=name)
