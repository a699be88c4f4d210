"""State files and directories of any content: an answer or a typed error, and nothing that is not a checkpoint's is
touched.
"""

from __future__ import annotations

import contextlib
import random

import numpy as np
import pytest

import icefloe as tf
from icefloe import ckpt, errors

STATES = {
    "a zero byte": 'model_checkpoint_path: "m\\0x"',
    "another file": 'model_checkpoint_path: "../../../../../../etc/passwd"',
    "itself": 'model_checkpoint_path: "checkpoint"',
    "the directory": 'model_checkpoint_path: "."',
    "nothing": 'model_checkpoint_path: ""',
    "no UTF-8": b'model_checkpoint_path: "\xff\xfe"',
    "many parts": 'model_checkpoint_path: "' + "a/" * 20_000 + 'm"',
    "a long name": 'model_checkpoint_path: "' + "a" * 100_000 + '"',
    "nested": "{" * 5000,
    "another message": "node { name: 'x' }",
    "escapes": 'model_checkpoint_path: "\\377\\376/m-1"',
    "more timestamps than paths": 'model_checkpoint_path: "m"\nall_model_checkpoint_timestamps: 1\n',
}


def answered(task):
    """Whether a task gave an answer; a typed error is one too, any other exception passes through."""
    try:
        task()
    except errors.OpError:
        return False
    return True


def ask_everything(folder):
    answered(lambda: tf.train.latest_checkpoint(folder))
    with contextlib.suppress(ValueError):  # TensorFlow's, for one that names no latest checkpoint
        tf.train.get_checkpoint_state(folder)
    answered(lambda: ckpt.state(folder))
    answered(lambda: ckpt.state(folder, fix=True))
    answered(lambda: ckpt.state(folder, rebuild=True, dry_run=True))
    answered(lambda: ckpt.prune(folder, keep=1, dry_run=False))
    answered(lambda: ckpt.clean(folder, older_than=0, dry_run=False))
    answered(lambda: tf.open_checkpoint(folder))


@pytest.mark.parametrize("content", STATES.values(), ids=STATES)
def test_state_files(tmp_path, content):
    data = content if isinstance(content, bytes) else content.encode()
    (tmp_path / "checkpoint").write_bytes(data)
    ask_everything(tmp_path)
    assert (tmp_path / "checkpoint").read_bytes() == data
    tf.save_checkpoint(tmp_path / "m-1", {"v": np.float32(1)})
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "m-1")
    ask_everything(tmp_path)
    assert (tmp_path / "m-1.index").exists()


@pytest.mark.parametrize("seed", range(4))
def test_mutated_state_files(tmp_path, seed):
    rng = random.Random(seed)
    for step in (1, 2):
        tf.save_checkpoint(tmp_path / f"m-{step}", {"v": np.float32(1)})
    original = b'model_checkpoint_path: "m-2"\nall_model_checkpoint_paths: "m-1"\nall_model_checkpoint_paths: "m-2"\n'
    for _ in range(25):
        data = bytearray(original)
        for _ in range(rng.randrange(1, 5)):
            at = rng.randrange(len(data))
            data[at : at + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
        (tmp_path / "checkpoint").write_bytes(bytes(data))
        answered(lambda: ckpt.state(tmp_path))
        answered(lambda: ckpt.state(tmp_path, fix=True, dry_run=True))
        answered(lambda: ckpt.prune(tmp_path, keep=1))
        assert tf.train.latest_checkpoint(tmp_path) in (str(tmp_path / "m-1"), str(tmp_path / "m-2"))


def test_files_of_others_stay(tmp_path):
    """Names that are nearly those of checkpoints and temporaries."""
    token = "0123456789abcdef"
    near = [
        f"m.tmp-{token}x",
        f"tmp-{token}",
        "m-1.index.commit",
        "m-1.index.commit-xyz",
        "m-1.data-0-of-1",
        "m-1.data-00000-of-00001.bak",
        "m.tempstate",
        "m.tempstate12x",
        "-1",
        "m-1",
        "model.meta",
        "m-5.meta",
        "_temp",
        "x.index.tmp-",
    ]
    for name in near:
        (tmp_path / name).write_bytes(b"mine")
    (tmp_path / "work_temp").mkdir()
    (tmp_path / "work_temp" / "partners.txt").write_bytes(b"mine")
    (tmp_path / "deep_temp" / "part-00000-of-00001.index").mkdir(parents=True)
    before = sorted(str(p) for p in tmp_path.rglob("*"))
    ask_everything(tmp_path)
    assert sorted(str(p) for p in tmp_path.rglob("*")) == before
