"""Checkpoints in an S3 store, over HTTP: what is read, in which order it is written, and what failures are called."""

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import icefloe
from icefloe import ckpt, errors, open_checkpoint, save_checkpoint
from icefloe.checkpoint import state_file
from remote.conftest import environment

pytestmark = pytest.mark.slow
VALUES = {
    "a/w": np.arange(6, dtype=np.float32).reshape(2, 3),
    "big": np.random.default_rng(0).normal(size=(1500, 1000)),
    "text": np.array([b"one", b"two"], object),
}


@pytest.fixture
def bucket(s3, request):
    name = f"b{abs(hash(request.node.nodeid)):x}"
    s3.make_bucket(name)
    s3.answers()
    return f"s3://{name}"


def assert_holds(url, values):
    with open_checkpoint(url) as reader:
        assert set(reader) == set(values)
        for name, value in values.items():
            np.testing.assert_array_equal(reader[name], value)


def test_the_index_is_put_last(s3, bucket):
    save_checkpoint(f"{bucket}/dir/m-1", VALUES, shards=2)
    puts = [path.rpartition("/")[2] for method, path, _, _ in s3.answers() if method in ("PUT", "POST")]
    assert puts[-1] == "m-1.index" and set(puts[:-1]) == {"m-1.data-00000-of-00002", "m-1.data-00001-of-00002"}
    assert_holds(f"{bucket}/dir/m-1", VALUES)


def test_reading_asks_for_the_index_then_for_ranges(s3, bucket):
    save_checkpoint(f"{bucket}/m-1", VALUES)
    s3.answers()
    with open_checkpoint(f"{bucket}/m-1") as reader:
        answers = s3.answers()
        assert [path[-6:] for method, path, _, _ in answers if method == "GET" and "list-type" not in path] == [
            ".index"
        ]
        reader["a/w"]
        [(_, _, asked, size)] = [one for one in s3.answers() if one[0] == "GET"]
        assert asked and size <= 256 << 10
        reader["big"]
        sizes = [size for method, _, asked, size in s3.answers() if method == "GET" and asked]
        assert sum(sizes) == VALUES["big"].nbytes and len(sizes) == 6


def test_overwriting_is_old_or_new(s3, bucket):
    url = f"{bucket}/m"
    save_checkpoint(url, VALUES)
    reader = open_checkpoint(url)
    new = {"a/w": VALUES["a/w"] + 1, "n": np.int32(3)}
    save_checkpoint(url, new)
    assert_holds(url, new)
    with pytest.raises(errors.AbortedError, match="replaced"):
        reader["big"]
    save_checkpoint(url, VALUES)  # and back to the first number of data files
    assert_holds(url, VALUES)
    import fsspec

    assert sorted(fsspec.filesystem("s3").ls(url[5:].rpartition("/")[0])) == [
        f"{bucket[5:]}/m.data-00000-of-00001",
        f"{bucket[5:]}/m.index",
    ]


def test_a_save_that_fails_leaves_the_old_one(s3, bucket):
    url = f"{bucket}/m"
    save_checkpoint(url, VALUES)

    class Stops(dict):
        def items(self):
            yield "a/w", VALUES["a/w"]
            yield "big", VALUES["big"]
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        save_checkpoint(url, Stops(a=1))
    assert_holds(url, VALUES)
    s3.fail(403, f"/{bucket[5:]}/m.data-00000-of-00002")
    with pytest.raises(errors.PermissionDeniedError):
        save_checkpoint(url, {"x": np.ones(3)})
    s3.fail(0)
    assert_holds(url, VALUES)
    assert ckpt.verify(url).ok


def test_readers_while_a_writer_saves(s3, bucket):
    url = f"{bucket}/m"
    save_checkpoint(url, {"v": np.zeros(1000, np.int32)})
    stop = threading.Event()
    seen, wrong = set(), []

    def read():
        while not stop.is_set():
            try:
                value = open_checkpoint(url)["v"]
            except errors.AbortedError:
                continue
            except errors.OpError as e:
                wrong.append(e)
                return
            seen.add(int(value[0]))
            if (value != value[0]).any():
                wrong.append(value)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for one in readers:
        one.start()
    for i in range(1, 9):
        save_checkpoint(url, {"v": np.full(1000, i, np.int32)})
    stop.set()
    for one in readers:
        one.join()
    assert not wrong and len(seen) > 1


def named_files(bucket):
    import fsspec

    return sorted(name.rpartition("/")[2] for name in fsspec.filesystem("s3").find(bucket[5:]))


@pytest.mark.parametrize("former", [False, True])
@pytest.mark.parametrize("shards", [1, 2])
def test_two_writers_of_one_prefix(s3, bucket, former, shards):
    """The one that comes second is told, whether it began before or after; what the other wrote stays whole."""
    url = f"{bucket}/m"
    if former:
        save_checkpoint(url, {"v": np.zeros(3)})
    mine, others = {"v": np.ones(1000), "w": np.ones(5)}, {"v": np.full(1000, 2.0)}

    class Meanwhile(dict):
        def items(self):
            yield "v", mine["v"]
            save_checkpoint(url, others, shards=shards)
            yield "w", mine["w"]

    with pytest.raises(errors.AbortedError, match="another writer") as caught:
        save_checkpoint(url, Meanwhile(mine))
    assert url in str(caught.value)
    assert_holds(url, others)
    assert ckpt.verify(url).ok
    assert [name for name in named_files(bucket) if name.startswith("m.")] == named_files(bucket)
    assert len(named_files(bucket)) == 1 + icefloe.open_checkpoint(url).num_shards
    save_checkpoint(url, mine)
    assert_holds(url, mine)


def test_a_writer_that_has_its_data_there_before_its_index(s3, bucket):
    """The one that comes second is told, and leaves the data of the first as they are."""
    import fsspec

    class Meanwhile(dict):
        def items(self):
            yield "v", np.ones(1000)
            fsspec.filesystem("s3").pipe_file(f"{bucket[5:]}/m.data-00000-of-00001", b"of the other")
            yield "w", np.ones(5)

    with pytest.raises(errors.AbortedError, match="another writer"):
        save_checkpoint(f"{bucket}/m", Meanwhile(a=1))
    assert named_files(bucket) == ["m.data-00000-of-00001"]
    assert fsspec.filesystem("s3").cat_file(f"{bucket[5:]}/m.data-00000-of-00001") == b"of the other"


def test_data_files_of_a_dead_writer_are_no_other_writer(s3, bucket):
    """They have names that the next save does not take, and go after it."""
    import fsspec

    url = f"{bucket}/m"
    fsspec.filesystem("s3").pipe_file(f"{bucket[5:]}/m.data-00000-of-00001", b"left")
    save_checkpoint(url, VALUES)
    assert_holds(url, VALUES)
    assert "m.data-00000-of-00001" not in named_files(bucket)


def test_large_uploads_come_in_parts(s3, bucket):
    big = np.arange(10 << 20, dtype=np.int64)
    save_checkpoint(f"{bucket}/large", {"big": big})
    assert sum(1 for method, *_ in s3.answers() if method == "PUT") >= 3
    np.testing.assert_array_equal(open_checkpoint(f"{bucket}/large")["big"], big)


def test_every_tool(s3, bucket, tmp_path):
    url = f"{bucket}/run/m-3"
    save_checkpoint(url, VALUES)
    assert ckpt.verify(url).ok and ckpt.diff(url, url).is_equal
    assert len(ckpt.ls(url).rows) == len(ckpt.stats(url).tensors) == 3
    ckpt.rename(url, f"{bucket}/run/m-4", ["s,^a/,b/,"])
    assert sorted(open_checkpoint(f"{bucket}/run/m-4")) == ["b/w", "big", "text"]
    ckpt.rename(url, None, ["s,^a/,c/,"])
    assert sorted(open_checkpoint(url)) == ["big", "c/w", "text"]
    for name in ("x.npz", "x.safetensors", "x.h5"):
        ckpt.convert(url, f"{bucket}/{name}")
        ckpt.convert(f"{bucket}/{name}", tmp_path / "back")
        assert ckpt.diff(tmp_path / "back", url).is_equal
    ckpt.convert(url, f"{bucket}/old", to="v1")
    assert open_checkpoint(f"{bucket}/old").format == "V1"
    ckpt.extract(url, f"{bucket}/part", ["big"])
    ckpt.merge(f"{bucket}/both", [(f"{bucket}/part", "p"), (url, "q")])
    assert "p/big" in open_checkpoint(f"{bucket}/both")
    assert icefloe.train.latest_checkpoint(f"{bucket}/run") == f"{bucket}/run/m-4"
    icefloe.train.update_checkpoint_state(f"{bucket}/run", url, [url])
    assert icefloe.train.latest_checkpoint(f"{bucket}/run") == url
    assert state_file.read_state(f"{bucket}/run/checkpoint").model_checkpoint_path == url


def test_a_saver_saves_and_restores(s3, bucket):
    with icefloe.Graph().as_default():
        v = icefloe.get_variable("v", initializer=np.float32(1.5))
        saver = icefloe.train.Saver(max_to_keep=2)
        with icefloe.Session() as session:
            session.run(v.initializer)
            for step in (1, 2, 3):
                saver.save(session, f"{bucket}/t/m", global_step=step)
            session.run(v.assign(0.0))
            saver.restore(session, icefloe.train.latest_checkpoint(f"{bucket}/t"))
            assert session.run(v) == 1.5
    import fsspec

    left = {name.rpartition("/")[2] for name in fsspec.filesystem("s3").ls(f"{bucket}/t")}
    assert {"m-2.index", "m-3.index", "m-3.meta", "checkpoint"} < left and not [n for n in left if n.startswith("m-1.")]
    assert not Path("s3:").exists()


def test_missing_and_denied(s3, bucket, monkeypatch):
    with pytest.raises(errors.NotFoundError, match="no bucket"):
        open_checkpoint("s3://nobody-has-this/m")
    with pytest.raises(errors.NotFoundError, match="bucket"):
        save_checkpoint("s3://nobody-has-this/m", VALUES)
    save_checkpoint(f"{bucket}/m", VALUES)
    with pytest.raises(errors.NotFoundError) as caught:
        open_checkpoint(f"{bucket}/n")
    assert "In that directory are: m" in str(caught.value)
    s3.fail(403)
    with pytest.raises(errors.PermissionDeniedError):
        open_checkpoint(f"{bucket}/m")


def test_the_store_goes_away(s3, bucket):
    save_checkpoint(f"{bucket}/m", VALUES)
    reader = open_checkpoint(f"{bucket}/m")
    s3.fail(503)
    with pytest.raises(errors.UnavailableError):
        reader["big"]


def test_the_command_takes_urls(s3, bucket):
    save_checkpoint(f"{bucket}/m", VALUES)

    def run(*words):
        command = [str(Path(sys.executable).with_name("icefloe")), *words]
        return subprocess.run(
            command, env=environment(AWS_ENDPOINT_URL=s3.endpoint), capture_output=True, text=True, timeout=60
        )

    assert "a/w" in run("ckpt", "ls", f"{bucket}/m").stdout
    copied = run("ckpt", "rename", f"{bucket}/m", f"{bucket}/n", "-s", "s,a/,z/,")
    assert copied.returncode == 0, copied.stderr
    assert run("ckpt", "diff", f"{bucket}/m", f"{bucket}/n").returncode == 1
    gone = run("ckpt", "verify", "s3://nobody-has-this/m")
    assert gone.returncode == 1 and "nobody-has-this" in gone.stderr and "Traceback" not in gone.stderr


def test_the_store_fails_in_the_middle_of_a_save(s3, bucket):
    url = f"{bucket}/m"
    save_checkpoint(url, VALUES)

    class Fails(dict):
        def items(self):
            yield "a", np.ones(6 << 20, np.float32)
            s3.fail(503, f"/{bucket[5:]}/m.data-00000-of-00002")
            yield "b", np.ones(6 << 20, np.float32)

    with pytest.raises(errors.UnavailableError, match=r"m\.data-00000-of-00002"):
        save_checkpoint(url, Fails(a=1))
    s3.fail(0)
    assert_holds(url, VALUES)
    s3.fail(403, f"/{bucket[5:]}/m.index")
    with pytest.raises(errors.PermissionDeniedError):
        save_checkpoint(url, {"x": np.ones(3)})
    s3.fail(0)
    assert_holds(url, VALUES)
    save_checkpoint(url, {"x": np.ones(3)})
    assert_holds(url, {"x": np.ones(3)})


def test_dask_reads_and_writes_there(s3, bucket):
    save_checkpoint(f"{bucket}/m", VALUES)
    s3.answers()
    array = open_checkpoint(f"{bucket}/m").to_dask("big", (100, 1000))
    np.testing.assert_array_equal(array[250:350].compute(scheduler="threads"), VALUES["big"][250:350])
    sizes = [size for method, _, asked, size in s3.answers() if method == "GET" and asked]
    assert sorted(sizes)[-2:] == [400_000, 400_000]  # half of each of two chunks
    icefloe.save_dask({"w": array * 2, "n": np.int32(1)}, f"{bucket}/twice", scheduler="threads")
    assert_holds(f"{bucket}/twice", {"w": VALUES["big"] * 2, "n": np.int32(1)})
    assert not [path for _, path, *_ in s3.answers() if "_temp_" not in path and "part-" in path]
    ckpt.cast(f"{bucket}/m", f"{bucket}/half", "float16", dask="threads")
    assert ckpt.verify(f"{bucket}/half").ok
    import fsspec

    assert not [name for name in fsspec.filesystem("s3").find(bucket[5:]) if "_temp_" in name]
