"""Checkpoints in a store of Google's, by gcsfs, over HTTP to an emulator that the test starts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pytest

import icefloe
from icefloe import ckpt, errors, open_checkpoint, save_checkpoint

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Sending a large body:ResourceWarning"),  # gcsfs, to aiohttp
    pytest.mark.skipif(find_spec("gcsfs") is None, reason="gcsfs is not installed"),
    pytest.mark.skipif(find_spec("gcp_storage_emulator") is None, reason="gcp-storage-emulator is not installed"),
]
# gcsfs reads this when it is imported; else it asks over gRPC, with TLS, what kind of a bucket there is.
os.environ.setdefault("GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT", "false")

SERVER = """
import sys
from gcp_storage_emulator.server import create_server
server = create_server("127.0.0.1", 0, in_memory=True, default_bucket="b")
server.start()
print(server._api._httpd.server_address[1], flush=True)
sys.stdin.read()
server.stop()
"""
VALUES = {
    "a/w": np.arange(6, dtype=np.float32).reshape(2, 3),
    "big": np.random.default_rng(0).normal(size=(1500, 400)),
    "text": np.array([b"one", b"two"], object),
}


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    import fsspec

    command = [sys.executable, "-W", "ignore", "-c", SERVER]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{process.stdout.readline().strip()}")
        monkeypatch.setitem(fsspec.config.conf, "gs", {"token": "anon"})
        fsspec.get_filesystem_class("gs").clear_instance_cache()
        yield fsspec.filesystem("gs")
        fsspec.get_filesystem_class("gs").clear_instance_cache()
        process.stdin.close()
        process.wait(20)


def test_saving_reading_and_editing(store, tmp_path):
    url = "gs://b/run/m-1"
    save_checkpoint(url, VALUES, shards=2)
    save_checkpoint(url, {"x": np.float32(1)})
    save_checkpoint(url, VALUES)
    with open_checkpoint(url) as reader:
        for name, value in VALUES.items():
            np.testing.assert_array_equal(reader[name], value)
    assert ckpt.verify(url).ok
    ckpt.rename(url, "gs://b/run/m-2", ["s,^a/,z/,"])
    ckpt.rename(url, None, ["s,^a/,y/,"])
    assert sorted(open_checkpoint(url)) == ["big", "text", "y/w"]
    assert icefloe.train.latest_checkpoint("gs://b/run") == "gs://b/run/m-2"
    ckpt.convert("gs://b/run/m-2", "gs://b/x.safetensors")
    ckpt.convert("gs://b/x.safetensors", tmp_path / "back")
    assert ckpt.diff(tmp_path / "back", "gs://b/run/m-2").is_equal
    named = [name.rpartition("/")[2] for name in store.find("b/run")]
    assert sorted(name for name in named if name.startswith("m-2.")) == ["m-2.data-00000-of-00001", "m-2.index"]


def test_two_writers_and_what_is_not_there(store):
    class Meanwhile(dict):
        def items(self):
            yield "v", np.ones(4)
            save_checkpoint("gs://b/m", VALUES)

    with pytest.raises(errors.AbortedError, match="another writer"):
        save_checkpoint("gs://b/m", Meanwhile(a=1))
    assert ckpt.verify("gs://b/m").ok
    with pytest.raises(errors.NotFoundError, match="In that directory are: m"):
        open_checkpoint("gs://b/nothing")
    with pytest.raises(errors.NotFoundError, match="no bucket"):
        open_checkpoint("gs://nobody-has-this/m")
    with pytest.raises(errors.NotFoundError, match="gs://nobody-has-this/m"):
        save_checkpoint("gs://nobody-has-this/m", VALUES)
