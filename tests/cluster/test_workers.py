"""On a cluster: a scheduler and two worker processes of this machine."""

from __future__ import annotations

import os
import warnings

import dask
import dask.array as da
import numpy as np
import pytest

import icefloe
from icefloe import ckpt, errors, open_checkpoint, save_checkpoint

pytestmark = pytest.mark.slow
VALUES = {
    "w": np.random.default_rng(0).normal(size=(600, 50)).astype(np.float32),
    "w/Adam": np.random.default_rng(1).normal(size=(600, 50)).astype(np.float32),
    "step": np.int64(3),
    "text": np.array([b"one", b"two"], object),
}


@pytest.fixture(scope="module")
def client():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the cluster's own
        from distributed import Client, LocalCluster

        with (
            dask.config.set({"distributed.scheduler.allowed-failures": 0}),
            LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
            ) as cluster,
            Client(cluster, set_as_default=False) as found,
        ):
            yield found


@pytest.fixture
def address(client):
    return client.scheduler.address


@pytest.fixture
def prefix(tmp_path):
    save_checkpoint(tmp_path / "m", VALUES)
    return tmp_path / "m"


def test_chunks_are_read_by_the_workers(client, prefix):
    array = open_checkpoint(prefix).to_dask("w", (100, 50))
    np.testing.assert_array_equal(client.compute(array).result(), VALUES["w"])
    where = array.map_blocks(lambda block: np.full((1, 1), os.getpid()), dtype=int, chunks=(1, 1))
    processes = set(client.compute(where).result().ravel().tolist())
    assert len(processes) == 2 and os.getpid() not in processes
    total = client.compute(array.sum()).result()
    np.testing.assert_allclose(total, VALUES["w"].sum(), rtol=1e-5)


def test_shards_are_written_by_the_workers(client, address, tmp_path):
    lazy = {f"w{i}": da.from_array(VALUES["w"] + i, chunks=(200, 50)) for i in range(4)}
    lazy["pid"] = da.ones((2, 1), chunks=1).map_blocks(lambda b: np.full(b.shape, os.getpid()), dtype=int)
    icefloe.save_dask({**lazy, "step": np.int64(3)}, tmp_path / "s", scheduler=address, group_bytes=150_000)
    with open_checkpoint(tmp_path / "s") as reader:
        for i in range(4):
            np.testing.assert_array_equal(reader[f"w{i}"], VALUES["w"] + i)
        assert os.getpid() not in reader["pid"] and reader.num_shards >= 4
    assert ckpt.verify(tmp_path / "s").ok
    assert not [p for p in tmp_path.iterdir() if p.is_dir()]


def test_edits(address, prefix, tmp_path):
    cast = ckpt.cast(prefix, tmp_path / "c", "float16", dask=address)
    assert cast.cast == ckpt.cast(prefix, None, "float16", dry_run=True).cast and cast.shards == 2
    assert ckpt.verify(tmp_path / "c").ok
    ckpt.average(tmp_path / "mean", [prefix, prefix], dask=address)
    assert ckpt.diff(tmp_path / "mean", prefix, dask=address).is_equal
    assert ckpt.diff(prefix, tmp_path / "c", dask=address) == ckpt.diff(prefix, tmp_path / "c")
    ckpt.convert(prefix, tmp_path / "x.npz", dask=address)
    ckpt.convert(tmp_path / "x.npz", tmp_path / "back", dask=address)
    assert ckpt.diff(tmp_path / "back", prefix, compare_bytes=True).is_equal


def test_the_command(address, prefix, tmp_path):
    from click.testing import CliRunner

    from icefloe_cli.main import cli

    def run(*words):
        return CliRunner().invoke(cli, [str(w) for w in words])

    assert run("ckpt", "cast", prefix, tmp_path / "c", "--to", "float16", "--dask", address).exit_code == 0
    assert run("ckpt", "diff", prefix, tmp_path / "c", "--dask", address).exit_code == 1
    assert run("ckpt", "average", tmp_path / "a", prefix, prefix, "--dask", address).exit_code == 0
    assert run("convert", prefix, tmp_path / "y.safetensors", "--dask", address).exit_code == 0
    assert ckpt.diff(tmp_path / "a", tmp_path / "y.safetensors").is_equal
    assert run("ckpt", "diff", prefix, prefix, "--dask", "nothing").exit_code == 1


def test_errors_of_workers_are_errors_here(address, prefix, tmp_path):
    data = tmp_path / "m.data-00000-of-00001"
    content = bytearray(data.read_bytes())
    content[3] ^= 1
    data.write_bytes(content)
    with pytest.raises(errors.DataLossError, match="Checksum"):
        ckpt.cast(prefix, tmp_path / "c", "float16", dask=address)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.data-00000-of-00001", "m.index"]


def test_a_worker_that_dies(client, address, tmp_path):
    def die(block):
        os._exit(3)

    lazy = {"x": da.ones((4, 4), chunks=2).map_blocks(die, dtype=float, meta=np.ones((0, 0)))}
    with pytest.raises(errors.AbortedError, match="worker died"):
        ckpt.save_dask(lazy, tmp_path / "s", scheduler=address)
    assert list(tmp_path.iterdir()) == []
    client.wait_for_workers(2, timeout=30)


def test_nobody_at_the_address(prefix, monkeypatch):
    from icefloe.checkpoint.distributed import scheduling

    monkeypatch.setattr(scheduling, "_CONNECT_SECONDS", 0.3)
    with pytest.raises(errors.UnavailableError, match="no Dask scheduler answers"):
        ckpt.diff(prefix, prefix, dask="tcp://127.0.0.1:9")


def test_processes_without_a_cluster(prefix, tmp_path):
    ckpt.cast(prefix, tmp_path / "c", "float16", dask="processes")
    ckpt.cast(prefix, tmp_path / "d", "float16")
    assert ckpt.diff(tmp_path / "c", tmp_path / "d", compare_bytes=True).is_equal
