"""The ops of a Saver, run by a session: what they write, read and refuse, with TensorFlow's texts."""

import os

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors, open_checkpoint, raw_ops, save_checkpoint

A = np.arange(3, dtype=np.float32)
M = np.arange(12, dtype=np.float32).reshape(4, 3)


def run(op, config=None, **arguments):
    """Build one op and run it; return its value, or that of each output."""
    with tf.Graph().as_default() as graph:
        built = getattr(raw_ops, op)(**arguments)
        with tf.Session(graph=graph, config=config) as session:
            return session.run(built)


def save(prefix, names, specs, tensors):
    return run("SaveV2", prefix=str(prefix), tensor_names=names, shape_and_slices=specs, tensors=list(tensors))


def restore(prefix, names, specs, dtypes):
    return run("RestoreV2", prefix=str(prefix), tensor_names=names, shape_and_slices=specs, dtypes=dtypes)


@pytest.fixture
def prefix(tmp_path):
    save_checkpoint(tmp_path / "p", {"a": A, "m": M, "s": np.array([b"x", b"yy"], object), "n": np.int64(7)})
    return tmp_path / "p"


def test_save_then_restore_whole_tensors_and_slices(tmp_path):
    strings = tf.Graph()
    with strings.as_default():
        text = tf.constant([b"one", b"two"])
        saved = raw_ops.SaveV2(
            prefix=str(tmp_path / "d" / "p"),
            tensor_names=["m", "m", "s", "h"],
            shape_and_slices=["4 3 0,2:-", "4 3 2,2:-", "", ""],
            tensors=[M[:2], M[2:], text, np.float16(2.5)],
        )
        with tf.Session(graph=strings) as session:
            assert session.run(saved) is None
    reader = open_checkpoint(tmp_path / "d" / "p")
    assert np.array_equal(reader["m"], M)
    m, part, s, h = restore(
        tmp_path / "d" / "p",
        ["m", "m", "s", "h"],
        ["", "4 3 1,2:0,2", "", ""],
        ["float32", "float32", "string", "half"],
    )
    assert np.array_equal(m, M)
    assert np.array_equal(part, M[1:3, :2])
    assert s.tolist() == [b"one", b"two"]
    assert (h, h.dtype) == (2.5, np.float16)


def test_a_fed_prefix_may_be_a_vector_of_one(tmp_path):
    with tf.Graph().as_default() as graph:
        fed = tf.placeholder(tf.string)
        saved = raw_ops.SaveV2(prefix=fed, tensor_names=["a"], shape_and_slices=[""], tensors=[A])
        with tf.Session(graph=graph) as session:
            session.run(saved, {fed: [str(tmp_path / "p")]})
            with pytest.raises(errors.InvalidArgumentError, match="should have a single element, got 2 instead"):
                session.run(saved, {fed: [str(tmp_path / "q")] * 2})
    assert np.array_equal(open_checkpoint(tmp_path / "p")["a"], A)


@pytest.mark.parametrize(
    "names, specs, tensors, error, text",
    [
        (["a", "b"], ["", ""], [A], errors.InvalidArgumentError, "Got 2 tensor names but 1 tensors."),
        (["a", "a"], ["", ""], [A, A], errors.InvalidArgumentError, "Adding duplicate key: a"),
        (["a"], ["3 0,2"], [A], errors.InvalidArgumentError,
         "Slice in shape_and_slice specification does not match the shape of the tensor to  save: 3 0,2, tensor: [3]"),
        (["a"], ["3"], [A], errors.InvalidArgumentError, "Need least two elements in shape_and_slice specification: 3"),
        (["a"], ["x 0,1"], [A], errors.InvalidArgumentError, "Non numerical dimension in shape_and_slice: x 0,1"),
        (["a"], ["3 a"], [A], errors.InvalidArgumentError, "Expected a pair of numbers or '-' but got 'a': string = a"),
        (["a"], ["3 0,1,2"], [A], errors.InvalidArgumentError,
         "Expected a pair of numbers or '-' but got '0,1,2': string = 0,1,2"),
        (["a"], ["3 -1,2"], [A], errors.InvalidArgumentError,
         "Expected non-negative start and positive length but got start = -1, length = 2: string = -1,2"),
        (["a"], ["3 0,0"], [A], errors.InvalidArgumentError,
         "Expected non-negative start and positive length but got start = 0, length = 0: string = 0,0"),
        (["a"], ["3 2,2"], [A], errors.InternalError,
         "Extent in dimension 0 out of bounds: shape = [3], slice = 2,2"),
        (["a"], ["3 0,1:0,1"], [A], errors.InternalError, "Mismatching ranks: shape = [3], slice = 0,1:0,1"),
        (["a"], ["3 "], [A], errors.InternalError, "Mismatching ranks: shape = [3], slice = "),
        (["a", "a"], ["6 0,3", ""], [A, A], errors.InvalidArgumentError, "Adding duplicate key: a"),
        (["a", "a"], ["", "6 0,3"], [A, A], errors.InvalidArgumentError, "Adding duplicate key: a"),
        (["a", "a"], ["6 0,3", "7 3,3"], [A, A], errors.InvalidArgumentError, "slices of tensor 'a' differ"),
        ([""], [""], [A], errors.InvalidArgumentError, "cannot be the name of a tensor"),
    ],
)  # fmt: skip
def test_save_refuses(names, specs, tensors, error, text, tmp_path):
    with pytest.raises(error) as caught:
        save(tmp_path / "p", names, specs, tensors)
    assert text in str(caught.value)
    assert "SaveV2" in str(caught.value)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("spec", ["3 -", "3 0,3", "+3 +0,3", "3 ::-", "3 -:"])
def test_specs_that_tensorflow_takes_for_the_whole(spec, tmp_path):
    save(tmp_path / "p", ["a"], [spec], [A])
    assert not open_checkpoint(tmp_path / "p").entries["a"].is_sliced


@pytest.mark.parametrize(
    "names, specs, dtypes, error, text",
    [
        (["nope"], [""], ["float32"], errors.NotFoundError, "Key nope not found in checkpoint"),
        (["x", "a", "y"], [""] * 3, ["float32"] * 3, errors.NotFoundError,
         "Key x not found in checkpoint; 1 more are missing: y"),
        (["a", "m"], ["", ""], ["float64", "int32"], errors.InvalidArgumentError,
         "tensor_name = a; expected dtype double does not equal original dtype float\n"
         "tensor_name = m; expected dtype int32 does not equal original dtype float"),
        (["a"], ["4 -"], ["float32"], errors.InvalidArgumentError,
         "tensor_name = a; shape in shape_and_slice spec [4] does not match the shape stored in checkpoint: [3]"),
        (["a"], ["3 x"], ["float32"], errors.InvalidArgumentError,
         "Expected a pair of numbers or '-' but got 'x': string = x"),
        (["a"], [""], ["float32", "float32"], errors.InvalidArgumentError,
         "Got 1 tensor names, but 2 expected dtypes."),
    ],
)  # fmt: skip
def test_restore_refuses(names, specs, dtypes, error, text, prefix):
    with pytest.raises(error) as caught, tf.Graph().as_default() as graph:
        # Fed, so that the shape rule does not see it first.
        fed = tf.placeholder(tf.string, [None])
        built = raw_ops.RestoreV2(prefix=str(prefix), tensor_names=names, shape_and_slices=fed, dtypes=dtypes)
        with tf.Session(graph=graph) as session:
            session.run(built, {fed: np.array(specs, object)})
    assert text in str(caught.value)


def test_near_names_are_suggested(prefix):
    save_checkpoint(prefix, {"model/dense/kernel": A, "model/dense/bias": A})
    with pytest.raises(errors.NotFoundError, match="Did you mean 'model/dense/kernel'"):
        restore(prefix, ["dense/kernel"], [""], ["float32"])
    with pytest.raises(errors.NotFoundError, match="Did you mean 'model/dense/bias'"):
        restore(prefix, ["model/dense/bias:0"], [""], ["float32"])


def test_restore_of_nothing(tmp_path):
    with pytest.raises(errors.NotFoundError) as caught:
        restore(tmp_path / "none", ["a"], [""], ["float32"])
    text = f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {tmp_path / 'none'}"
    assert text in str(caught.value)
    (tmp_path / "text").write_text("hello")
    with pytest.raises(errors.DataLossError, match="perhaps your file is in a different file format"):
        restore(tmp_path / "text", ["a"], [""], ["float32"])


def test_partly_stored_tensor(tmp_path):
    save(tmp_path / "p", ["p"], ["6 2,2"], [A[:2]])
    assert np.array_equal(restore(tmp_path / "p", ["p"], ["6 2,2"], ["float32"])[0], A[:2])
    with pytest.raises(errors.InvalidArgumentError) as caught:
        restore(tmp_path / "p", ["p"], [""], ["float32"])
    assert "Does not have sufficient slices for partitioned tensor p to restore in slice_spec: -" in str(caught.value)


def test_overlapping_slices_are_saved_and_not_restored(tmp_path):
    save(tmp_path / "p", ["p", "p"], ["3 0,2", "3 1,2"], [A[:2], A[1:]])
    with pytest.raises(errors.InternalError, match="Overlapping slices: existing slice = 0,2, new slice = 1,2"):
        restore(tmp_path / "p", ["p"], [""], ["float32"])


def test_damaged_data(prefix):
    data = prefix.with_name("p.data-00000-of-00001")
    content = data.read_bytes()
    data.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    with pytest.raises(errors.DataLossError) as caught:
        restore(prefix, ["a"], [""], ["float32"])
    assert f"TensorBundle at {prefix} shard 0 (12 bytes): Checksum does not match: stored " in str(caught.value)
    assert str(data) in str(caught.value)
    assert np.array_equal(restore(prefix, ["m"], [""], ["float32"])[0], M)
    data.write_bytes(content[:20])
    with pytest.raises(errors.OutOfRangeError, match="Read less bytes than requested"):
        restore(prefix, ["m"], [""], ["float32"])
    data.unlink()
    with pytest.raises(errors.NotFoundError, match="p.data-00000-of-00001; No such file or directory"):
        restore(prefix, ["m"], [""], ["float32"])


def test_merge(tmp_path):
    parts = [str(tmp_path / "t" / f"part{i}") for i in range(2)]
    save(parts[0], ["a"], [""], [A])
    save(parts[1], ["m"], [""], [M])
    merge = {"checkpoint_prefixes": parts, "destination_prefix": str(tmp_path / "new" / "c")}
    assert run("MergeV2Checkpoints", **merge) is None
    assert np.array_equal(open_checkpoint(tmp_path / "new" / "c")["m"], M)
    assert sorted(os.listdir(tmp_path)) == ["new"]
    missing = f"allow_missing_files was set to false and {parts[0]} did not exist.NOT_FOUND: {parts[0]} not found"
    with pytest.raises(errors.InvalidArgumentError) as caught:
        run("MergeV2Checkpoints", **merge)
    assert missing in str(caught.value)
    with pytest.raises(errors.InvalidArgumentError, match="At least one prefix checkpoint file must exist"):
        run("MergeV2Checkpoints", **merge, allow_missing_files=True)
    save(parts[1], ["m"], [""], [M])
    run("MergeV2Checkpoints", **merge, allow_missing_files=True, delete_old_dirs=False)
    assert list(open_checkpoint(tmp_path / "new" / "c")) == ["m"]
    assert os.listdir(tmp_path / "t") == []


def test_merge_of_the_same_name_twice_leaves_the_inputs(tmp_path):
    parts = [str(tmp_path / f"part{i}") for i in range(2)]
    for part in parts:
        save(part, ["a"], [""], [A])
    with pytest.raises(errors.InvalidArgumentError) as caught:
        run("MergeV2Checkpoints", checkpoint_prefixes=parts, destination_prefix=str(tmp_path / "c"))
    assert f"Duplicate tensor keyed by a encountered, when merging prefix: {parts[1]}" in str(caught.value)
    assert all(np.array_equal(open_checkpoint(p)["a"], A) for p in parts)


def test_sharded_names():
    assert run("ShardedFilename", basename="a", shard=3, num_shards=1234567) == b"a-00003-of-1234567"
    assert run("ShardedFilename", basename="a", shard=-3, num_shards=2) == b"a--0003-of-00002"
    assert run("ShardedFilespec", basename="dir/a", num_shards=2) == b"dir/a-?????-of-00002"
    with pytest.raises(errors.InvalidArgumentError, match=r"num_shards must be a scalar, got shape \[1\]"):
        run("ShardedFilespec", basename="a", num_shards=[2])


def test_v1_ops(tmp_path):
    path = str(tmp_path / "v1")
    assert run("Save", filename=path, tensor_names=["b", "a"], data=[A, M]) is None
    assert np.array_equal(run("Restore", file_pattern=path, tensor_name="b", dt="float32"), A)
    part = run("RestoreSlice", file_pattern=path, tensor_name="a", shape_and_slice="4 3 1,2:0,1", dt="float32")
    assert np.array_equal(part, M[1:3, :1])
    assert np.array_equal(restore(path, ["a"], [""], ["float32"])[0], M)
    with pytest.raises(errors.NotFoundError) as caught:
        restore(path, ["q"], [""], ["float32"])
    assert f'Tensor name "q" not found in checkpoint files {path}' in str(caught.value)
    with pytest.raises(errors.InvalidArgumentError) as caught:
        run("Restore", file_pattern=path, tensor_name="b", dt="int32")
    assert "Expected to restore a tensor of type int32, got a tensor of type float instead: tensor_name = b" in str(
        caught.value
    )


def test_v1_slices_and_shards(tmp_path):
    for i, rows in enumerate((M[:1], M[1:])):
        name = run("ShardedFilename", basename=str(tmp_path / "v1"), shard=i, num_shards=2).decode()
        spec = f"4 3 {i},{len(rows)}:-"
        run("SaveSlices", filename=name, tensor_names=["m"], shapes_and_slices=[spec], data=[rows])
    pattern = run("ShardedFilespec", basename=str(tmp_path / "v1"), num_shards=2).decode()
    assert np.array_equal(restore(pattern, ["m"], [""], ["float32"])[0], M)
    assert np.array_equal(restore(pattern, ["m"], ["4 3 0,2:-"], ["float32"])[0], M[:2])


@pytest.mark.parametrize(
    "value, error, text",
    [
        (np.uint32(1), errors.InvalidArgumentError, "Tensor slice serialization not implemented for dtype 22"),
        (np.array(1, "bfloat16"), errors.UnimplementedError, "Saving data type bfloat16 not yet supported"),
    ],
)
def test_v1_cannot_hold(value, error, text, tmp_path):
    with pytest.raises(error, match=text):
        run("Save", filename=str(tmp_path / "v1"), tensor_names=["b"], data=[value])
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("op", ["SaveV2", "RestoreV2", "Save", "Restore"])
def test_a_session_without_files(op, prefix):
    path = str(prefix)
    arguments = {
        "SaveV2": {"prefix": path, "tensor_names": ["a"], "shape_and_slices": [""], "tensors": [A]},
        "RestoreV2": {"prefix": path, "tensor_names": ["a"], "shape_and_slices": [""], "dtypes": ["float32"]},
        "Save": {"filename": path, "tensor_names": ["a"], "data": [A]},
        "Restore": {"file_pattern": path, "tensor_name": "a", "dt": "float32"},
    }[op]
    with pytest.raises(errors.PermissionDeniedError, match="may not"):
        run(op, tf.Config(files="none"), **arguments)


def test_static_shapes():
    with tf.Graph().as_default():
        a, b = raw_ops.RestoreV2(
            prefix="p", tensor_names=["a", "b"], shape_and_slices=["", "4 3 1,2:-"], dtypes=["float32", "int8"]
        )
        assert (a.shape.rank, b.shape.as_list()) == (None, [2, 3])
        part = raw_ops.RestoreSlice(file_pattern="p", tensor_name="a", shape_and_slice="4 3 1,2:-", dt="float32")
        assert part.shape.as_list() == [2, 3]
        with pytest.raises(ValueError, match="shape_and_slice"):
            raw_ops.RestoreV2(prefix="p", tensor_names=["a", "b"], shape_and_slices=["", ""], dtypes=["float32"])
