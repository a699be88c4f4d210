"""Damage: every kind is found, named for what happened, and costs no tensor that is whole."""

from __future__ import annotations

import gzip
import re

import numpy as np
import pytest

import icefloe
from cases.damage import change, copied, data_file, flipped, index_file, same, saved, values, write_crafted
from icefloe import ckpt, errors
from icefloe.checkpoint.entries import encode_entry
from icefloe.checkpoint.writer import BundleWriter
from icefloe.wire.crc import crc32c, mask

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")


def words(*texts):
    out = np.empty(len(texts), object)
    out[:] = texts
    return out


# 11: one tensor


def test_11_crc_one_tensor(tmp_path, cli):
    prefix = tmp_path / "m"
    content = saved(prefix)
    entry = icefloe.open_checkpoint(prefix).entries["layer3/w"]
    change(data_file(prefix), flipped(entry.offset + 1234, bit=5))
    with icefloe.open_checkpoint(prefix) as reader:
        with pytest.raises(errors.DataLossError) as caught:
            reader["layer3/w"]
        text = str(caught.value)
        for part in ("layer3/w", "shard 0", str(data_file(prefix)), f"byte {entry.offset}", f"{entry.crc}"):
            assert part in text
        for name in content.keys() - {"layer3/w"}:
            np.testing.assert_array_equal(reader[name], content[name])
    found = ckpt.verify(prefix)
    assert not found.ok
    assert found.damaged == ["layer3/w"]
    (problem,) = found.problems
    assert (problem.kind, problem.tensor, problem.offset, problem.stored) == (
        "checksum",
        "layer3/w",
        entry.offset,
        entry.crc,
    )
    assert problem.actual == crc32c(data_file(prefix).read_bytes()[entry.offset : entry.offset + entry.size])
    result = cli("ckpt", "verify", prefix)
    assert result.code == 1
    assert result.out.count("damaged:") == 1
    report = ckpt.rescue(prefix, tmp_path / "good")
    assert list(report.lost) == ["layer3/w"]
    del content["layer3/w"]
    same(icefloe.open_checkpoint(tmp_path / "good"), content)
    assert ckpt.verify(tmp_path / "good").ok


@pytest.mark.parametrize("name", ["mixed", "sharded", "partitioned", "object_based"])
def test_11_bits_all_over_a_checkpoint_of_tensorflow(name, tmp_path):
    """Any flipped bit of the data costs one tensor, which verify and rescue name; the others are kept."""
    prefix = copied(name, tmp_path)
    whole = {n: v for n, v in icefloe.open_checkpoint(prefix).items()}  # noqa: C416 (a mapping that reads)
    assert ckpt.verify(prefix).ok
    for path in sorted(tmp_path.glob("*.data-*")):
        original = path.read_bytes()
        for at in range(0, len(original), 1 + len(original) // 40):
            path.write_bytes(flipped(at, at % 8)(original))
            found = ckpt.verify(prefix)
            assert len(found.damaged) == len(found.problems) == 1, at
            report = ckpt.rescue(prefix, tmp_path / "good", overwrite=True)
            assert list(report.lost) == found.damaged
            kept = {n: v for n, v in whole.items() if n not in found.damaged}
            if at % 2 == 0:
                same(icefloe.open_checkpoint(tmp_path / "good"), kept)
        path.write_bytes(original)


def test_11_strings_and_their_lengths(tmp_path):
    prefix = tmp_path / "m"
    icefloe.save_checkpoint(prefix, {"s": words(b"one", b"", b"three"), "t": np.float32(1)})
    for at in range(15):
        change(data_file(prefix), flipped(at))
        found = ckpt.verify(prefix)
        assert found.damaged == ["s"]
        assert found.intact == ["t"]
        change(data_file(prefix), flipped(at))
    assert ckpt.verify(prefix).ok


def test_11_rescue_fills_from_another(tmp_path, cli):
    bad, other = tmp_path / "m-2", tmp_path / "m-1"
    content = saved(bad, b=np.float32([1, 2]))
    older = {**values(seed=2), "b": np.float64([5, 6])}
    icefloe.save_checkpoint(other, older)
    reader = icefloe.open_checkpoint(bad)
    for name in ("layer0/w", "b"):
        change(data_file(bad), flipped(reader.entries[name].offset))
    before = data_file(bad).read_bytes(), index_file(bad).read_bytes()
    result = cli("ckpt", "rescue", bad, tmp_path / "new", "--from", other)
    assert result.code == 0
    assert "7 kept, 1 filled, 1 lost" in result.out
    assert "lost    b:" in result.out
    assert "float64" in result.out
    content["layer0/w"] = older["layer0/w"]
    del content["b"]
    same(icefloe.open_checkpoint(tmp_path / "new"), content)
    assert (data_file(bad).read_bytes(), index_file(bad).read_bytes()) == before


def test_11_a_slice_of_a_partitioned_tensor(tmp_path):
    """The other checkpoint fills the slice, which stays a slice; without one the tensor is lost."""
    prefix = copied("partitioned", tmp_path)
    original = icefloe.open_checkpoint(prefix)["rows"]
    reader = icefloe.open_checkpoint(prefix)
    part = reader.entries["rows"].slices[1]
    change(data_file(prefix), flipped(reader.index.slice_entry("rows", part).offset))
    found = ckpt.verify(prefix)
    assert found.damaged == ["rows"]
    assert str(part) in found.problems[0].message
    assert list(ckpt.rescue(prefix, tmp_path / "less").lost) == ["rows"]
    icefloe.save_checkpoint(tmp_path / "other", {"rows": original + 100})
    report = ckpt.rescue(prefix, tmp_path / "more", fill_from=tmp_path / "other")
    assert report.filled == ["rows"]
    with icefloe.open_checkpoint(tmp_path / "more") as filled:
        assert filled.entries["rows"].slices == reader.entries["rows"].slices
        expected = original.copy()
        expected[part.index(original.shape)] += 100
        np.testing.assert_array_equal(filled["rows"], expected)
    assert ckpt.verify(tmp_path / "more").ok


# 14: data that end too early


@pytest.mark.parametrize("left", [0, 1, 3999, 4000, 20001, 31999])
def test_14_truncated_data(tmp_path, left, cli):
    prefix = tmp_path / "m"
    content = saved(prefix)
    change(data_file(prefix), lambda data: data[:left])
    whole = sorted(content)[: left // 4000]
    found = ckpt.verify(prefix)
    assert found.intact == whole
    short = found.problems[0]
    assert (short.kind, short.stored, short.actual) == ("short", 32000, left)
    assert f"shorter by {32000 - left} bytes" in short.message
    assert found.diagnoses
    with icefloe.open_checkpoint(prefix) as reader:
        for name in whole:
            np.testing.assert_array_equal(reader[name], content[name])
        with pytest.raises(errors.OutOfRangeError, match=f"the file ends at {left}"):
            reader["layer7/w"]
    result = cli("ckpt", "verify", prefix, "--json")
    assert result.code == 1
    assert result.json()["intact"] == whole
    if not whole:
        with pytest.raises(errors.DataLossError, match="no tensor could be rescued"):
            ckpt.rescue(prefix, tmp_path / "good")
        assert not list(tmp_path.glob("good*"))
    else:
        assert ckpt.rescue(prefix, tmp_path / "good").kept == whole


@pytest.mark.parametrize("zeros", [100, 5000, 31000])
def test_14_a_tail_of_zeros(tmp_path, zeros):
    """What a download leaves that reserves the whole file first."""
    prefix = tmp_path / "m"
    content = saved(prefix)
    change(data_file(prefix), lambda data: data[:-zeros] + bytes(zeros))
    found = ckpt.verify(prefix)
    assert found.intact == sorted(content)[: (32000 - zeros) // 4000]
    (cause,) = found.diagnoses
    # The last byte before them may happen to be zero.
    start = int(re.search(r"bytes (\d+) to 32000 are zero", cause)[1])
    assert 32000 - zeros - 3 <= start <= 32000 - zeros


def test_14_a_tensor_of_zeros_at_the_end_is_no_damage(tmp_path):
    saved(tmp_path / "m", zeros=np.zeros(1000, np.float32))
    assert ckpt.verify(tmp_path / "m").ok


def test_14_holes_in_the_middle(tmp_path):
    prefix = tmp_path / "m"
    icefloe.save_checkpoint(prefix, {"w": values(1)["layer0/w"].repeat(30), "b": np.float32(1)})
    change(data_file(prefix), lambda data: data[:8192] + bytes(12288) + data[20480:])
    found = ckpt.verify(prefix)
    assert found.damaged == ["w"]
    assert "pages of zero bytes" in found.diagnoses[0]


def test_14_bytes_behind_the_end_and_gaps_are_noted(tmp_path, cli):
    """Readers pass over them, so nothing is damaged."""
    prefix = tmp_path / "m"
    saved(prefix)
    change(data_file(prefix), lambda data: data + b"more")
    found = ckpt.verify(prefix)
    assert found.ok
    assert "4 bytes behind the last tensor" in found.notes[0]
    assert cli("ckpt", "verify", prefix).code == 0
    raw = np.float32([1]).tobytes()
    entry = {"offset": 8, "size": 4, "masked_crc": mask(crc32c(raw))}
    write_crafted(prefix, {b"w": encode_entry(1, (1,), **entry)}, bytes(8) + raw)
    found = ckpt.verify(prefix)
    assert found.ok
    assert "8 bytes are no tensor's" in found.notes[0]


# 15: the index


@pytest.mark.parametrize("left", [0, 10, 47, 48, 200])
def test_15_truncated_index(tmp_path, left, cli):
    prefix = tmp_path / "m"
    saved(prefix)
    change(index_file(prefix), lambda data: data[:left])
    with pytest.raises(errors.DataLossError, match=r"m\.index"):
        icefloe.open_checkpoint(prefix)
    found = ckpt.verify(prefix)
    assert found.problems[0].kind == "index"
    assert cli("ckpt", "verify", prefix).code == 1


def test_15_every_bit_of_an_index_of_tensorflow(tmp_path):
    prefix = copied("mixed", tmp_path)
    original = index_file(prefix).read_bytes()
    footer = len(original) - 48
    for at in range(len(original)):
        index_file(prefix).write_bytes(flipped(at, at % 8)(original))
        found = ckpt.verify(prefix)
        # The padding of the footer means nothing to anyone.
        padding = footer + 4 <= at < len(original) - 8 and found.ok
        assert padding or found.problems[0].kind == "index", at
    index_file(prefix).write_bytes(original)
    assert ckpt.verify(prefix).ok


def test_15_whole_blocks_of_a_damaged_index_are_taken(tmp_path):
    """An index of several blocks: one of them damaged costs its tensors only."""
    prefix = tmp_path / "m"
    content = {f"{i:05d}/{'scope' * 20}": np.float32(i) for i in range(6000)}
    icefloe.save_checkpoint(prefix, content)
    original = index_file(prefix).read_bytes()
    change(index_file(prefix), flipped(100_000))
    found = ckpt.verify(prefix)
    assert 1 == len(found.problems) < found.blocks
    report = ckpt.rescue(prefix, tmp_path / "good")
    # The first block has the damage; shards and byte order are told by the files.
    assert 0 < len(report.kept) < 6000
    kept = {n: content[n] for n in report.kept}
    assert min(kept) > min(content)
    same(icefloe.open_checkpoint(tmp_path / "good"), kept)
    # Salvaging brings back those of the damaged block, one by one against the data.
    report = ckpt.rescue(prefix, tmp_path / "better", salvage=True)
    assert len(report.kept) >= 4500
    assert "damaged blocks" in " ".join(report.notes)
    # The other checkpoint has what the lost part named.
    icefloe.save_checkpoint(tmp_path / "other", {n: v + 1 for n, v in content.items()})
    report = ckpt.rescue(prefix, tmp_path / "all", fill_from=tmp_path / "other")
    assert sorted([*report.kept, *report.filled]) == sorted(content)
    assert original != index_file(prefix).read_bytes()


@pytest.mark.parametrize("cut", [1, 48, 60, 3000])
def test_15_blocks_are_found_without_a_footer(tmp_path, cut):
    prefix = tmp_path / "m"
    content = {f"{i:05d}/{'scope' * 20}": np.float32(i) for i in range(3000)}
    icefloe.save_checkpoint(prefix, content)
    change(index_file(prefix), lambda data: data[:-cut])
    assert ckpt.verify(prefix).problems[0].kind == "index"
    report = ckpt.rescue(prefix, tmp_path / "good", salvage=True)
    assert len(report.kept) >= 2900
    if cut <= 60:
        assert report.kept == sorted(content)
    same(icefloe.open_checkpoint(tmp_path / "good"), {n: content[n] for n in report.kept})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 1000\n", "git-LFS pointer"),
        (b"<!DOCTYPE html><html><body>Sign in</body></html>", "HTML"),
        (bytes(3000), "zero"),
        (b"", "empty"),
    ],
    ids=["lfs", "html", "zeros", "empty"],
)
@pytest.mark.parametrize("which", ["index", "data"])
def test_15_another_file_in_its_place(tmp_path, which, content, said):
    prefix = tmp_path / "m"
    saved(prefix)
    (index_file if which == "index" else data_file)(prefix).write_bytes(content)
    found = ckpt.verify(prefix)
    assert not found.ok
    assert said in " ".join(found.diagnoses), found


# 16: shards


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_16_missing_shard(tmp_path, gone, cli):
    prefix = copied("sharded", tmp_path)
    whole = dict(icefloe.open_checkpoint(prefix))
    path = data_file(prefix, gone, 3)
    path.unlink()
    with icefloe.open_checkpoint(prefix) as reader:
        assert sorted(reader) == sorted(whole)
        lost = [n for n in whole if reader.entries[n].shard == gone]
        assert lost
        for name in whole:
            if name in lost:
                with pytest.raises(errors.NotFoundError, match=path.name):
                    reader[name]
            else:
                np.testing.assert_array_equal(reader[name], whole[name])
    found = ckpt.verify(prefix)
    assert found.damaged == sorted(lost)
    (problem,) = found.problems
    assert (problem.kind, problem.path) == ("missing", str(path))
    assert path.name in cli("ckpt", "verify", prefix).out
    assert sorted(ckpt.rescue(prefix, tmp_path / "good").lost) == sorted(lost)


@pytest.mark.parametrize(
    "name", ["other.data-00000-of-00001", "m.data-00000-of-00001 (1)", "m.data-00000-of-00001.part"]
)
def test_16_the_shard_under_another_name(tmp_path, name):
    prefix = tmp_path / "m"
    saved(prefix)
    data_file(prefix).rename(tmp_path / name)
    (cause,) = ckpt.verify(prefix).diagnoses
    assert name in cause


def test_16_a_shard_that_is_packed(tmp_path):
    prefix = tmp_path / "m"
    saved(prefix)
    change(data_file(prefix), gzip.compress)
    (cause,) = ckpt.verify(prefix).diagnoses
    assert "gzip" in cause
    assert "unpack it" in cause


def test_16_shards_of_different_checkpoints(tmp_path):
    """Two saves of the same names and shapes; one data file of the other: all lengths fit."""
    first, second = tmp_path / "m-1", tmp_path / "m-2"
    saved(first, shards=2)
    icefloe.save_checkpoint(second, values(seed=7), shards=2)
    data_file(first, 1, 2).write_bytes(data_file(second, 1, 2).read_bytes())
    found = ckpt.verify(first)
    assert len(found.damaged) == 4
    assert "belongs to another checkpoint than the index" in found.diagnoses[0]
    assert str(data_file(first, 1, 2)) in found.diagnoses[0]
    assert len(ckpt.rescue(first, tmp_path / "good").kept) == 4


def test_16_index_and_data_of_different_checkpoints(tmp_path):
    first, second = tmp_path / "m-1", tmp_path / "m-2"
    saved(first)
    icefloe.save_checkpoint(second, values(seed=7))
    data_file(first).write_bytes(data_file(second).read_bytes())
    found = ckpt.verify(first)
    assert not found.intact
    assert "of different checkpoints" in found.diagnoses[0]


# Transfers in text mode


@pytest.mark.parametrize("which", ["data", "index", "both"])
def test_text_mode(tmp_path, which, cli):
    """Every LF became CR LF: named with its number, and undone by rescue."""
    prefix = tmp_path / "m"
    content = saved(prefix, s=words(b"a line\n", b"and\r\nanother"))
    content["ten"] = np.zeros(10, np.uint8)  # its shape is an LF in the index
    icefloe.save_checkpoint(prefix, content)
    paths = [path for path in (data_file(prefix), index_file(prefix)) if which in ("both", path.name[2:][: len(which)])]
    counts = []
    for path in paths:
        counts.append(path.read_bytes().count(b"\n"))
        change(path, lambda data: data.replace(b"\n", b"\r\n"))
    assert min(counts) > 0
    found = ckpt.verify(prefix)
    assert not found.ok
    for path, count in zip(paths, counts, strict=True):
        assert any(str(path) in text and f"each of {count} LF" in text for text in found.diagnoses)
    assert "text mode" in cli("ckpt", "verify", prefix).out
    report = ckpt.rescue(prefix, tmp_path / "good")
    assert not report.lost
    same(icefloe.open_checkpoint(tmp_path / "good"), content)
    assert {p.name for p in tmp_path.glob("good*")} == {"good.index", "good.data-00000-of-00001"}


def test_text_mode_of_one_shard_of_several(tmp_path):
    prefix = tmp_path / "m"
    content = saved(prefix, shards=2)
    change(data_file(prefix, 1, 2), lambda data: data.replace(b"\n", b"\r\n"))
    assert len(ckpt.verify(prefix).damaged) >= 3
    assert not ckpt.rescue(prefix, tmp_path / "good").lost
    same(icefloe.open_checkpoint(tmp_path / "good"), content)


def test_text_mode_made_lf_and_text_that_was_replaced(tmp_path):
    """The other way round bytes are lost for good; it is named all the same."""
    prefix = tmp_path / "m"
    rng = np.random.default_rng(5)
    icefloe.save_checkpoint(prefix, {f"v{i}": rng.standard_normal(50_000).astype(np.float32) for i in range(8)})
    original = data_file(prefix).read_bytes()
    data_file(prefix).write_bytes(original.replace(b"\r\n", b"\n"))
    found = ckpt.verify(prefix)
    assert "wrote each CR LF as LF" in found.diagnoses[0]
    data_file(prefix).write_bytes(original.decode("utf-8", "replace").encode())
    assert "EF BF BD" in ckpt.verify(prefix).diagnoses[0]


# V1


def test_v1_damage(tmp_path, cli):
    prefix = tmp_path / "m"
    content = values(120)
    from icefloe.checkpoint.v1.writer import V1Writer

    writer = V1Writer(prefix)
    for name, value in content.items():
        writer.add(name, value)
    writer.finish()
    assert ckpt.verify(prefix).ok
    change(prefix, flipped(400_000))
    found = ckpt.verify(prefix)
    assert found.format == "V1"
    assert found.problems[0].kind == "index"
    assert 0 < len(found.damaged) < len(content)
    assert cli("ckpt", "verify", prefix).code == 1
    report = ckpt.rescue(prefix, tmp_path / "good")
    assert sorted(report.lost) == sorted(found.damaged)
    same(icefloe.open_checkpoint(tmp_path / "good"), {n: content[n] for n in report.kept})


@pytest.mark.parametrize("left", [300_000, 600_000])
def test_v1_cut(tmp_path, left, cli):
    """A V1 file without its end is known by its beginning; whole blocks give their tensors."""
    prefix = tmp_path / "m"
    content = values(200)
    from icefloe.checkpoint.v1.writer import V1Writer

    writer = V1Writer(prefix)
    for name, value in content.items():
        writer.add(name, value)
    writer.finish()
    change(prefix, lambda data: data[:left])
    found = ckpt.verify(prefix)
    assert found.format == "V1"
    assert found.problems[0].kind == "index"
    assert len(found.intact) > 60
    report = ckpt.rescue(prefix, tmp_path / "good")
    assert report.kept == found.intact
    same(icefloe.open_checkpoint(tmp_path / "good"), {n: content[n] for n in report.kept})


def test_v1_shard_missing(tmp_path):
    copied("old_format_sharded", tmp_path)
    (tmp_path / "model.ckpt-3-00001-of-00003").unlink()
    found = ckpt.verify(tmp_path / "model.ckpt-3")
    assert [p.kind for p in found.problems] == ["missing"]
    assert "model.ckpt-3-00001-of-00003" in found.problems[0].message


def test_every_byte_of_a_v1_file_of_tensorflow(tmp_path):
    prefix = copied("old_format", tmp_path)
    original = prefix.read_bytes()
    for at in range(len(original)):
        prefix.write_bytes(flipped(at, at % 8)(original))
        if at < len(original) - 48:
            assert not ckpt.verify(prefix).ok, at


# Rescue and what it must not do


def test_rescue_of_a_whole_checkpoint_has_its_bytes(tmp_path):
    """Of what TensorFlow wrote in one shard, rescue writes the same files."""
    for name in ("mixed", "partitioned", "plain", "object_based"):
        prefix = copied(name, tmp_path)
        out = tmp_path / f"{name}-rescued"
        report = ckpt.rescue(prefix, out)
        assert not report.lost
        assert data_file(out).read_bytes() == data_file(prefix).read_bytes()
        assert index_file(out).read_bytes() == index_file(prefix).read_bytes()


def test_rescue_never_writes_over_what_it_reads(tmp_path):
    saved(tmp_path / "a")
    saved(tmp_path / "b")
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(errors.InvalidArgumentError, match="never writes over what it reads"):
        ckpt.rescue(tmp_path / "a", tmp_path / "link" / "a", overwrite=True)
    with pytest.raises(errors.InvalidArgumentError, match="never writes over what it reads"):
        ckpt.rescue(tmp_path / "a", tmp_path / "b", fill_from=tmp_path / "b", overwrite=True)
    with pytest.raises(errors.AlreadyExistsError, match="already"):
        ckpt.rescue(tmp_path / "a", tmp_path / "b")
    same(icefloe.open_checkpoint(tmp_path / "b"), values())


def test_big_endian(tmp_path):
    """Bytes are kept as they are, and so is the byte order of the header."""
    from pathlib import Path

    root = Path(__file__).resolve().parents[2] / "fixtures" / "checkpoints" / "big_endian"
    (index,) = root.glob("*.index")
    prefix = index.with_suffix("")
    assert ckpt.verify(prefix).ok
    report = ckpt.rescue(prefix, tmp_path / "out")
    assert not report.lost
    expected = icefloe.open_checkpoint(prefix)
    same(icefloe.open_checkpoint(tmp_path / "out"), {n: expected[n] for n in expected})


def test_reader_verifies_itself(tmp_path):
    saved(tmp_path / "m")
    with icefloe.open_checkpoint(tmp_path / "m") as reader:
        assert reader.verify().ok
        change(data_file(tmp_path / "m"), flipped(9))
        assert reader.verify().damaged == ["layer0/w"]


def test_leftovers_are_noted(tmp_path):
    prefix = tmp_path / "m"
    saved(prefix)
    (tmp_path / "m.index.tmp-0123456789abcdef").write_bytes(b"")
    (tmp_path / "m.data-00000-of-00001.tempstate123").write_bytes(b"x")
    (tmp_path / "m_temp").mkdir()
    found = ckpt.verify(prefix)
    assert found.ok
    assert len(found.notes) == 3


def test_partitioned_tensor_with_a_slice_gone(tmp_path):
    prefix = tmp_path / "m"
    from icefloe.checkpoint.slices import parse_spec

    with BundleWriter(prefix) as writer:
        full, part = parse_spec("4 2 0,2:-")
        writer.add_slice("p", full, part, np.zeros((2, 2), np.float32))
        writer.add("w", np.float32([1]))
    found = ckpt.verify(prefix)
    assert found.damaged == ["p"]
    assert "4 of 8 elements" in found.problems[0].message
    assert ckpt.rescue(prefix, tmp_path / "good").kept == ["w"]
