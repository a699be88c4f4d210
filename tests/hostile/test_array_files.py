"""Damaged and crafted array files: a value or an error that names the file, never another exception, a pickle or a large
allocation.

`corpus/array_files` keeps inputs that once came through; new ones are mutations of files that numpy, h5py, Keras and
`convert` wrote.
"""

import contextlib
import io
import json
import pickle
import random
import struct
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icefloe import errors, open_checkpoint, save_checkpoint
from icefloe.checkpoint.converting.conversion import convert
from icefloe.checkpoint.formats import side_entry
from icefloe.checkpoint.formats.npz_reader import parse_npy
from icefloe.checkpoint.listing import ls

CORPUS = Path(__file__).parent / "corpus" / "array_files"
WEIGHTS = Path(__file__).resolve().parents[2] / "fixtures" / "weights"
MEMORY = 64 << 20


def read_all(path):
    """Read whatever is there; return how many values. Any exception but icefloe's, and any that does not name the file,
    passes through.
    """
    values = 0
    failures = []
    tracemalloc.start()
    try:
        with open_checkpoint(path) as reader:
            for name in reader:
                try:
                    reader[name]
                    for _ in reader.stream(name):
                        values += 1
                except errors.OpError as e:
                    failures.append(e)
        ls(path)
    except errors.OpError as e:
        failures.append(e)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert [e for e in failures if str(path) not in str(e)] == []
    assert peak < MEMORY
    return values


def written(suffix, tmp):
    save_checkpoint(
        tmp / "m",
        {
            "a/b": np.arange(6.0).reshape(2, 3),
            "s": np.array([b"x", b"yy"], object),
            "e": np.zeros((0, 2)),
            "c": np.arange(3).astype(np.complex64),
        },
    )
    convert(tmp / "m", tmp / f"x.{suffix}")
    return (tmp / f"x.{suffix}").read_bytes()


def saved_by_numpy(save):
    out = io.BytesIO()
    save(out, a=np.arange(6.0).reshape(2, 3), s=np.array(["é", "b"]), z=np.zeros(1000))
    return out.getvalue()


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    tmp = tmp_path_factory.mktemp("sources")
    return {
        "written.npz": written("npz", tmp),
        "written.h5": written("h5", tmp),
        "written.safetensors": written("safetensors", tmp),
        "numpy.npz": saved_by_numpy(np.savez),
        "deflated.npz": saved_by_numpy(np.savez_compressed),
        "old.h5": (WEIGHTS / "keras2_weights.h5").read_bytes(),
        "new.h5": (WEIGHTS / "keras3.weights.h5").read_bytes(),
        "model.keras": (WEIGHTS / "keras3.keras").read_bytes(),
    }


NAMES = [
    "written.npz",
    "written.h5",
    "written.safetensors",
    "numpy.npz",
    "deflated.npz",
    "old.h5",
    "new.h5",
    "model.keras",
]


def mutated(data, r):
    out = bytearray(data)
    for _ in range(r.choice([1, 1, 1, 2, 4, 16])):
        i = r.randrange(len(out))
        action = r.randrange(6)
        size = r.choice([2, 4, 8])
        if action == 0:
            out[i] ^= 1 << r.randrange(8)
        elif action == 1:
            out[i] = r.choice([0, 1, 0x7F, 0x80, 0xFF])
        elif action == 2:
            out[i : i + size] = r.choice([b"\xff" * size, bytes(size), (1 << (8 * size - 2)).to_bytes(size, "little")])
        elif action == 3:
            del out[i : i + r.randrange(1, 64)]
        elif action == 4:
            out[i:i] = r.randbytes(r.randrange(1, 32))
        else:
            del out[i:]
        out = out or bytearray(1)
    return bytes(out)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_mutations(name, seed, sources, tmp_path):
    r = random.Random(f"{name} {seed}")
    path = tmp_path / name
    for _ in range(12):
        path.write_bytes(mutated(sources[name], r))
        read_all(path)


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_is_read_whole(name, sources, tmp_path):
    (tmp_path / name).write_bytes(sources[name])
    assert read_all(tmp_path / name) >= 3


@pytest.mark.parametrize("name", ["written.npz", "written.safetensors", "numpy.npz", "deflated.npz"])
def test_cuts(name, sources, tmp_path):
    data = sources[name]
    for size in range(0, len(data), max(len(data) // 60, 1)):
        (tmp_path / name).write_bytes(data[:size])
        assert read_all(tmp_path / name) == 0


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda p: p.name)
def test_corpus(path):
    read_all(path)


# .npz


def archive(members, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file:
        for name, data in members:
            file.writestr(zipfile.ZipInfo(name), data, compress_type=method)
    return out.getvalue()


def npy(header, data=b"", version=1):
    text = header.encode() + b"\n"
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + data


def literal(descr="'<f4'", shape="(2,)", fortran="False"):
    return f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}}}"


@pytest.mark.parametrize(
    "member, says",
    [
        (npy(literal(shape="(1000000000000,)"), bytes(8)), "in a member that has"),
        (npy(literal(shape="(-1,)")), "impossible shape"),
        (npy(literal(shape="(True,)"), bytes(4)), "impossible shape"),
        (npy(literal(shape=f"({1 << 40}, {1 << 40})")), "impossible shape"),
        (npy(literal(shape="[2]"), bytes(8)), "impossible shape"),
        (npy(literal(shape="(1,)*70")), "no Python literal"),
        (npy(literal(shape="__import__('os').system('x')")), "no Python literal"),
        (npy("[" * 5000), "no Python literal"),
        (npy("{'descr': '<f4'}"), "other fields"),
        (npy(literal("'<f4,'"), bytes(8)), "no tensor"),
        (npy(literal("[('a', '<f4')]"), bytes(8)), "no tensor"),
        (npy(literal("'|O'"), pickle.dumps([print])), "pickle"),
        (npy(literal("'<q9'")), "unknown element type"),
        (npy(literal("'|S0'", "(1000000000000,)")), "no size"),
        (b"\x93NUMPY\x09\x00", "no array"),
        (b"just text", "no array"),
        (b"", "no array"),
    ],
)
def test_crafted_arrays_are_left_out(member, says, tmp_path):
    good = npy(literal(), bytes(8))
    path = tmp_path / "x.npz"
    path.write_bytes(archive([("bad.npy", member), ("good.npy", good)]))
    with open_checkpoint(path) as reader:
        assert list(reader) == ["good"]
        assert says in reader.left_out["bad"]
        assert reader["good"].tolist() == [0, 0]
    read_all(path)


def test_a_pickle_is_never_loaded(tmp_path):
    class Loaded:
        def __reduce__(self):
            return pytest.fail, ("a pickle was loaded",)

    raw = pickle.dumps(Loaded())
    for name in ("x.npz", "x.h5", "x.safetensors", "x.keras", "x"):
        (tmp_path / name).write_bytes(raw)
        assert read_all(tmp_path / name) == 0
    np.savez(tmp_path / "x.npz", a=np.array([Loaded()], object))
    assert read_all(tmp_path / "x.npz") == 0


def raw_member(name, data, size, crc):
    """An archive of one deflated member that claims `size` bytes."""
    local = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 8, 0, 0x21, crc, len(data), size, len(name), 0) + name
    central = struct.pack(
        "<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 8, 0, 0x21, crc, len(data), size, len(name), 0, 0, 0, 0, 0, 0
    )
    place = len(local) + len(data)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(central) + len(name), place, 0)
    return local + data + central + name + end


@pytest.mark.parametrize("name, inside", [("x.npz", b"a.npy"), ("x.keras", b"model.weights.h5")])
@pytest.mark.parametrize("stored, claimed", [(1000, 2 << 20), (1 << 20, 300 << 20), (4200000, 0xFFFFFFF0)])
def test_zip_bombs(name, inside, stored, claimed, tmp_path):
    """Members that are said to inflate to more than deflate can make of them, or to far more than weights do."""
    path = tmp_path / name
    path.write_bytes(raw_member(inside, bytes(stored), claimed, 0))
    if name == "x.npz":
        with open_checkpoint(path) as reader:
            assert "zip bomb" in reader.left_out["a"]
    else:
        with pytest.raises(errors.DataLossError, match="zip bomb"):
            open_checkpoint(path)
    read_all(path)


def test_a_member_that_inflates_to_more_than_it_says(tmp_path):
    data = zlib.compress(npy(literal(), bytes(1 << 20)))[2:-4]
    path = tmp_path / "x.npz"
    path.write_bytes(raw_member(b"a.npy", data, len(npy(literal(), bytes(8))), 0))
    read_all(path)
    with (
        open_checkpoint(path) as reader,
        pytest.raises(errors.DataLossError, match=r"a\.npy of the archive is damaged"),
    ):
        reader["a"]


def test_members_that_overlap(tmp_path):
    """The trick by which a small archive holds the same bytes many times."""
    data = archive([("a.npy", npy(literal(), bytes(8))), ("b.npy", npy(literal(), bytes(8)))])
    central = data.rindex(b"PK\1\2")
    (tmp_path / "x.npz").write_bytes(data[: central + 42] + bytes(4) + data[central + 46 :])
    with pytest.raises(errors.DataLossError, match="over the next one|overlap"):
        open_checkpoint(tmp_path / "x.npz")


# safetensors


def safetensors(header, data=b""):
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(raw).to_bytes(8, "little") + raw + data


def tensor(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


@pytest.mark.parametrize(
    "header, data, says",
    [
        ({"a": tensor(offsets=(0, 4))}, bytes(4), "4 bytes for F32"),
        ({"a": tensor()}, bytes(9), "the file has 9"),
        ({"a": tensor()}, bytes(7), "cut short"),
        ({"a": tensor(), "b": tensor()}, bytes(8), "expected at 8"),
        ({"a": tensor(offsets=(4, 12))}, bytes(12), "expected at 0"),
        ({"a": tensor(offsets=(8, 0))}, bytes(8), "expected at 0|bytes for"),
        ({"a": tensor(shape=(-2,))}, bytes(8), "impossible shape"),
        ({"a": tensor(shape=(1 << 40, 1 << 40))}, bytes(8), "impossible shape"),
        ({"a": tensor(shape=(2.0,))}, bytes(8), "impossible shape"),
        ({"a": tensor(shape=(True, 2))}, bytes(8), "impossible shape"),
        ({"a": tensor(shape=[1] * 300)}, bytes(4), "impossible shape"),
        ({"a": tensor(offsets=(0, 1 << 62), shape=(1 << 60,))}, b"", "the file has 0|accounts"),
        ({"a": tensor(offsets=(0, "8"))}, bytes(8), "impossible offsets"),
        ({"a": {"dtype": "F32"}}, b"", "needs dtype, shape"),
        ({"a": 5}, b"", "expected a JSON object"),
        ({"__metadata__": {"a": 1}}, b"", "metadata are no text"),
        (b'{"a":{},"a":{}}', b"", "a key twice"),
        (b'{"a":' * 20000, b"", "no JSON"),
        (b"{" + b"[" * 20000, b"", "no JSON"),
        (b"{\xff}", b"", "no JSON"),
    ],
)
def test_crafted_headers(header, data, says, tmp_path):
    path = tmp_path / "x.safetensors"
    path.write_bytes(safetensors(header, data))
    with pytest.raises(errors.DataLossError, match=says) as caught:
        open_checkpoint(path)
    assert str(path) in str(caught.value)


def test_a_header_that_claims_to_be_huge(tmp_path):
    path = tmp_path / "x.safetensors"
    for size in (1 << 63, (1 << 64) - 1, 100):
        path.write_bytes(size.to_bytes(8, "little") + b"{}")
        with pytest.raises(errors.OpError):
            open_checkpoint(path)
        read_all(path)


def test_dtypes_of_later_versions_are_left_out(tmp_path):
    path = tmp_path / "x.safetensors"
    path.write_bytes(safetensors({"a": tensor("F4", (4,), (0, 2)), "b": tensor("F32", (1,), (2, 6))}, bytes(6)))
    with open_checkpoint(path) as reader:
        assert list(reader) == ["b"]
        assert reader.left_out == {"a": "its dtype F4 is not known"}


# HDF5


def test_datasets_that_claim_more_than_the_file_has(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("unwritten", (1 << 40,), "f4")
        file.create_dataset("chunked", (1 << 40,), "f4", chunks=(1024,))
        file.create_dataset("small", (4,), "f4")
    with open_checkpoint(path) as reader:
        assert list(reader) == ["small"]
        assert reader.left_out.keys() == {"unwritten", "chunked"}
        assert reader["small"].tolist() == [0] * 4
    read_all(path)


def test_groups_in_a_circle(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file.create_group("a/b")
        file["a/b/again"] = file["a"]
        file["a/w"] = 1
        file["root"] = file["/"]
    with open_checkpoint(path) as reader:
        assert len(reader) == 1


# The side entry


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        '{"icefloe": "1"}',
        '{"icefloe": 1, "tensors": []}',
        '{"icefloe": 1, "tensors": {"a": 1}}',
        '{"icefloe": 1, "tensors": {"a": {"dtype": "nothing", "shape": []}}}',
        '{"icefloe": 1, "tensors": {"a": {"dtype": "float32", "shape": [-1]}}}',
        '{"icefloe": 1, "tensors": {"a": {"name": 1, "dtype": "float32", "shape": []}}}',
        '{"icefloe": 1, "objects": {"a": {"dtype": "string", "shape": [1000000000000], "values": []}}}',
        '{"icefloe": 1, "objects": {"a": {"dtype": "string", "shape": [1], "values": ["*"]}}}',
        '{"icefloe": 1, "objects": {"a": {"dtype": "string", "shape": [1], "values": [1]}}}',
        '{"icefloe": 1, "objects": {"a": {"dtype": "float32", "shape": [0], "values": []}}}',
        '{"icefloe": 1, "objects": {"a": {"dtype": "variant", "shape": [1], "values": ["/w=="]}}}',
        '{"icefloe": 1, "slices": {"a": "0,2"}}',
        '{"icefloe": 1, "slices": {"a": ["x"]}}',
        '{"icefloe": 1, "order": [1]}',
        '{"icefloe": 2}',
        "{" * 10000,
    ],
)
def test_crafted_side_entries(text, tmp_path):
    with pytest.raises(errors.OpError):
        side_entry.decode(text)
    np.savez(tmp_path / "x.npz", a=np.zeros(2, np.float32), __icefloe__=np.array(text.encode()))
    read_all(tmp_path / "x.npz")


@pytest.mark.parametrize(
    "note", [{"dtype": "float64", "shape": [2]}, {"dtype": "string", "shape": [2]}, {"dtype": "int8", "shape": [4, 2]}]
)
def test_notes_that_do_not_fit_the_array(note, tmp_path):
    text = json.dumps({"icefloe": 1, "tensors": {"a": note}})
    np.savez(tmp_path / "x.npz", a=np.zeros(2, np.float32), __icefloe__=np.array(text.encode()))
    with pytest.raises(errors.DataLossError, match="cannot be the"):
        open_checkpoint(tmp_path / "x.npz")


KEYS = ["icefloe", "tensors", "objects", "slices", "order", "a", "dtype", "shape", "values"]
JSON = st.recursive(
    st.none() | st.integers(-3, 3) | st.sampled_from(["float32", "string", "0,2"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), JSON, max_size=4))
def test_any_json_as_a_side_entry(value):
    with contextlib.suppress(errors.OpError):
        side_entry.decode(json.dumps({**value, "icefloe": 1}))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80) | st.text(max_size=80).map(lambda t: npy(t)))
def test_any_bytes_as_an_npy(data):
    with contextlib.suppress(errors.OpError):
        parse_npy(data)
