"""A path that nearly names a checkpoint: the error says what is there, and how to name it."""

import os
import shutil

import numpy as np
import pytest

import icefloe
from cases.damage import copied
from icefloe import errors
from icefloe.checkpoint.v1.writer import V1Writer


@pytest.fixture
def prefix(tmp_path):
    return copied("plain", tmp_path)


def refused(path, *classes):
    with pytest.raises(classes or errors.NotFoundError) as caught:
        icefloe.open_checkpoint(path)
    return str(caught.value)


@pytest.mark.parametrize("tail", ["*", ".*", ".data-*", ".data-?????-of-?????", ".data-?????-of-00001", ".index*"])
def test_a_pattern_of_one_checkpoint(prefix, tail, cli):
    with icefloe.open_checkpoint(prefix) as whole, icefloe.open_checkpoint(f"{prefix}{tail}") as reader:
        assert reader.prefix == str(prefix) and list(reader) == list(whole)
    assert cli("ckpt", "ls", f"{prefix}{tail}").code == 0


def test_a_pattern_of_the_shards_of_the_old_format(tmp_path):
    writer = V1Writer(tmp_path / "m-00000-of-00001")
    writer.add("step", np.int64(3))
    writer.finish()
    for tail in ("-?????-of-?????", "-?????-of-00001"):
        with icefloe.open_checkpoint(f"{tmp_path}/m{tail}") as reader:
            assert reader.format == "V1" and int(reader["step"]) == 3


@pytest.mark.parametrize("form", ["{} ", "{}\n", "'{}'", '"{}"', "{}.", "`{}`"])
def test_what_came_along_by_mistake(prefix, form, cli):
    path = form.format(prefix)
    assert f"Did you mean {prefix}?" in refused(path)
    result = cli("ckpt", "ls", path)
    assert result.code == 1 and f"Did you mean {prefix}?" in result.err


def test_a_variable_that_the_shell_did_not_replace(prefix, monkeypatch):
    monkeypatch.setenv("FOLDER", str(prefix.parent))
    assert f"Did you mean {prefix}?" in refused(f"$FOLDER/{prefix.name}")


@pytest.mark.skipif(os.sep != "/", reason="there it is a separator")
def test_backslashes(prefix):
    path = str(prefix).replace("/", "\\")
    assert f"Did you mean {prefix}?" in refused(path)


@pytest.mark.parametrize(
    "name", ["{}.index.txt", "{}.index.gz", ".{}.index.icloud", "{} (1).index", "{}.index.crdownload"]
)
def test_an_index_under_another_name(prefix, name):
    other = prefix.parent / name.format(prefix.name)
    os.rename(f"{prefix}.index", other)
    said = refused(prefix)
    assert f"Its index, {prefix}.index, is missing" in said and other.name in said


@pytest.mark.parametrize("suffix", [".txt", ".crdownload", ".part", ".gz"])
def test_data_under_another_name(prefix, suffix, cli):
    data = f"{prefix}.data-00000-of-00001"
    os.rename(data, data + suffix)
    with icefloe.open_checkpoint(prefix) as reader:
        assert "step" in reader
        with pytest.raises(errors.NotFoundError, match="No such file or directory") as caught:
            reader["step"]
    name = os.path.basename(data)
    assert f"There is {name}{suffix}; the file must have the name {name}." in str(caught.value)
    assert f"There is {name}{suffix}" in cli("ckpt", "cat", prefix, "step").err


def test_data_alone_and_index_alone(prefix):
    shutil.copy(f"{prefix}.index", prefix.parent / "other.index")
    reader = icefloe.open_checkpoint(prefix.parent / "other")
    with reader, pytest.raises(errors.NotFoundError, match="get this file too"):
        reader["step"]
    os.remove(f"{prefix}.index")
    assert f"there is {prefix.name}.data-00000-of-00001" in refused(prefix)


def test_a_directory_with_an_incomplete_checkpoint(tmp_path):
    icefloe.save_checkpoint(tmp_path / "m-3", {"v": 1})
    (tmp_path / "m-3.data-00000-of-00001").unlink()
    assert f"{tmp_path}/m-3 is not complete" in refused(tmp_path)


def test_checkpoints_in_folders_below(tmp_path):
    icefloe.save_checkpoint(tmp_path / "runs" / "first" / "m-3", {"v": 1})
    for path in (tmp_path, tmp_path / "runs"):
        assert f"There are checkpoints in {tmp_path}/runs/first" in refused(path)


def test_links_to_nothing(tmp_path):
    os.symlink("/no/such/file", tmp_path / "m.index")
    for path in (tmp_path / "m", tmp_path / "m.index"):
        assert "a link to /no/such/file, which is not there" in refused(path)
    found = icefloe.identify(tmp_path / "m.index")
    assert (found.kind, found.words) == ("missing", "a link to /no/such/file, which is not there")


def test_links_to_blobs_under_other_names(prefix, tmp_path):
    folder = tmp_path / "snapshot"
    folder.mkdir()
    for path in list(prefix.parent.glob(f"{prefix.name}.*")):
        blob = path.rename(prefix.parent / f"{abs(hash(path.name)):x}")
        os.symlink(blob, folder / path.name)
    with icefloe.open_checkpoint(folder / prefix.name) as reader:
        assert reader["step"].size == 1


def test_what_macos_puts_beside_files(prefix, caplog):
    for path in list(prefix.parent.iterdir()):
        path.with_name(f"._{path.name}").write_bytes(b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        " + bytes(90))
    (prefix.parent / "checkpoint").unlink()
    with icefloe.open_checkpoint(prefix.parent) as reader:
        assert reader.prefix == str(prefix)
    assert not any("._" in record.getMessage() for record in caplog.records)
    assert "AppleDouble" in refused(prefix.parent / f"._{prefix.name}.index", errors.OpError)


@pytest.mark.parametrize(
    "name, content, says, hint",
    [
        ("m", b"404: Not Found", "a text file that begins '404: Not Found'", ""),
        ("m", b"/annex/objects/SHA256E-s1--0a.index\n", "a git-annex pointer", "git annex get"),
        ("m.data-00000-of-00001.crdownload", bytes(range(200)), "a download that is not done", "Load it down anew"),
        ("m.index.part", b"\x01\x80\xff" * 50, "a download that is not done", "wait until"),
        ("m.data-00000-of-00001.tempstate123", b"\x01\x80\xff" * 50, "a save of TensorFlow that did not finish", ""),
        ("m", b"GGUF\x03\0\0\0" + bytes(99), "a GGUF model", ""),
        ("m", b"MATLAB 5.0 MAT-file, Platform: x" + bytes(99), "a MATLAB file", ""),
        ("m", b"PAR1" + bytes(99), "a Parquet file", ""),
        ("m", b"\x04\x22\x4d\x18" + bytes(99), "an LZ4 archive", "Unpack it first"),
        ("m", b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.", "a PyTorch file", ""),
        ("m", b"PK\x05\x06" + bytes(18), "a zip archive without files", ""),
    ],
    ids=str,
)
def test_what_else_it_is(tmp_path, name, content, says, hint, cli):
    (tmp_path / name).write_bytes(content)
    said = refused(tmp_path / name, errors.InvalidArgumentError)
    assert says in said and hint in said
    result = cli("identify", tmp_path / name)
    assert result.code == 0 and says in result.out
