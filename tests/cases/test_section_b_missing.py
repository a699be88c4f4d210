"""A shard of a checkpoint is gone: what is elsewhere can be read, and the file that is missing is named."""

import copy
import pickle

import numpy as np
import pytest

import icefloe
from icefloe import ckpt, errors
from icefloe.checkpoint.slices import parse_spec
from icefloe.checkpoint.v1.writer import V1Writer
from icefloe.checkpoint.writer import BundleWriter

SHAPE = (10, 4)
VALUE = np.arange(40, dtype=np.float32).reshape(SHAPE)
SPECS = ["0,4:-", "4,3:-", "7,3:-"]


def slices():
    for spec in SPECS:
        _, chosen = parse_spec(f"10 4 {spec}")
        yield chosen, VALUE[chosen.index(SHAPE)]


@pytest.fixture
def old(tmp_path):
    """A V1 checkpoint of three shards, the second of which is gone; each held a part of `p` and a tensor."""
    for shard, (chosen, part) in enumerate(slices()):
        writer = V1Writer(tmp_path / f"m-{shard:05d}-of-00003")
        writer.add_slice("p", SHAPE, chosen, part)
        writer.add(f"own{shard}", np.int64(shard))
        writer.finish()
    with icefloe.open_checkpoint(tmp_path / "m") as reader:
        np.testing.assert_array_equal(reader["p"], VALUE)
    (tmp_path / "m-00001-of-00003").unlink()
    return tmp_path / "m"


def test_a_shard_of_the_old_format(old, cli):
    lost = f"{old}-00001-of-00003 is missing."
    with icefloe.open_checkpoint(old) as reader:
        assert [int(reader[name]) for name in ("own0", "own2")] == [0, 2]
        for name, cls in (("own1", errors.NotFoundError), ("p", errors.InvalidArgumentError)):
            with pytest.raises(cls) as caught:
                reader[name]
            assert lost in str(caught.value)
    assert lost in cli("ckpt", "cat", old, "p").err
    assert ckpt.verify(old).problems[0].message == lost.rstrip(".")


def test_rows_that_are_there(old, tmp_path, cli):
    writer = BundleWriter(tmp_path / "new", shards=3)
    for chosen, part in slices():
        writer.add_slice("p", SHAPE, chosen, part)
    writer.finish()
    (tmp_path / "new.data-00001-of-00003").unlink()
    for path in (old, tmp_path / "new"):
        with icefloe.open_checkpoint(path) as reader:
            for index in (np.s_[:4], np.s_[8], np.s_[9:6:-1, 1:], np.s_[-3:]):
                np.testing.assert_array_equal(ckpt.read_part(reader, "p", index), VALUE[index])
            with pytest.raises(errors.OpError):
                ckpt.read_part(reader, "p", np.s_[3:5])
        assert cli("ckpt", "cat", path, "p[0:2]").code == 0


def test_what_is_open_is_not_pickled(tmp_path):
    """It would come out as whatever file has its number there."""
    icefloe.save_checkpoint(tmp_path / "m", {"v": 1})
    with icefloe.open_checkpoint(tmp_path / "m") as reader:
        for task in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="give its path, and open it there"):
                task(reader)
