"""Conversion between formats: back to the same bits, opened by numpy, h5py and safetensors, and what is refused."""

import hashlib
import os
import subprocess
import sys

import h5py
import numpy as np
import pytest
from safetensors import safe_open

import icefloe
from icefloe import datatypes, errors, open_checkpoint
from icefloe.checkpoint.converting.conversion import convert, format_of
from icefloe.checkpoint.formats.storing import placeholders
from icefloe.checkpoint.object_graph import KEY
from icefloe.checkpoint.slices import parse_spec
from icefloe.checkpoint.writer import BundleWriter
from icefloe.proto import VariantTensorDataProto
from unit.checkpoint.test_object_graph import OBJECTS, VALUE

FORMATS = ["npz", "h5", "safetensors"]


def all_dtypes():
    found = []
    for number in range(1, 64):
        try:
            dtype = datatypes.as_dtype(number)
        except TypeError:
            continue
        if not dtype.numpy.hasobject:
            found.append(dtype)
    return found


def objects(*items, shape=None):
    out = np.empty(len(items), object)
    out[:] = items
    return out if shape is None else out.reshape(shape)


def sample(dtype, shape=(3, 4)):
    """Random bits, as far as every bit pattern is an element."""
    count = int(np.prod(shape))
    rng = np.random.default_rng(dtype.as_datatype_enum)
    if dtype.size == 1 and dtype.name not in ("int8", "uint8", "qint8", "quint8"):
        return rng.integers(0, 2, shape).astype(dtype.numpy)  # bool, and numbers of fewer bits than a byte
    return np.frombuffer(rng.bytes(count * dtype.size), dtype.numpy).reshape(shape)


@pytest.fixture
def everything(tmp_path):
    """A checkpoint with all that a format may lack."""
    variant = np.empty(2, object)
    variant[:] = [VariantTensorDataProto(type_name="x", metadata=b"\x01"), VariantTensorDataProto()]
    with BundleWriter(tmp_path / "m") as writer:
        for dtype in all_dtypes():
            writer.add(f"of/{dtype.name}", sample(dtype))
        for name in (
            "a:0",
            "w",
            "w/Momentum",
            "/lead//x/",
            "./dots/../x",
            "__icefloe__",
            "__metadata__",
            "é",
            "tensor_0",
        ):
            writer.add(name, np.arange(3))
        writer.add(b"no \xff text", np.float32(1))
        writer.add("zero\0inside", np.float32(2))
        writer.add("scalar", np.float16(1.5))
        writer.add("empty", np.zeros((0, 3), np.float32))
        writer.add("empty_complex", np.zeros((2, 0), np.complex64))
        writer.add("strings", objects(b"ends\0", b"", b"\xff\xfe", "é".encode(), shape=(2, 2)))
        writer.add("string", np.array(b"x" * 20000, object))
        writer.add("no_strings", np.empty((0, 2), object))
        writer.add("variants", variant)
        for spec in ("4 2 0,1:-", "4 2 1,3:-"):
            full, part = parse_spec(spec)
            writer.add_slice("parts", full, part, np.full(part.shape(full), ord(spec[4]), np.float32))
        writer.add("rows", np.random.default_rng(0).standard_normal((1500, 1001)).astype(np.float32))
        writer.add("pairs", np.random.default_rng(1).standard_normal((1500, 501)).astype(np.complex64))
    return tmp_path / "m"


def bits(prefix):
    return [
        hashlib.sha256((prefix.parent / f"{prefix.name}{s}").read_bytes()).digest()
        for s in (".index", ".data-00000-of-00001")
    ]


@pytest.mark.parametrize("kind", FORMATS)
def test_there_and_back_gives_the_same_bytes(kind, everything, tmp_path):
    there = convert(everything, tmp_path / f"x.{kind}")
    assert (there.source_format, there.format, there.dropped) == ("V2", kind, [])
    assert sorted(there.in_side_entry) == ["no_strings", "string", "strings", "variants"]
    back = convert(tmp_path / f"x.{kind}", tmp_path / "back")
    assert (back.source_format, back.format) == (kind, "V2")
    assert there.tensors == back.tensors
    assert bits(tmp_path / "back") == bits(everything)


@pytest.mark.parametrize("kind", FORMATS)
def test_what_was_converted_reads_the_same(kind, everything, tmp_path):
    convert(everything, tmp_path / f"x.{kind}")
    with open_checkpoint(everything) as old, open_checkpoint(tmp_path / f"x.{kind}") as new:
        assert new.format == kind
        assert list(new) != sorted(new)  # the order is that of the bytes
        assert sorted(new) == sorted(old)
        for name, entry in old.entries.items():
            assert (new.entries[name].dtype, new.entries[name].shape) == (entry.dtype, entry.shape)
            a, b = old[name], new[name]
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            assert a.tolist() == b.tolist() if a.dtype.hasobject else a.tobytes() == b.tobytes()
            streamed = [(piece.nbytes, piece.tobytes()) for piece in new.stream(name)]
            if not a.dtype.hasobject:
                assert b"".join(data for _, data in streamed) == a.tobytes()
                assert max((size for size, _ in streamed), default=0) <= (5 << 20)
        _, part = parse_spec("1500 1001 700,3:5,2")
        np.testing.assert_array_equal(new.read_slice("rows", part), old["rows"][700:703, 5:7])
        _, part = parse_spec("1500 501 700,3:-")
        np.testing.assert_array_equal(new.read_slice("pairs", part), old["pairs"][700:703])


def test_numpy_opens_the_npz(everything, tmp_path):
    convert(everything, tmp_path / "x.npz")
    with open_checkpoint(everything) as reader, np.load(tmp_path / "x.npz") as arrays:
        for name in ("of/float32", "of/complex128", "of/bool", "scalar", "empty", "w", "w/Momentum", "rows", "é"):
            np.testing.assert_array_equal(arrays[name], reader[name])
        np.testing.assert_array_equal(arrays["of/bfloat16"], reader["of/bfloat16"].view(np.uint16))
        assert arrays["__icefloe__"].item().startswith(b'{"icefloe":1')


def test_h5py_opens_the_h5(everything, tmp_path):
    convert(everything, tmp_path / "x.h5")
    with open_checkpoint(everything) as reader, h5py.File(tmp_path / "x.h5") as file:
        for name in ("of/float32", "of/complex128", "of/bool", "scalar", "empty", "w/Momentum", "rows", "é"):
            np.testing.assert_array_equal(file[name][()], reader[name])
        np.testing.assert_array_equal(file["w:0"][()], reader["w"])
        assert file["of/bfloat16"].attrs["dtype"] == "bfloat16"


def test_safetensors_opens_the_safetensors(everything, tmp_path):
    convert(everything, tmp_path / "x.safetensors")
    with open_checkpoint(everything) as reader, safe_open(tmp_path / "x.safetensors", "np") as file:
        for name in ("of/float32", "of/int64", "of/bool", "of/bfloat16", "scalar", "empty", "rows", "é"):
            found = file.get_tensor(name)
            assert found.tobytes() == reader[name].tobytes()
            assert found.shape == reader[name].shape
        np.testing.assert_array_equal(file.get_tensor("pairs"), reader["pairs"].view(np.float32).reshape(1500, 501, 2))


@pytest.mark.parametrize("kind", FORMATS)
def test_the_object_graph_survives(kind, tmp_path):
    convert(OBJECTS, tmp_path / f"x.{kind}")
    with open_checkpoint(tmp_path / f"x.{kind}") as reader:
        assert reader.find("dense/kernel") == f"model/dense/kernel{VALUE}"
        assert reader.object_graph.tensors[reader.find("Adam/dense/kernel/m")].slot.slot == "m"
    convert(tmp_path / f"x.{kind}", tmp_path / "back")
    with open_checkpoint(OBJECTS) as old, open_checkpoint(tmp_path / "back") as new:
        assert {k: v.tobytes() for k, v in old.items() if not v.dtype.hasobject} == {
            k: v.tobytes() for k, v in new.items() if not v.dtype.hasobject
        }
        assert old[KEY] == new[KEY]


def test_to_names_and_paths(tmp_path):
    with pytest.raises(errors.InvalidArgumentError, match="two tensors have the name twice"):
        convert(OBJECTS, tmp_path / "full", naming="full")
    done = convert(OBJECTS, tmp_path / "paths", naming="path")
    assert done.dropped == [KEY]
    with open_checkpoint(tmp_path / "paths") as reader:
        assert reader.object_graph is None
        assert "model/dense/kernel" in reader.entries
        assert "table/.ATTRIBUTES/table-keys" in reader.entries


def test_to_v1_and_back(tmp_path):
    with BundleWriter(tmp_path / "m") as writer:
        for dtype in all_dtypes():
            if icefloe.checkpoint.v1.typed_values.can_encode(dtype):
                writer.add(f"of/{dtype.name}", sample(dtype))
        writer.add("strings", objects(b"a\0", b""))
        writer.add("scalar", np.float16(1.5))
        writer.add("empty", np.zeros((0, 3), np.float32))
        for spec in ("4 2 0,1:-", "4 2 1,3:-"):
            full, part = parse_spec(spec)
            writer.add_slice("parts", full, part, np.full(part.shape(full), ord(spec[4]), np.float32))
    done = convert(tmp_path / "m", tmp_path / "old", to="v1")
    with open_checkpoint(tmp_path / "old") as old, open_checkpoint(tmp_path / "m") as new:
        assert (old.format, len(old)) == ("V1", done.tensors)
        for name in new:
            assert old[name].dtype == new[name].dtype
            assert (
                old[name].tolist() == new[name].tolist()
                if new[name].dtype.hasobject
                else old[name].tobytes() == new[name].tobytes()
            )
        assert old.entries["parts"].is_sliced
    convert(tmp_path / "old", tmp_path / "back")
    with open_checkpoint(tmp_path / "back") as back:
        assert back.format == "V2"
        assert back.entries["parts"].is_sliced


def test_v1_refuses_what_it_cannot_hold_before_writing(everything, tmp_path):
    with pytest.raises(errors.InvalidArgumentError, match=r"a V1 checkpoint cannot hold bfloat16, .*: of/bfloat16"):
        convert(everything, tmp_path / "old", to="v1")
    assert not (tmp_path / "old").exists()


@pytest.mark.parametrize("kind", FORMATS)
def test_plain_files_refuse_what_they_cannot_say(kind, tmp_path):
    icefloe.save_checkpoint(tmp_path / "m", {"s": objects(b"a", b"bc"), "w": np.arange(3)})
    with pytest.raises(errors.InvalidArgumentError, match="s is a tensor of strings"):
        convert(tmp_path / "m", tmp_path / f"x.{kind}", plain=True)
    with pytest.raises(errors.InvalidArgumentError, match="s is a tensor of strings"):
        convert(tmp_path / "m", tmp_path / f"x.{kind}", strings="refuse")
    assert not (tmp_path / f"x.{kind}").exists()
    assert convert(tmp_path / "m", tmp_path / f"x.{kind}", plain=True, strings="drop").dropped == ["s"]
    if kind == "safetensors":
        with pytest.raises(errors.InvalidArgumentError, match="safetensors has no arrays of strings"):
            convert(tmp_path / "m", tmp_path / f"x.{kind}", strings="array")
    else:
        convert(tmp_path / "m", tmp_path / f"x.{kind}", plain=True, strings="array")
        with open_checkpoint(tmp_path / f"x.{kind}") as reader:
            assert reader["s"].tolist() == [b"a", b"bc"]
            assert sorted(reader) == ["s", "w"]
        icefloe.save_checkpoint(tmp_path / "m", {"s": objects(b"a\0b\0")})
        with pytest.raises(errors.InvalidArgumentError, match="a string with a zero byte"):
            convert(tmp_path / "m", tmp_path / f"x.{kind}", strings="array")


def test_plain_files_refuse_dtypes(everything, tmp_path):
    with pytest.raises(errors.InvalidArgumentError, match="npz lacks the dtype of of/"):
        convert(everything, tmp_path / "x.npz", plain=True, strings="drop")
    with pytest.raises(errors.InvalidArgumentError, match="safetensors lacks the dtype of of/"):
        convert(everything, tmp_path / "x.safetensors", plain=True, strings="drop")


def test_formats_by_suffix():
    assert [
        format_of(n)
        for n in ("m.npz", "M.NPZ", "a.h5", "a.weights.h5", "a.hdf5", "x.safetensors", "m", "m.index", "m.ckpt")
    ] == [
        "npz",
        "npz",
        "h5",
        "h5",
        "h5",
        "safetensors",
        "v2",
        "v2",
        "v2",
    ]
    assert format_of("m.npz", "V1") == "v1"
    with pytest.raises(errors.InvalidArgumentError, match=r"cannot be converted to a \.onnx file"):
        format_of("m.onnx")
    with pytest.raises(errors.InvalidArgumentError, match="no format 'zarr'"):
        format_of("m", "zarr")


@pytest.mark.parametrize("kind", ["x", "x.npz", "x.h5", "x.safetensors"])
def test_a_source_that_is_damaged_leaves_the_former_file(kind, tmp_path):
    icefloe.save_checkpoint(tmp_path / "m", {"a": np.arange(4.0), "b": np.arange(3 << 20)})
    target = tmp_path / f"{kind}.index" if kind == "x" else tmp_path / kind
    convert(tmp_path / "m", tmp_path / kind)
    before = target.read_bytes()
    with open(tmp_path / "m.data-00000-of-00001", "r+b") as file:
        file.seek(20 << 20)
        file.write(b"damage")
    with pytest.raises(errors.DataLossError, match="b"):
        convert(tmp_path / "m", tmp_path / kind)
    assert target.read_bytes() == before
    assert not [name for name in os.listdir(tmp_path) if "tmp" in name]


def test_progress_and_directories(tmp_path):
    icefloe.save_checkpoint(tmp_path / "m", {"a": np.zeros(3 << 20, np.float32)})
    seen = []
    done = convert(
        tmp_path / "m", tmp_path / "new" / "deep" / "x.npz", progress=lambda d, total: seen.append((d, total))
    )
    assert seen[-1] == (12 << 20, 12 << 20)
    assert len(seen) > 2
    assert done.bytes == 12 << 20
    with pytest.raises(errors.InvalidArgumentError, match="is a directory"):
        convert(tmp_path / "m", tmp_path / "new", to="npz")


def test_a_file_converts_onto_itself(tmp_path):
    icefloe.save_checkpoint(tmp_path / "m", {"a": np.arange(4.0)})
    before = bits(tmp_path / "m")
    convert(tmp_path / "m", tmp_path / "m")
    assert bits(tmp_path / "m") == before


def test_names_that_a_format_lacks():
    names = placeholders(["a", "no", "tensor_0", "no too"], lambda n: not n.startswith("no"))
    assert names == {"a": "a", "no": "tensor_1", "tensor_0": "tensor_0", "no too": "tensor_2"}


def test_notes_beside_arrays_of_an_npz(tmp_path):
    """`w!dtype` beside `w` says what its bits are."""
    import ml_dtypes

    value = np.array([1.5, -2], ml_dtypes.bfloat16)
    np.savez(
        tmp_path / "x.npz", **{"w": value.view(np.uint16), "w!dtype": np.array(b"bfloat16"), "odd!dtype": np.arange(2)}
    )
    with open_checkpoint(tmp_path / "x.npz") as reader:
        assert sorted(reader) == ["odd!dtype", "w"]
        np.testing.assert_array_equal(reader["w"], value)


def test_arrays_of_numpy(tmp_path):
    arrays = {
        "fortran": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        "big": np.arange(3, dtype=">f8"),
        "unicode": np.array(["é", "b", ""]),
        "bytes": np.array([b"x", b"yz"]),
        "scalar": np.int16(4),
        "empty": np.zeros((2, 0), np.complex64),
        "pickle": np.array([{}], object),
        "time": np.array(["2020-01-01"], "datetime64[D]"),
        "record": np.zeros(2, [("a", "f4"), ("b", "i4")]),
    }
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "x.npz", **arrays)
        with open_checkpoint(tmp_path / "x.npz") as reader:
            assert sorted(reader.left_out) == ["pickle", "record", "time"]
            assert "never loads" in reader.left_out["pickle"]
            for name in ("fortran", "big", "scalar", "empty"):
                np.testing.assert_array_equal(reader[name], arrays[name])
                assert reader[name].dtype.isnative
                assert (
                    b"".join(p.tobytes() for p in reader.stream(name))
                    == arrays[name].astype(reader[name].dtype).tobytes()
                )
            assert reader["unicode"].tolist() == ["é".encode(), b"b", b""]
            assert reader["bytes"].tolist() == [b"x", b"yz"]
            _, part = parse_spec("3 4 1,2:2,1")
            np.testing.assert_array_equal(reader.read_slice("fortran", part), arrays["fortran"][1:3, 2:3])
            with pytest.raises(errors.UnimplementedError, match="pickle"):
                reader["pickle"]
        done = convert(tmp_path / "x.npz", tmp_path / "m")
        assert sorted(done.left_out) == ["pickle", "record", "time"]


@pytest.mark.parametrize("limit", [3 << 20])
@pytest.mark.parametrize("kind", ["npz", "h5", "safetensors", "v1", "v2"])
def test_a_disk_that_is_full(tmp_path, kind, limit):
    """The former file stays and nothing else is left; the limit on files stands for the disk, in a process of its own."""
    icefloe.save_checkpoint(tmp_path / "m", {f"w{i}": np.zeros(1 << 18, np.float32) for i in range(6)})
    script = (
        "import resource, signal, sys, icefloe\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, resource.RLIM_INFINITY))\n"
        "try:\n"
        "    icefloe.ckpt.convert(sys.argv[1], sys.argv[2], to=sys.argv[3])\n"
        "except icefloe.errors.ResourceExhaustedError as e:\n"
        "    print(e)\n"
    )
    target = tmp_path / f"x.{kind}"
    target.write_bytes(b"former")
    command = [sys.executable, "-c", script, tmp_path / "m", target, kind]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert str(target) in done.stdout
    assert "File too large" in done.stdout
    assert target.read_bytes() == b"former"
    assert sorted(os.listdir(tmp_path)) == ["m.data-00000-of-00001", "m.index", target.name]


@pytest.mark.parametrize("target", ["new/w.npz", "new/w.safetensors", "new/w.h5"])
def test_no_directory_is_made_for_a_source_that_is_not_there(tmp_path, target):
    with pytest.raises(errors.NotFoundError):
        convert(tmp_path / "nothing", tmp_path / target)
    assert not (tmp_path / "new").exists()
