"""Pruning and cleaning a directory of checkpoints: only what is to go goes."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import numpy as np
import pytest

import icefloe as tf
from cases.damage import change, copied, data_file, saved
from cases.directories import listed, save, state, steps_in
from icefloe import ckpt, errors
from unit.checkpoint.stopping import Machine

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

# Pruning


@pytest.fixture
def ten(tmp_path):
    """Ten checkpoints an hour apart, metric 5 at step 5 and less before and after, and files of others."""
    for step in range(1, 11):
        save(tmp_path / f"m-{step}", 5 - abs(step - 5))
        (tmp_path / f"m-{step}.meta").write_bytes(b"meta")
        os.utime(tmp_path / f"m-{step}.index", (step * 3600, step * 3600))
    save(tmp_path / "pretrained")
    save(tmp_path / "resnet-50")
    for name in ("events.out", "m-1.txt", "m-2.index.bak", "notes"):
        (tmp_path / name).write_text("mine")
    state(tmp_path, "m-10", *(f"m-{i}" for i in range(6, 11)))
    return tmp_path


def test_prune_shows_first_and_deletes_with_yes(ten, cli):
    before = sorted(os.listdir(ten))
    result = cli("ckpt", "prune", ten, "--last", "2")
    assert result.code == 0
    assert "8 checkpoints to delete" in result.out
    assert "--yes" in result.err
    assert sorted(os.listdir(ten)) == before
    result = cli("ckpt", "prune", ten, "--last", "2", "--yes", "--json")
    assert [Path(c["prefix"]).name for c in result.json()["deleted"]] == [f"m-{i}" for i in range(1, 9)]
    assert steps_in(ten) == [9, 10]
    assert listed(ten) == ["m-9", "m-10"]
    gone = {f"m-{i}.{s}" for i in range(1, 9) for s in ("index", "meta", "data-00000-of-00001")}
    assert set(before) - set(os.listdir(ten)) == gone


def test_prune_rules(ten):
    names = lambda report: [Path(c.prefix).name for c in report.kept]  # noqa: E731
    assert names(ckpt.prune(ten, keep=1, every_hours=3)) == ["m-1", "m-4", "m-7", "m-10"]
    assert names(ckpt.prune(ten, keep=1, patterns=["m-3", "*-6"])) == ["m-3", "m-6", "m-10"]
    assert names(ckpt.prune(ten, keep=1, best=3, metric="metric")) == ["m-4", "m-5", "m-6", "m-10"]
    assert names(ckpt.prune(ten, keep=0, best=1, metric="metric", mode="min")) == ["m-10"]
    assert names(ckpt.prune(ten, keep=0)) == ["m-10"]
    assert names(ckpt.prune(ten, keep=99)) == [f"m-{i}" for i in range(1, 11)]
    report = ckpt.prune(ten, keep=1, best=1, metric="metric")
    assert [c.reasons for c in report.kept] == [["the best"], ["the newest", "the latest"]]
    assert {Path(p).name for p in report.foreign} == {"pretrained", "resnet-50"}
    assert report.dry_run
    assert steps_in(ten) == list(range(1, 11))


@pytest.mark.parametrize("content", ['{"m-2": 9, "7": 8, "3": 1}', "step,loss\nm-2,9\n7,8\n3,1\n"], ids=["json", "csv"])
def test_prune_by_a_file_of_numbers(ten, content):
    path = ten / ("metrics.json" if content[0] == "{" else "metrics.csv")
    path.write_text(content)
    report = ckpt.prune(ten, keep=1, best=2, metric=path)
    assert [Path(c.prefix).name for c in report.kept] == ["m-2", "m-7", "m-10"]


def test_prune_refusals(ten, cli):
    before = sorted(os.listdir(ten))
    assert cli("ckpt", "prune", ten, "--best", "2").code == 2
    assert cli("ckpt", "prune", ten, "--best", "2", "--metric", "nothing").code == 1
    assert cli("ckpt", "prune", ten, "--best", "2", "--metric", ten / "gone.json").code == 1
    assert cli("ckpt", "prune", ten / "nowhere").code == 1
    with pytest.raises(errors.InvalidArgumentError):
        ckpt.prune(ten, keep=-1)
    (ten / "checkpoint").write_text("{")
    with pytest.raises(errors.DataLossError):  # it could not be kept true
        ckpt.prune(ten, keep=1, dry_run=False)
    assert sorted(os.listdir(ten)) == before


def test_prune_leaves_what_is_not_complete(tmp_path):
    """It may be being written, and does not count as one of the newest."""
    for step in (1, 2, 3):
        save(tmp_path / f"m-{step}")
    change(data_file(tmp_path / "m-3"), lambda data: data[:-1])
    report = ckpt.prune(tmp_path, keep=1, dry_run=False)
    assert steps_in(tmp_path) == [2, 3]
    assert "not complete" in report.kept[-1].reasons[0]


def test_prune_of_v1(tmp_path):
    copied("old_format_sharded", tmp_path)
    save(tmp_path / "model.ckpt-4")
    (tmp_path / "checkpoint").unlink()
    ckpt.prune(tmp_path, keep=1, dry_run=False)
    assert sorted(p.name for p in tmp_path.glob("model*")) == ["model.ckpt-4.data-00000-of-00001", "model.ckpt-4.index"]


def test_prune_killed_at_every_call(tmp_path):
    """What the state file names is always there, and what is half deleted is no checkpoint."""
    for at in itertools.count(1):
        folder = tmp_path / str(at)
        folder.mkdir()
        for step in (1, 2, 3):
            save(folder / f"m-{step}", step)
        ckpt.state(folder, rebuild=True)
        machine = Machine(at)
        with machine.running():
            ckpt.prune(folder, keep=1, dry_run=False)
        for name in listed(folder):
            assert ckpt.verify(folder / name).ok
        assert tf.train.latest_checkpoint(folder) == str(folder / "m-3")
        assert all(ckpt.verify(p.with_suffix("")).ok for p in folder.glob("*.index"))
        if not machine.struck:
            break
    assert at > 5


# Cleaning


def test_clean_of_every_kind(tmp_path, cli):
    prefix = tmp_path / "m-1"
    saved(prefix)
    token = "0123456789abcdef"
    for name in (
        f"m-2.index.tmp-{token}",
        f"m-2.data-00000-of-00001.tmp-{token}",
        f"checkpoint.tmp-{token}",
        f"m-2.meta.tmp-{token}",
        "m-3.index.tempstate123456789",
        "m-3.data-00000-of-00001.tempstate99",
    ):
        (tmp_path / name).write_bytes(b"half")
    (tmp_path / "m-3_temp").mkdir()
    (tmp_path / "m-3_temp" / "part-00000-of-00002.data-00000-of-00001").write_bytes(b"half")
    (tmp_path / "m-4_temp_0123456789abcdef0123456789abcdef").mkdir()
    mine = ["my_temp", "notes.tmp", "m-1.tmp-12", "x.tempstate", "mine_temp"]
    for name in mine:
        (tmp_path / name).mkdir()
        (tmp_path / name / "part-of-me.txt.d").mkdir()
    whole = {"m-1.index", "m-1.data-00000-of-00001", *mine}
    before = sorted(os.listdir(tmp_path))
    result = cli("ckpt", "clean", tmp_path, "--older-than", "0")
    assert result.code == 0
    assert "8 files to remove" in result.out
    assert sorted(os.listdir(tmp_path)) == before
    # TensorFlow's files do not say whether their writer lives: young ones stay.
    report = ckpt.clean(tmp_path, dry_run=False)
    assert {one.kind for one in report.left} == {"tempstate", "shards"}
    assert len(report.removed) == 4
    assert cli("ckpt", "clean", tmp_path, "--older-than", "0", "--yes").code == 0
    assert set(os.listdir(tmp_path)) == whole
    assert ckpt.verify(prefix).ok


def test_clean_finishes_a_save_that_had_committed(tmp_path):
    for at in itertools.count(1):
        folder = tmp_path / str(at)
        folder.mkdir()
        save(folder / "m", 1)
        machine = Machine(at)
        with machine.running():
            save(folder / "m", 2)
        expected = float(tf.open_checkpoint(folder / "m")["v"])
        ckpt.clean(folder, dry_run=False)
        assert sorted(os.listdir(folder)) == ["m.data-00000-of-00001", "m.index"]
        assert tf.open_checkpoint(folder / "m")["v"] == expected
        if not machine.struck:
            break
    assert at > 8


def test_clean_spares_a_save_that_is_under_way(tmp_path):
    from icefloe.checkpoint.writer import BundleWriter

    with BundleWriter(tmp_path / "m") as writer:
        writer.add("v", np.float32(1))
        report = ckpt.clean(tmp_path, older_than=0, dry_run=False)
        assert [one.alive for one in report.left] == ["its writer lives"] * 2
        assert not report.removed
    assert tf.open_checkpoint(tmp_path / "m")["v"] == 1
