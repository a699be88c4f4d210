"""Files that TensorFlow wrote: read with the right values, and written again with the same bytes."""

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from icefloe import datatypes, open_checkpoint
from icefloe.checkpoint.merge import merge_checkpoints
from icefloe.checkpoint.slices import parse_spec
from icefloe.checkpoint.v1.writer import V1Writer
from icefloe.checkpoint.writer import BundleWriter
from unit.checkpoint import samples
from unit.checkpoint.samples import same
from unit.checkpoint.swapped import swap_bundle

GOLDENS = Path(__file__).resolve().parents[3] / "fixtures" / "checkpoints"
HASHES = json.loads((GOLDENS / "hashes.json").read_text())
KEPT = sorted(set(samples.BUNDLES) - set(samples.HASHED))


def put(writer, writes):
    for write in writes:
        if write.spec:
            full, chosen = parse_spec(write.spec)
            writer.add_slice(write.name, full, chosen, write.value)
        else:
            writer.add(write.name, write.value)


def write_bundle(prefix, writes):
    with BundleWriter(prefix) as writer:
        put(writer, writes)


def write_v1(path, writes):
    writer = V1Writer(path)
    put(writer, sorted(writes, key=lambda w: w.name))
    writer.finish()


def assert_same_files(folder, expected):
    names = sorted(p.name for p in Path(folder).iterdir())
    assert names == sorted(p.name for p in Path(expected).iterdir())
    for name in names:
        assert (Path(folder) / name).read_bytes() == (Path(expected) / name).read_bytes(), name


def expected_values(writes):
    whole = samples.tensors(writes)
    return whole | {w.name: samples.SLICED_WHOLE[w.name] for w in writes if w.spec}


@pytest.mark.parametrize("name", KEPT)
def test_bundle_is_read(name):
    reader = open_checkpoint(GOLDENS / name / "ckpt")
    expected = expected_values(samples.BUNDLES[name]())
    assert list(reader) == sorted(expected, key=lambda n: n.encode())
    for key, value in expected.items():
        entry = reader.entries[key]
        assert (entry.dtype, entry.shape) == (datatypes.as_dtype(value.dtype), value.shape)
        assert same(reader[key], value), key
        assert reader[key].flags.writeable


@pytest.mark.parametrize("name", KEPT)
def test_bundle_is_written(name, tmp_path):
    write_bundle(tmp_path / "ckpt", samples.BUNDLES[name]())
    assert_same_files(tmp_path, GOLDENS / name)


def test_index_of_several_blocks_is_written_and_read(tmp_path):
    writes = samples.BUNDLES["many_keys"]()
    write_bundle(tmp_path / "ckpt", writes)
    for path in tmp_path.iterdir():
        assert hashlib.sha256(path.read_bytes()).hexdigest() == HASHES[f"many_keys/{path.name}"]
    reader = open_checkpoint(tmp_path / "ckpt")
    assert len(reader) == len(writes)
    for write in writes[::500]:
        assert same(reader[write.name], write.value)


@pytest.mark.parametrize("mmap", [False, True])
def test_big_endian_bundle_is_read(mmap, tmp_path):
    reader = open_checkpoint(GOLDENS / "big_endian" / "ckpt", mmap=mmap)
    for write in samples.swappable():
        assert same(reader[write.name], write.value), write.name
    swap_bundle(samples.swappable(), tmp_path / "ckpt")
    assert_same_files(tmp_path, GOLDENS / "big_endian")


def test_rows_of_a_big_endian_tensor():
    value = samples.numbers(datatypes.float64, (2, 3), datatypes.float64.as_datatype_enum - 1)
    reader = open_checkpoint(GOLDENS / "big_endian" / "ckpt")
    assert same(reader.read_slice("float64/matrix", parse_spec("2 3 1,1:-")[1]), value[1:])
    assert same(reader.read_slice("float64/matrix", parse_spec("2 3 -:1,2")[1]), value[:, 1:])


def test_merged_shards_are_read():
    reader = open_checkpoint(GOLDENS / "merged" / "ckpt")
    assert reader.num_shards == 3
    for name, value in samples.SLICED_WHOLE.items():
        if name != "covered too":
            assert same(reader[name], value), name


def test_shards_are_merged_as_tensorflow_does(tmp_path):
    prefixes = [tmp_path / "ckpt_temp" / f"part-{i:05d}-of-00003" for i in range(3)]
    for prefix, writes in zip(prefixes, samples.PARTS):
        write_bundle(prefix, writes)
    merge_checkpoints(prefixes, tmp_path / "ckpt")
    assert_same_files(tmp_path, GOLDENS / "merged")


def test_variants_are_read_and_written(tmp_path):
    reader = open_checkpoint(GOLDENS / "variants" / "ckpt")
    full, hole = reader["full"].item(), reader["hole"].item()
    assert (full.type_name, hole.type_name) == ("tensorflow::TensorList", "tensorflow::TensorList")
    assert [list(t.float_val) for t in full.tensors] == [[1, 2], [3, 4]]
    assert [list(t.int64_val) for t in hole.tensors] == [[5, -6]]
    assert hole.metadata.startswith(b"\x02\x00\x02\x09")  # two slots are empty, 0 and 2; int64
    assert same(reader["after"], np.array([7], np.int32))
    with BundleWriter(tmp_path / "ckpt") as writer:
        for name in ("full", "hole", "after"):
            writer.add(name, reader[name])
    assert_same_files(tmp_path, GOLDENS / "variants")


@pytest.mark.parametrize("name", sorted(set(samples.V1_FILES) - set(samples.HASHED)))
def test_v1_file_is_read_and_written(name, tmp_path):
    writes = samples.V1_FILES[name]()
    reader = open_checkpoint(GOLDENS / name / "ckpt")
    expected = expected_values(writes)
    assert sorted(reader) == sorted(expected)
    for key, value in expected.items():
        assert (reader.entries[key].dtype, reader.entries[key].shape) == (datatypes.as_dtype(value.dtype), value.shape)
        assert same(reader[key], value), key
    write_v1(tmp_path / "ckpt", writes)
    assert_same_files(tmp_path, GOLDENS / name)


def test_v1_file_of_several_blocks_is_written_and_read(tmp_path):
    writes = samples.V1_FILES["v1_blocks"]()
    write_v1(tmp_path / "ckpt", writes)
    assert hashlib.sha256((tmp_path / "ckpt").read_bytes()).hexdigest() == HASHES["v1_blocks/ckpt"]
    reader = open_checkpoint(tmp_path / "ckpt")
    for write in writes:
        assert same(reader[write.name], write.value)


@pytest.mark.parametrize("form", ["ckpt", "ckpt-?????-of-00002", "ckpt-?????-of-?????", "ckpt-00001-of-00002"])
def test_v1_shards_are_one_checkpoint(form):
    reader = open_checkpoint(GOLDENS / "v1_sharded" / form)
    names = {w.name for w in samples.V1_FILES["v1_slices"]()}
    assert set(reader) == names
    for name in names:
        assert same(reader[name], samples.SLICED_WHOLE[name]), name


@pytest.mark.parametrize("where", ["slices", "v1_slices"])
def test_any_slice_of_a_partitioned_tensor(where):
    reader = open_checkpoint(GOLDENS / where / "ckpt")
    grid = samples.SLICED_WHOLE["grid"]
    for spec, index in [
        ("4 6 2,2:2,2", np.s_[2:4, 2:4]),  # as stored
        ("4 6 1,2:-", np.s_[1:3]),  # of four stored ones
        ("4 6 3,1:5,1", np.s_[3:4, 5:6]),
        ("4 6 0,4:0,6", np.s_[:]),
    ]:
        got = reader.read_slice("grid", parse_spec(spec)[1])
        assert same(got, grid[index]), spec
        assert got.flags.writeable
    assert same(reader.read_slice("half", parse_spec("4 2,2")[1]), samples.SLICED_WHOLE["half"][2:])
    assert same(reader.read_slice("text", parse_spec("4 1,2")[1]), samples.SLICED_WHOLE["text"][1:3])
    assert same(reader.read_slice("plain", parse_spec("2 1,1")[1]), samples.SLICED_WHOLE["plain"][1:])


@pytest.mark.parametrize("name", ["strings", "slices", "v1_dtypes"])
def test_reading_and_saving_all_of_it_keeps_every_value(name, tmp_path):
    from icefloe import save_checkpoint

    reader = open_checkpoint(GOLDENS / name / "ckpt")
    save_checkpoint(tmp_path / "copy", reader, shards=3)
    copy = open_checkpoint(tmp_path / "copy")
    assert sorted(copy) == sorted(reader)
    assert all(same(copy[n], reader[n]) for n in reader)


def test_goldens_are_not_touched_by_reading(tmp_path):
    shutil.copytree(GOLDENS / "merged", tmp_path / "c")
    for path in (tmp_path / "c").iterdir():
        path.chmod(0o444)
    (tmp_path / "c").chmod(0o555)
    try:
        assert len(open_checkpoint(tmp_path / "c")) == 9
    finally:
        (tmp_path / "c").chmod(0o755)
