"""Example and SequenceExample messages read into tensors."""

import struct

import numpy as np

from ops.case import Case


def words(*values):
    return np.array([v if isinstance(v, bytes) else v.encode() for v in values], object)


def field(number, data):
    return (
        bytes([number << 3 | 2, *([len(data)] if len(data) < 128 else [len(data) & 127 | 128, len(data) >> 7])]) + data
    )


def feature(values):
    """The wire form of a Feature: of floats, ints below 128 or bytes; None has no kind."""
    if values is None:
        return b""
    if values and isinstance(values[0], bytes):
        return field(1, b"".join(field(1, v) for v in values))
    if values and isinstance(values[0], int):
        return field(3, field(1, bytes(values)))
    return field(2, field(1, struct.pack(f"<{len(values)}f", *values)))


def features(named):
    return b"".join(field(1, field(1, n.encode()) + field(2, feature(v))) for n, v in named.items())


def example(**named):
    return field(1, features(named))


def sequence(context, **lists):
    body = b"".join(
        field(1, field(1, n.encode()) + field(2, b"".join(field(1, feature(v)) for v in steps)))
        for n, steps in lists.items()
    )
    return field(1, features(context)) + field(2, body)


F0, I0, S0 = np.zeros(0, np.float32), np.zeros(0, np.int64), words()
A = example(a=[1.0, 2.0], b=[1, 2, 3], c=[b"x"], d=[5.0])
B = example(a=[3.0, 4.0], b=[4], e=None)
C = example()


def parse(serialized, sparse=(), dense=(), ragged=(), names=()):
    """sparse: (key, dtype); dense: (key, shape, default); ragged: (key, dtype, dtype of splits)."""
    return Case(
        "ParseExampleV2",
        words(*serialized) if isinstance(serialized, list) else serialized,
        words(*names),
        words(*(s[0] for s in sparse)),
        words(*(d[0] for d in dense)),
        words(*(r[0] for r in ragged)),
        [d[2] for d in dense],
        num_sparse=len(sparse),
        sparse_types=[s[1] for s in sparse],
        ragged_value_types=[r[1] for r in ragged],
        ragged_split_types=[r[2] for r in ragged],
        dense_shapes=[d[1] for d in dense],
    )


CASES = [
    parse([A, B, C], sparse=[("b", "int64"), ("c", "string"), ("zz", "float32")]),
    parse([A, B], dense=[("a", [2], F0)]),
    parse([A, B], dense=[("a", [1, 2], F0)]),
    parse([A, B, C], dense=[("a", [2], np.array([9, 8], np.float32)), ("c", [], np.array(b"none", object))]),
    parse([A, B, C], dense=[("b", [None], np.array(-1, np.int64))]),
    parse([example(b=[1, 2, 3, 4]), example(b=[5, 6]), C], dense=[("b", [None, 2], np.array([0], np.int64))]),
    parse([A, B, C], ragged=[("b", "int64", "int32"), ("a", "float32", "int64")]),
    parse([A, B], sparse=[("b", "int64")], dense=[("a", [2], F0)], ragged=[("c", "string", "int64")]),
    parse([], sparse=[("a", "float32")], dense=[("b", [2], I0)], ragged=[("c", "string", "int64")]),
    parse(A, sparse=[("b", "int64"), ("zz", "float32")], dense=[("a", [2], F0)], ragged=[("c", "string", "int64")]),
    parse(A, dense=[("b", [None], np.array([7], np.int64))]),
    parse(C, dense=[("b", [None], np.array([7], np.int64))]),
    parse([example(a=[1.0]) + example(a=[2.0])], sparse=[("a", "float32")]),
    parse([A, B, C], dense=[("a", [2], F0)]),
    parse([A, B, C], dense=[("a", [2], F0)], names=["n1", "n2", "n3"]),
    parse([A, B], dense=[("a", [3], F0)]),
    parse([A, B], dense=[("a", [2], I0)]),
    parse([A, B], dense=[("a", [2], np.array([1, 2, 3], np.float32))]),
    parse([A, B], dense=[("b", [None], I0)]),
    parse([A], dense=[("b", [None, 2], np.array(0, np.int64))]),
    parse([A, B], sparse=[("a", "int64")]),
    parse([A, B], ragged=[("b", "float32", "int64")]),
    parse([A, b"\x0a\x05a"], sparse=[("a", "float32")]),
    parse([A, B], sparse=[("a", "float32")], names=["x"]),
    parse(B, dense=[("zz", [2], F0)]),
    Case(
        "ParseSingleExample",
        A,
        [F0],
        num_sparse=1,
        sparse_keys=["b"],
        dense_keys=["a"],
        sparse_types=["int64"],
        dense_shapes=[[2]],
    ),
    Case(
        "ParseExample",
        words(A, B),
        words(),
        [np.array(b"b", object)],
        [np.array(b"a", object)],
        [F0],
        sparse_types=["int64"],
        dense_shapes=[[2]],
    ),
]

P = sequence({"a": [1.0, 2.0], "b": [1, 2, 3]}, x=[[1, 2], None, [3]], y=[[1.0], [2.0]], s=[[b"q", b"r"], [b"z"]])
Q = sequence({"a": [3.0, 4.0]}, x=[[7]], y=[[5.0]])
R = sequence({})


def parse_sequences(serialized, context=((), (), ()), lists=((), (), ())):
    """context, lists: sparse, dense and ragged features as in `parse`; a dense list's third part: may it be missing."""
    sparse, dense, ragged = context
    list_sparse, list_dense, list_ragged = lists
    return Case(
        "ParseSequenceExampleV2",
        words(*serialized) if isinstance(serialized, list) else serialized,
        words(),
        words(*(s[0] for s in sparse)),
        words(*(d[0] for d in dense)),
        words(*(r[0] for r in ragged)),
        words(*(s[0] for s in list_sparse)),
        words(*(d[0] for d in list_dense)),
        words(*(r[0] for r in list_ragged)),
        np.array([d[3] for d in list_dense], bool),
        [d[2] for d in dense],
        Ncontext_sparse=len(sparse),
        context_sparse_types=[s[1] for s in sparse],
        context_ragged_value_types=[r[1] for r in ragged],
        context_ragged_split_types=[r[2] for r in ragged],
        context_dense_shapes=[d[1] for d in dense],
        Nfeature_list_sparse=len(list_sparse),
        Nfeature_list_dense=len(list_dense),
        feature_list_dense_types=[d[2] for d in list_dense],
        feature_list_sparse_types=[s[1] for s in list_sparse],
        feature_list_ragged_value_types=[r[1] for r in list_ragged],
        feature_list_ragged_split_types=[r[2] for r in list_ragged],
        feature_list_dense_shapes=[d[1] for d in list_dense],
    )


LISTS = {
    "context_sparse_types": ["int64"],
    "context_dense_shapes": [[2]],
    "feature_list_dense_types": ["float32"],
    "feature_list_sparse_types": ["int64"],
    "feature_list_dense_shapes": [[]],
}


def parse_sequences_v1(serialized, may_lack):
    return Case(
        "ParseSequenceExample",
        words(*serialized),
        words(),
        [F0],
        feature_list_dense_missing_assumed_empty=may_lack,
        context_sparse_keys=["b"],
        context_dense_keys=["a"],
        feature_list_sparse_keys=["x"],
        feature_list_dense_keys=["y"],
        Ncontext_sparse=1,
        Ncontext_dense=1,
        Nfeature_list_sparse=1,
        Nfeature_list_dense=1,
        **LISTS,
    )


def parse_one_sequence(serialized, may_lack):
    keys = [[np.array(key, object)] for key in (b"b", b"a", b"x", b"y")]
    return Case("ParseSingleSequenceExample", serialized, words(*may_lack), *keys, [F0], b"", **LISTS)


CASES += [
    parse_sequences_v1([P, Q], []),
    parse_sequences_v1([P, sequence({"a": [1.0, 2.0]})], ["y"]),
    parse_sequences_v1([P, sequence({"a": [1.0, 2.0]})], []),
    parse_one_sequence(P, []),
    parse_one_sequence(sequence({"a": [1.0, 2.0]}), ["y"]),
    parse_one_sequence(sequence({"a": [1.0, 2.0]}), []),
    parse_one_sequence(R, ["y"]),
]

SPARSE, DENSE, RAGGED = [("b", "int64")], [("a", [2], F0)], [("b", "int64", "int32")]
CASES += [
    parse_sequences([P, Q, R], (SPARSE, (), ()), ([("x", "int64"), ("s", "string")], (), ())),
    parse_sequences([P, Q], ((), DENSE, ()), ((), [("y", [], "float32", False)], ())),
    parse_sequences([P, Q, R], lists=((), [("y", [1], "float32", True)], ())),
    parse_sequences([P, Q, R], ((), (), RAGGED), ((), (), [("x", "int64", "int64"), ("s", "string", "int32")])),
    parse_sequences([P, R], ((), [("a", [2], np.array([7, 8], np.float32))], ())),
    parse_sequences(
        [], (SPARSE, (), ()), ([("x", "int64")], [("y", [], "float32", False)], [("s", "string", "int64")])
    ),
    parse_sequences(P, (SPARSE, DENSE, ()), ([("x", "int64")], [("y", [], "float32", False)], ())),
    parse_sequences(R, (SPARSE, (), ()), ([("x", "int64")], [("y", [], "float32", True)], ())),
    parse_sequences([P, Q, R], lists=((), [("y", [], "float32", False)], ())),
    parse_sequences([P, R], ((), DENSE, ())),
    parse_sequences([P], ((), [("a", [3], F0)], ())),
    parse_sequences([P, Q], lists=((), [("x", [1], "int64", False)], ())),
    parse_sequences([P, Q], lists=((), [("y", [], "int64", False)], ())),
    parse_sequences([P, Q], lists=([("x", "float32")], (), ())),
    parse_sequences([P], ([("a", "int64")], (), ())),
    parse_sequences([b"\x0a\x05a"], (SPARSE, (), ())),
]
