"""Formats and their corners: many blocks, strings, dtypes, partitions, byte order, names with colons; in every format."""

import numpy as np
import pytest

import icefloe
from cases.damage import SAVERS
from icefloe import errors
from icefloe.checkpoint.slices import parse_spec
from icefloe.checkpoint.v1.writer import V1Writer
from icefloe.checkpoint.writer import BundleWriter
from icefloe.ckpt import convert
from unit.checkpoint import samples
from unit.checkpoint.swapped import swap_bundle
from unit.checkpoint.test_conversion import all_dtypes, objects, sample

KINDS = ["npz", "h5", "safetensors"]


def same(a, b):
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    assert a.tolist() == b.tolist() if a.dtype.hasobject else a.tobytes() == b.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*KINDS, "v1"])
def test_19_an_index_of_several_blocks(tmp_path, kind):
    values = {f"a/rather/long/scope/of/variables/variable_{i}": np.int32(i) for i in range(9000)}
    icefloe.save_checkpoint(tmp_path / "m", values)
    convert(tmp_path / "m", tmp_path / f"x.{kind}", to=kind)
    for path in ("m", f"x.{kind}"):
        with icefloe.open_checkpoint(tmp_path / path) as reader:
            assert len(reader) == 9000
            assert reader["a/rather/long/scope/of/variables/variable_8999"] == 8999
    assert len(icefloe.ckpt.ls(tmp_path / f"x.{kind}").rows) == 9000


@pytest.mark.parametrize("kind", [*KINDS, "v1"])
def test_21_strings(tmp_path, kind):
    values = {
        "scalar": np.array(b"x", object),
        "empty": np.array(b"", object),
        "none": np.empty((0, 3), object),
        "mixed": objects(b"", b"\0", b"a\0b\0", b"\xff\xfe", "é".encode(), b"x" * 127, b"x" * 128, b"x" * 20_000),
        "large": np.array(b"y" * (2 << 20) + b"\0", object),
        "table": objects(b"1", b"2", b"3", b"4", shape=(2, 2)),
    }
    icefloe.save_checkpoint(tmp_path / "m", values)
    convert(tmp_path / "m", tmp_path / f"x.{kind}", to=kind)
    convert(tmp_path / f"x.{kind}", tmp_path / "back")
    for path in ("m", f"x.{kind}", "back"):
        with icefloe.open_checkpoint(tmp_path / path) as reader:
            for name, value in values.items():
                same(reader[name], value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", all_dtypes(), ids=lambda d: d.name)
def test_23_every_dtype(tmp_path, kind, dtype):
    values = {"many": sample(dtype, (7, 3)), "one": sample(dtype, ()), "none": sample(dtype, (0, 2))}
    icefloe.save_checkpoint(tmp_path / "m", values)
    convert(tmp_path / "m", tmp_path / f"x.{kind}")
    convert(tmp_path / f"x.{kind}", tmp_path / "back")
    for path in (f"x.{kind}", "back"):
        with icefloe.open_checkpoint(tmp_path / path) as reader:
            assert reader.entries["many"].dtype == dtype
            for name, value in values.items():
                same(reader[name], value)


PARTS = {
    "uneven rows": ("5 3", ["0,2:-", "2,2:-", "4,1:-"]),
    "columns": ("2 7", ["-:0,3", "-:3,4"]),
    "a grid": ("4 4", ["0,1:0,3", "0,1:3,1", "1,3:0,3", "1,3:3,1"]),
}


@pytest.mark.parametrize("format_", ["V2", "V1"])
@pytest.mark.parametrize("parts", PARTS, ids=str)
def test_24_25_partitions(tmp_path, format_, parts):
    shape, specs = PARTS[parts]
    full = tuple(map(int, shape.split()))
    whole = np.arange(np.prod(full), dtype=np.float32).reshape(full)
    writer = BundleWriter(tmp_path / "m") if format_ == "V2" else V1Writer(tmp_path / "m")
    for spec in specs:
        _, chosen = parse_spec(f"{shape} {spec}")
        writer.add_slice("p", full, chosen, whole[chosen.index(full)])
    writer.finish()
    (row,) = icefloe.ckpt.ls(tmp_path / "m").rows
    assert sorted(row.slices) == sorted(specs)
    for path in ("m", "x.npz", "x.h5", "x.safetensors", "back"):
        if path == "back":
            convert(tmp_path / "x.npz", tmp_path / path)
        elif path != "m":
            convert(tmp_path / "m", tmp_path / path)
        with icefloe.open_checkpoint(tmp_path / path) as reader:
            same(reader["p"], whole)
            assert b"".join(piece.tobytes() for piece in reader.stream("p")) == whole.tobytes()
    with icefloe.open_checkpoint(tmp_path / "back") as reader:
        assert sorted(map(str, reader.entries["p"].slices)) == sorted(specs)


def test_25_partitions_that_tensorflow_wrote():
    with icefloe.open_checkpoint(SAVERS / "partitioned") as reader:
        assert {n: reader.entries[n].is_sliced for n in reader} == {"columns": True, "rows": True, "whole": False}
        assert reader["rows"].shape == (7, 2)


def test_27_big_endian(tmp_path):
    swap_bundle(samples.swappable(), tmp_path / "big")
    convert(tmp_path / "big", tmp_path / "little")
    convert(tmp_path / "big", tmp_path / "x.safetensors")
    for path in ("big", "little", "x.safetensors"):
        with icefloe.open_checkpoint(tmp_path / path) as reader:
            for write in samples.swappable():
                same(reader[write.name], write.value)
                if not write.value.dtype.hasobject:
                    assert b"".join(p.tobytes() for p in reader.stream(write.name)) == write.value.tobytes()


@pytest.mark.parametrize("kind", ["v2", *KINDS])
def test_28_names_with_colons(tmp_path, kind):
    icefloe.save_checkpoint(tmp_path / "m", {"a:0": 1, "b": 2, "scope/c:1": 3})
    convert(tmp_path / "m", tmp_path / f"x.{kind}", to=kind)
    with icefloe.open_checkpoint(tmp_path / f"x.{kind}") as reader:
        assert [reader[n] for n in ("a:0", "b", "scope/c:1")] == [1, 2, 3]
        if kind != "h5":  # whose names Keras writes with `:0`
            with pytest.raises(errors.NotFoundError, match="Did you mean 'a:0'"):
                reader["a"]
            with pytest.raises(errors.NotFoundError, match="Did you mean 'b'"):
                reader["b:0"]


@pytest.mark.parametrize(
    "source",
    [
        "checkpoints/dtypes/ckpt",
        "checkpoints/strings/ckpt",
        "savers/plain/model.ckpt-3",
        "savers/partitioned/model.ckpt-3",
    ],
)
@pytest.mark.parametrize("through", ["", "x.npz", "x.h5", "x.safetensors"])
def test_29_what_is_written_is_what_tensorflow_writes(tmp_path, source, through):
    """TensorFlow's own file, read and written again, has its bytes: dtypes, empty ones, scalars, strings, parts."""
    path = SAVERS.parent / source
    if through:
        convert(path, tmp_path / through)
    convert(tmp_path / through if through else path, tmp_path / "out" / path.name)
    for suffix in ("index", "data-00000-of-00001"):
        written = (tmp_path / "out" / f"{path.name}.{suffix}").read_bytes()
        assert written == path.with_name(f"{path.name}.{suffix}").read_bytes(), suffix


def test_29_nothing_at_all(tmp_path):
    """TensorFlow 2.21 was seen to list no variable of it, and to go on."""
    icefloe.save_checkpoint(tmp_path / "m", {})
    with icefloe.open_checkpoint(tmp_path / "m") as reader:
        assert len(reader) == 0
    assert (tmp_path / "m.data-00000-of-00001").stat().st_size == 0
    assert icefloe.ckpt.verify(tmp_path / "m").ok
