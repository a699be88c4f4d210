"""To safetensors, npz and h5 and back: bit equal, or refused in words."""

import ml_dtypes
import numpy as np
import pytest

import icefloe
from icefloe import errors
from icefloe.ckpt import convert


@pytest.mark.parametrize("kind", ["npz", "h5", "safetensors"])
def test_61_convert_back(tmp_path, kind, cli):
    values = {
        "scope/inner/w": np.arange(6, dtype=np.float32).reshape(2, 3),
        "scope/inner": np.float32(1),
        "a:0": np.float64([1.5, np.nan, -0.0]),
        "scalar": np.int64(7),
        "empty": np.zeros((0, 5), np.float16),
        "half": np.array([1.5, -2, np.inf], ml_dtypes.bfloat16),
        "small": np.array([-8, 7], ml_dtypes.int4),
    }
    icefloe.save_checkpoint(tmp_path / "m", values)
    assert cli("convert", tmp_path / "m", tmp_path / f"x.{kind}").code == 0
    assert cli("convert", tmp_path / f"x.{kind}", tmp_path / "back").code == 0
    for suffix in ("index", "data-00000-of-00001"):
        assert (tmp_path / f"back.{suffix}").read_bytes() == (tmp_path / f"m.{suffix}").read_bytes()


@pytest.mark.parametrize("kind", ["npz", "h5", "safetensors"])
def test_61_strings(tmp_path, kind):
    words = np.empty(2, object)
    words[:] = [b"a\0", b"\xff"]
    icefloe.save_checkpoint(tmp_path / "m", {"words": words, "w": 1.0})
    done = convert(tmp_path / "m", tmp_path / f"x.{kind}")
    assert done.in_side_entry == ["words"]
    with icefloe.open_checkpoint(tmp_path / f"x.{kind}") as reader:
        assert reader["words"].tolist() == [b"a\0", b"\xff"]
    for options in ({"plain": True}, {"strings": "refuse"}):
        with pytest.raises(errors.InvalidArgumentError, match="words is a tensor of strings"):
            convert(tmp_path / "m", tmp_path / f"y.{kind}", **options)
        assert not (tmp_path / f"y.{kind}").exists()
