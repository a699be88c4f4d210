"""Lookup tables of all kinds: filled, searched, changed, exported, and what goes wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from ops.sequences import Node, Sequence

WORDS = np.array([b"brain", b"salad", b"surgery"], object)
MORE = np.array([[b"brain", b"tarkus"], [b"surgery", b""]], object)


def f32(*values: Any) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, np.float32)


def i32(*values: Any) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, np.int32)


def i64(*values: Any) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, np.int64)


def word(text: bytes) -> np.ndarray:
    return np.array(text, object)


def hashed(keys: str = "string", values: str = "int64", name: str = "t") -> Node:
    return Node(name, "HashTableV2", key_dtype=keys, value_dtype=values, shared_name=name)


def mutable(keys: str = "string", values: str = "int64", **attrs: Any) -> Node:
    return Node("t", "MutableHashTableV2", key_dtype=keys, value_dtype=values, **attrs)


def dense(empty: Any, deleted: Any, values: str = "int64", **attrs: Any) -> Node:
    return Node(
        "t", "MutableDenseHashTableV2", empty, deleted, value_dtype=values, **{"initial_num_buckets": 8, **attrs}
    )


def fill(name: str, keys: Any, values: Any, handle: str = "t") -> Node:
    return Node(name, "InitializeTableV2", handle, keys, values)


def load(name: str, keys: Any, values: Any, handle: str = "t") -> Node:
    return Node(name, "LookupTableImportV2", handle, keys, values)


def insert(name: str, keys: Any, values: Any, handle: str = "t") -> Node:
    return Node(name, "LookupTableInsertV2", handle, keys, values)


def remove(name: str, keys: Any, handle: str = "t") -> Node:
    return Node(name, "LookupTableRemoveV2", handle, keys)


def find(name: str, keys: Any, default: Any, handle: str = "t") -> Node:
    return Node(name, "LookupTableFindV2", handle, keys, default)


def size(name: str = "n", handle: str = "t") -> Node:
    return Node(name, "LookupTableSizeV2", handle)


def export(name: str = "x", keys: str = "string", values: str = "int64", handle: str = "t") -> Node:
    return Node(name, "LookupTableExportV2", handle, Tkeys=keys, Tvalues=values)


# Filled once

PAIRS = (
    (i32([1, 2]), np.float64([1.5, 2])),
    (i32([1, 2]), f32([1.5, 2])),
    (i32([1, 2]), i32([3, 4])),
    (i32([1, 2]), WORDS[:2]),
    (i64([1, 2]), np.float64([1.5, 2])),
    (i64([1, 2]), f32([1.5, 2])),
    (i64([1, 2]), i32([3, 4])),
    (i64([1, 2]), i64([3, 4])),
    (i64([1, 2]), WORDS[:2]),
    (WORDS[:2], np.array([True, False])),
    (WORDS[:2], np.float64([1.5, 2])),
    (WORDS[:2], f32([1.5, 2])),
    (WORDS[:2], i32([3, 4])),
    (WORDS[:2], i64([3, 4])),
    (WORDS[:2], WORDS[1:]),
)


def dtype(array: np.ndarray) -> str:
    return "string" if array.dtype == object else array.dtype.name


HASHED = [
    Sequence(
        "hash_table",
        [
            hashed(),
            fill("init", WORDS, i64([0, 1, 2])),
            find("f", MORE, i64(-1)),
            find("one", word(b"salad"), i64(-1)),
            find("none", WORDS[:0], i64(-1)),
            find("each", WORDS, i64([7, 8, 9])),
            find("shape", WORDS, i64([7, 8])),
            size(),
            insert("ins", WORDS, i64([0, 1, 2])),
            remove("rem", WORDS),
            fill("again", WORDS, i64([5, 5, 5])),
            fill("other", WORDS[:2], i64([0, 1])),
        ],
        [
            ["f:0"],
            ["n:0"],
            ["init"],
            ["f:0", "one:0", "none:0", "each:0", "n:0"],
            ["shape:0"],
            ["ins"],
            ["rem"],
            ["again"],
            ["other"],
            ["f:0"],
        ],
    ),
    Sequence("hash_table_export_before", [hashed(), export()], [["x:0"]]),
    *[
        Sequence(
            f"hash_table_{dtype(keys)}_{dtype(values)}",
            [
                hashed(dtype(keys), dtype(values)),
                load("init", keys, values),
                find("f", keys[::-1], values[0]),
                find("g", keys[:1], values[1]),
            ],
            [["init"], ["f:0", "g:0"]],
        )
        for keys, values in PAIRS
    ],
    Sequence(
        "hash_table_refused",
        [
            hashed(),
            fill("matrix", WORDS[None], i64([[0, 1, 2]])),
            fill("empty", WORDS[:0], i64([])),
            fill("few", WORDS, i64([0, 1])),
            fill("dtype", i64([1]), i64([2])),
            find("keys", i64([1]), i64(-1)),
            fill("twice", WORDS[[0, 1, 0]], i64([0, 1, 2])),
            fill("same", WORDS[[0, 1, 0]], i64([0, 1, 0])),
            size(),
            find("f", WORDS, i64(-1)),
        ],
        [["matrix"], ["empty"], ["few"], ["dtype"], ["keys:0"], ["twice"], ["f:0"]],
    ),
    Sequence(
        "hash_table_same_value_twice",
        [hashed(), fill("same", WORDS[[0, 1, 0]], i64([0, 1, 0])), size(), find("f", WORDS, i64(-1))],
        [["same"], ["f:0", "n:0"]],
    ),
    Sequence(
        "hash_table_of_other_dtypes_by_one_name",
        [
            hashed(),
            Node("u", "HashTableV2", key_dtype="string", value_dtype="int64", shared_name="t"),
            Node("v", "HashTableV2", key_dtype="string", value_dtype="float32", shared_name="t"),
            fill("init", WORDS, i64([0, 1, 2])),
            size("n_u", "u"),
            size("n_v", "v"),
        ],
        [["init"], ["n_u:0"], ["n_v:0"]],
    ),
    Sequence(
        "hash_table_anonymous",
        [
            Node("t", "AnonymousHashTable", key_dtype="string", value_dtype="int64"),
            fill("init", WORDS, i64([0, 1, 2])),
            Node("f", "LookupTableFindV2", "t", WORDS, i64(-1), after=("init",)),
            size(),
        ],
        [["f:0"], ["n:0"]],
    ),
    Sequence(
        "hash_table_v1",
        [
            Node("t", "HashTable", key_dtype="string", value_dtype="int64"),
            Node("init", "InitializeTable", "t", WORDS, i64([0, 1, 2])),
            Node("f", "LookupTableFind", "t", MORE, i64(-1)),
            Node("n", "LookupTableSize", "t"),
        ],
        [["f:0"], ["init"], ["f:0", "n:0"]],
    ),
    Sequence(
        "hash_table_destroyed",
        [
            hashed(),
            fill("init", WORDS, i64([0, 1, 2])),
            size(),
            Node("kill", "DestroyResourceOp", "t", ignore_lookup_error=True),
        ],
        [["init"], ["n:0"], ["kill"], ["n:0"], ["init"], ["n:0"]],
    ),
]

# Changed at any time

MANY = i64(np.arange(0, 200, 7) ** 2 % 1009)
MUTABLE = [
    Sequence(
        "mutable_table",
        [
            mutable(),
            insert("ins", WORDS, i64([0, 1, 2])),
            insert("more", MORE, i64([[10, 11], [12, 13]])),
            find("f", MORE, i64(-1)),
            find("each", MORE, i64([[7, 8], [9, 10]])),
            remove("rem", MORE[0]),
            size(),
            export(),
            load("load", WORDS[:2], i64([5, 6])),
            insert("shape", WORDS, i64([0, 1])),
            find("default", WORDS, i64([1, 2])),
        ],
        [
            ["n:0", "f:0"],
            ["ins"],
            ["f:0", "each:0", "n:0", "x:0", "x:1"],
            ["more"],
            ["f:0", "n:0"],
            ["rem"],
            ["f:0", "n:0"],
            ["rem"],
            ["load"],
            ["n:0", "f:0"],
            ["shape"],
            ["default:0"],
        ],
    ),
    *[
        Sequence(
            f"mutable_table_{dtype(keys)}_{dtype(values)}",
            [
                mutable(dtype(keys), dtype(values)),
                insert("ins", keys, values),
                find("f", keys[::-1], values[0]),
                export("x", dtype(keys), dtype(values)),
            ],
            [["ins"], ["f:0", "x:0", "x:1"]],
        )
        for keys, values in PAIRS
        if (dtype(keys), dtype(values)) not in (("int32", "string"), ("string", "string"))
    ],
    Sequence(
        "mutable_table_order",
        [
            mutable("int64"),
            insert("a", MANY[:10], MANY[:10]),
            insert("b", MANY[10:], MANY[10:]),
            insert("c", i64([-1, -2, 5]), i64([1, 2, 3])),
            remove("r", i64([-1])),
            export("x", "int64"),
        ],
        [["a"], ["x:0"], ["b"], ["x:0"], ["c"], ["x:0", "x:1"]],
    ),
    Sequence(
        "mutable_table_order_of_strings",
        [
            mutable(),
            insert("a", np.array([b"w%d" % i for i in range(70)], object), i64(np.arange(70))),
            export(),
            load("l", WORDS, i64([0, 1, 2])),
        ],
        [["a"], ["x:0", "x:1"], ["l"], ["x:0"]],
    ),
    Sequence(
        "mutable_table_of_tensors",
        [
            Node("t", "MutableHashTableOfTensorsV2", key_dtype="string", value_dtype="float32", value_shape=[2]),
            insert("ins", WORDS, f32([[1, 2], [3, 4], [5, 6]])),
            find("f", MORE, f32([-1, -2])),
            find("each", MORE[0], f32([[7, 8], [9, 10]])),
            export("x", "string", "float32"),
            size(),
            find("shape", MORE, f32(-1)),
            insert("bad", WORDS, f32([1, 2, 3])),
        ],
        [["f:0"], ["ins"], ["f:0", "each:0", "n:0", "x:0", "x:1"], ["shape:0"], ["bad"]],
    ),
    Sequence(
        "mutable_table_of_scalars_refused",
        [Node("t", "MutableHashTableOfTensorsV2", key_dtype="string", value_dtype="float32"), size()],
        [["n:0"]],
    ),
    Sequence(
        "mutable_table_is_not_initializable",
        [mutable(shared_name="m"), fill("init", WORDS, i64([0, 1, 2]))],
        [["init"]],
    ),
    Sequence(
        "mutable_table_of_variants",
        [
            mutable("int64", "variant"),
            Node("o", "OptionalNone"),
            Node("l", "TensorListReserve", i32([]), i32(3), element_dtype="float32"),
            Node("v", "Pack", ["l", "l"]),
            insert("ins", i64([1, 2]), "v"),
            find("f", i64(2), "o"),
            Node("n", "TensorListLength", "f"),
            find("g", i64(5), "o"),
            Node("h", "OptionalHasValue", "g"),
        ],
        [["ins"], ["n:0"], ["h:0"]],
    ),
    Sequence(
        "mutable_tables_share_names_or_not",
        [
            Node("a", "MutableHashTableV2", key_dtype="string", value_dtype="int64", shared_name="s"),
            Node("b", "MutableHashTableV2", key_dtype="string", value_dtype="int64", shared_name="s"),
            Node(
                "c", "MutableHashTableV2", key_dtype="string", value_dtype="int64", shared_name="s", container="other"
            ),
            Node("s", "MutableHashTableV2", key_dtype="string", value_dtype="int64"),
            Node("u", "MutableHashTableV2", key_dtype="string", value_dtype="int64", shared_name="v"),
            Node("v", "MutableHashTableV2", key_dtype="string", value_dtype="int64", use_node_name_sharing=True),
            insert("ins", WORDS, i64([0, 1, 2]), "a"),
            insert("ins_v", WORDS[:1], i64([0]), "v"),
            *[size(f"n_{name}", name) for name in "abcsuv"],
        ],
        [["ins"], ["ins_v"], [f"n_{name}:0" for name in "abcsuv"]],
    ),
]

# Buckets

EMPTY = i64(0), i64(-1)
DENSE = [
    Sequence(
        "dense_table",
        [
            dense(*EMPTY),
            insert("ins", i64([11, 12, 13, 20]), i64([0, 1, 2, 3])),
            find("f", i64([11, 12, 15]), i64(-1)),
            remove("rem", i64([12, 15])),
            insert("back", i64([28, 12]), i64([7, 8])),
            size(),
            export("x", "int64"),
            find("empty", i64([0]), i64(-1)),
            find("deleted", i64([-1]), i64(-1)),
            insert("ins_empty", i64([5, 0]), i64([1, 2])),
            remove("rem_deleted", i64([-1])),
            find("rank", i64([[11]]), i64(-1)),
            find("one", i64(11), i64(-1)),
        ],
        [
            ["f:0", "n:0", "x:0", "x:1"],
            ["ins"],
            ["f:0", "n:0", "x:0", "x:1"],
            ["rem"],
            ["f:0", "n:0", "x:0"],
            ["back"],
            ["x:0", "x:1"],
            ["empty:0"],
            ["deleted:0"],
            ["ins_empty"],
            ["rem_deleted"],
            ["rank:0"],
            ["one:0"],
        ],
    ),
    Sequence(
        "dense_table_grows",
        [
            dense(*EMPTY, initial_num_buckets=4),
            insert("a", i64([100, 4, 8]), i64([1, 2, 3])),
            insert("b", i64([12, 16]), i64([4, 5])),
            insert("c", MANY[1:], MANY[1:]),
            export("x", "int64"),
            size(),
        ],
        [["a"], ["x:0", "x:1"], ["b"], ["x:0", "x:1"], ["c"], ["x:0", "x:1", "n:0"]],
    ),
    Sequence(
        "dense_table_load",
        [
            dense(*EMPTY),
            insert("a", i64([3, 11, 19, 5]), i64([1, 2, 3, 4])),
            remove("r", i64([11])),
            export("x", "int64"),
            Node("u", "MutableDenseHashTableV2", *EMPTY, value_dtype="int64", initial_num_buckets=4),
            load("l", "x", "x:1", "u"),
            find("f", i64([3, 11, 19, 5]), i64(-1), "u"),
            size("n_u", "u"),
            insert("more", i64([11, 27]), i64([7, 8]), "u"),
            export("y", "int64", handle="u"),
            load("bad", i64([1, 2]), i64([1, 2]), "u"),
        ],
        [["a"], ["r"], ["l"], ["f:0", "n_u:0"], ["more"], ["y:0", "y:1"]],
    ),
    *[
        Sequence(
            f"dense_table_of_{name}",
            [
                dense(empty, deleted, dtype(values), value_shape=list(values.shape[1:])),
                insert("ins", keys, values),
                find("f", keys[::-1], values[0]),
                remove("rem", keys[:1]),
                export("x", dtype(keys), dtype(values)),
                size(),
            ],
            [["ins"], ["f:0"], ["x:0", "x:1"], ["rem"], ["x:0", "n:0"]],
        )
        for name, empty, deleted, keys, values in (
            ("strings", word(b""), word(b"$"), WORDS, i64([1, 2, 3])),
            ("int32", i32(0), i32(-1), i32([5, -9, 13]), f32([1, 2, 3])),
            ("bools", i64(0), i64(-1), i64([5, 9, 13]), np.array([True, False, True])),
            ("vectors", i64(0), i64(-1), i64([5, 9, 13]), i64([[1, 2], [3, 4], [5, 6]])),
            ("doubles", word(b"a"), word(b"b"), WORDS, np.float64([1, 2, 3])),
        )
    ],
    Sequence(
        "dense_table_of_vector_keys",
        [
            dense(i64([0, 3]), i64([-1, -1]), initial_num_buckets=8),
            insert("ins", i64([[0, 1], [1, 2], [1, 3]]), i64([10, 11, 12])),
            find("f", i64([[0, 1], [1, 3], [2, 1]]), i64(-1)),
            remove("rem", i64([[1, 2], [16, 17]])),
            export("x", "int64"),
            size(),
            find("empty", i64([[0, 3]]), i64(-1)),
            find("shape", i64([[0, 3, 1]]), i64(-1)),
        ],
        [["ins"], ["f:0", "n:0", "x:0", "x:1"], ["rem"], ["f:0", "n:0", "x:0"], ["empty:0"], ["shape:0"]],
    ),
    Sequence(
        "dense_table_of_string_vectors",
        [
            dense(np.array([b"", b""], object), np.array([b"-", b"-"], object), initial_num_buckets=4),
            insert("ins", MORE, i64([1, 2])),
            export(),
            find("f", MORE[::-1], i64(-1)),
        ],
        [["ins"], ["x:0", "x:1", "f:0"]],
    ),
    *[
        Sequence(f"dense_table_refused_{name}", [dense(empty, deleted, **attrs), size()], [["n:0"]])
        for name, empty, deleted, attrs in (
            ("same_keys", i64(5), i64(5), {}),
            ("shapes", i64(5), i64([5]), {}),
            ("key_rank", i64([[5]]), i64([[6]]), {}),
            ("value_rank", i64(5), i64(6), {"value_shape": [2, 2]}),
            ("buckets", i64(5), i64(6), {"initial_num_buckets": 12}),
            ("few_buckets", i64(5), i64(6), {"initial_num_buckets": 2}),
            ("load_factor", i64(5), i64(6), {"max_load_factor": 1.5}),
        )
    ],
]

SEQUENCES = [*HASHED, *MUTABLE, *DENSE]
