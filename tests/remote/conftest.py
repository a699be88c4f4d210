"""Servers that the tests start: `web` over a temporary directory, `s3` once for all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remote.web import Web, serve


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    with serve(tmp_path) as found:
        yield found


class S3:
    """endpoint: of the server.   answers: what it has answered since the last call."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint

    def answers(self) -> list[tuple[str, str, str, int]]:
        with urllib.request.urlopen(f"{self.endpoint}/__answers__") as reply:
            return [tuple(one) for one in json.load(reply)]

    def fail(self, status: int, prefix: str = "/") -> None:
        self._ask(f"/__fault__?status={status}&prefix={prefix}")

    def make_bucket(self, name: str) -> None:
        import fsspec

        fsspec.filesystem("s3").mkdir(name)

    def _ask(self, path: str) -> None:
        urllib.request.urlopen(urllib.request.Request(self.endpoint + path, method="PUT")).close()


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    command = [sys.executable, "-W", "ignore", str(Path(__file__).with_name("s3_server.py"))]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        process.stdin.close()
        process.wait(20)


S3_ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_MAX_ATTEMPTS": "1",
}


@pytest.fixture
def s3(s3_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3]:
    import s3fs

    for name, value in {**S3_ENVIRONMENT, "AWS_ENDPOINT_URL": s3_endpoint}.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    monkeypatch.setattr(s3fs.S3FileSystem, "retries", 1)
    server = S3(s3_endpoint)
    server.answers()
    yield server
    server.fail(0)
    s3fs.S3FileSystem.clear_instance_cache()


def environment(**more: str) -> dict[str, Any]:
    return {**os.environ, **S3_ENVIRONMENT, **more}
