"""`icefloe ckpt report`: what it prints; the page itself is tested in `browser/test_report.py`."""

import numpy as np
import pytest

import icefloe


@pytest.fixture
def prefix(tmp_path):
    icefloe.save_checkpoint(tmp_path / "m-1", {"w": np.float32([[1, 2], [3, np.nan]]), "b": np.float32([0, 0])})
    return tmp_path / "m-1"


def test_help_teaches_with_examples(cli):
    result = cli("ckpt", "report", "--help")
    assert result.code == 0
    assert "icefloe ckpt report model.ckpt-30 -o report.html" in result.out


def test_a_page_is_written(cli, prefix, tmp_path):
    page = tmp_path / "page.html"
    result = cli("ckpt", "report", prefix, "-o", page)
    assert result.code == 0
    assert result.out.startswith(f"wrote {page}, ") and result.out.endswith(": 2 tensors, 24 B\n")
    assert page.read_text().startswith("<!DOCTYPE html>")


def test_json_and_another_checkpoint(cli, prefix, tmp_path):
    icefloe.save_checkpoint(tmp_path / "m-2", {"w": np.float32([[1, 2], [3, 4]]), "b": np.float32([0, 0])})
    data = cli("ckpt", "report", prefix, tmp_path / "m-2", "-o", tmp_path / "page.html", "--json").json()
    assert (data["tensors"], data["differing"], data["nan"], data["damaged"]) == (2, 1, 1, [])
    assert data["page_bytes"] == (tmp_path / "page.html").stat().st_size


def test_the_page_must_be_named(cli, prefix):
    assert cli("ckpt", "report", prefix).code == 2
    assert cli("ckpt", "report", prefix, "-o", prefix.parent).code == 1
