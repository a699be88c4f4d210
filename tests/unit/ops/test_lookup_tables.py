"""Lookup tables: files that a session may not read or that are none, handles of old graphs, many threads, plain dicts."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.graph.build import apply_op as op
from icefloe.graph.graph import Graph
from icefloe.session import Config, Session

LINE, WHOLE = -1, -2


@pytest.fixture(autouse=True)
def graph() -> Any:
    with Graph().as_default() as made:
        yield made


def words(*values: bytes) -> Any:
    return np.array(values, object)


def i64(value: Any) -> Any:
    return op("PlaceholderWithDefault", np.array(value, np.int64), shape=None)


# Files


def of_file(path: Any) -> tuple[Any, Any]:
    """Return what fills a table of words with the lines of a file, and its size."""
    table = op("HashTableV2", key_dtype=tf.string, value_dtype=tf.int64)
    fill = op("InitializeTableFromTextFileV2", table, str(path), key_index=WHOLE, value_index=LINE)
    return fill, op("LookupTableSizeV2", table)


def test_a_file_fills_a_table_once(tmp_path: Path, graph: Graph) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(b"brain\nsalad\n")
    fill, size = of_file(path)
    with Session(graph=graph) as session:
        session.run(fill)
        path.write_bytes(b"surgery\n")
        session.run(fill)
        assert session.run(size) == 2


@pytest.mark.parametrize("files", ["none", "all"])
def test_only_files_that_a_session_may_read(files: Literal["none", "all"], tmp_path: Path, graph: Graph) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(b"brain\n")
    fill, size = of_file(path)
    with Session(graph=graph, config=Config(files=files)) as session:
        if files == "all":
            session.run(fill)
            assert session.run(size) == 1
            return
        with pytest.raises(errors.PermissionDeniedError, match="may not read files"):
            session.run(fill)
        with pytest.raises(errors.FailedPreconditionError, match="Table not initialized"):
            session.run(op("LookupTableFindV2", fill.inputs[0], words(b"brain"), i64(0)))


def test_files_that_cannot_be_read(tmp_path: Path, graph: Graph) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    cases = [
        (tmp_path / "none", errors.NotFoundError, "none; No such file or directory"),
        (tmp_path, errors.FailedPreconditionError, "Is a directory"),
        (empty / "below", errors.FailedPreconditionError, "Not a directory"),
        (empty, errors.OutOfRangeError, "empty has no lines"),
        ("", errors.InvalidArgumentError, "filename cannot be empty"),
    ]
    fills = [of_file(path)[0] for path, _, _ in cases]
    with Session(graph=graph) as session:
        for fill, (_, cls, text) in zip(fills, cases):
            with pytest.raises(cls, match=text) as caught:
                session.run(fill)
            assert isinstance(caught.value, cls)


def test_a_damaged_file_leaves_the_table_empty(tmp_path: Path, graph: Graph) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(b"brain\n\nsalad\n")
    fill, size = of_file(path)
    with Session(graph=graph) as session:
        with pytest.raises(errors.InvalidArgumentError, match="empty line found"):
            session.run(fill)
        assert session.run(size) == 0
        path.write_bytes(b"brain\nsalad\n")
        session.run(fill)
        assert session.run(size) == 2


# Handles


@pytest.mark.parametrize("engine", ["interpret", "codegen", "general"])
def test_tables_of_old_graphs(engine: str, graph: Graph) -> None:
    table = op("MutableHashTable", key_dtype=tf.string, value_dtype=tf.int64, shared_name="t")
    again = op("MutableHashTable", key_dtype=tf.string, value_dtype=tf.int64, shared_name="t")
    insert = op("LookupTableInsert", table, words(b"a", b"b"), i64([1, 2]))
    found = op("LookupTableFind", again, words(b"b", b"c"), i64(-1))
    size = op("LookupTableSize", again)
    keys, values = op("LookupTableExport", table, Tkeys=tf.string, Tvalues=tf.int64)
    load = op("LookupTableImport", table, words(b"z"), i64([26]))
    with Session(graph=graph, config=Config(engine=engine)) as session:
        session.run(insert)
        assert session.run(found).tolist() == [2, -1]
        assert session.run(size) == 2
        session.run(load)
        assert [v.tolist() for v in session.run([keys, values])] == [[b"z"], [26]]


def test_a_table_of_other_dtypes_is_not_taken(graph: Graph) -> None:
    made = op("MutableHashTableV2", key_dtype=tf.string, value_dtype=tf.int64, shared_name="t")
    other = op("MutableHashTableV2", key_dtype=tf.int64, value_dtype=tf.string, shared_name="t")
    with Session(graph=graph) as session:
        session.run(op("LookupTableSizeV2", made))
        with pytest.raises(errors.InvalidArgumentError, match="Conflicting key/value dtypes"):
            session.run(op("LookupTableSizeV2", other))


def test_sessions_do_not_share_tables(graph: Graph) -> None:
    table = op("MutableHashTableV2", key_dtype=tf.string, value_dtype=tf.int64, shared_name="t")
    insert, size = op("LookupTableInsertV2", table, words(b"a"), i64([1])), op("LookupTableSizeV2", table)
    with Session(graph=graph) as one, Session(graph=graph) as other:
        one.run(insert)
        assert [one.run(size), other.run(size)] == [1, 0]


def test_an_anonymous_table_is_new_in_each_run(graph: Graph) -> None:
    table = op("AnonymousMutableHashTable", key_dtype=tf.string, value_dtype=tf.int64)
    with graph.control_dependencies([op("LookupTableInsertV2", table, words(b"a"), i64([1]))]):
        size = op("LookupTableSizeV2", table)
    with Session(graph=graph) as session:
        for _ in range(2):
            assert session.run(size) == 1
        assert session.run(op("LookupTableSizeV2", table)) == 0


# Contents


def dense(buckets: int = 8) -> Any:
    return op("MutableDenseHashTableV2", np.int64(-1), np.int64(-2), value_dtype=tf.int64, initial_num_buckets=buckets)


def mutable() -> Any:
    return op("MutableHashTableV2", key_dtype=tf.int64, value_dtype=tf.int64)


@pytest.mark.parametrize("make", [mutable, dense])
@pytest.mark.parametrize("seed", range(5))
def test_tables_hold_what_a_dict_does(make: Any, seed: int, graph: Graph) -> None:
    table = make()
    keys, values = tf.placeholder(tf.int64), tf.placeholder(tf.int64)
    insert, remove = op("LookupTableInsertV2", table, keys, values), op("LookupTableRemoveV2", table, keys)
    find, size = op("LookupTableFindV2", table, keys, np.int64(-7)), op("LookupTableSizeV2", table)
    export = op("LookupTableExportV2", table, Tkeys=tf.int64, Tvalues=tf.int64)
    load = op("LookupTableImportV2", table, keys, values)
    wanted: dict[int, int] = {}
    choose = random.Random(seed)
    with Session(graph=graph) as session:
        for step in range(60):
            some = [choose.randrange(300) * (choose.choice([1, 2**40])) for _ in range(choose.randrange(30))]
            if choose.random() < 0.6:
                given = [choose.randrange(1000) for _ in some]
                session.run(insert, {keys: some, values: given})
                wanted.update(zip(some, given))
            else:
                session.run(remove, {keys: some})
                for key in some:
                    wanted.pop(key, None)
            assert session.run(size) == len(wanted)
            asked = list({*some, *range(0, 300, 17)})
            assert session.run(find, {keys: asked}).tolist() == [wanted.get(key, -7) for key in asked]
            if not step % 20:
                got_keys, got_values = session.run(export)
                pairs = {
                    k: v for k, v in zip(got_keys.ravel().tolist(), got_values.ravel().tolist()) if k not in (-1, -2)
                }
                assert pairs == wanted
                session.run(load, {keys: got_keys, values: got_values})


@pytest.mark.parametrize("make", [mutable, dense])
def test_threads_may_change_a_table_at_once(make: Any, graph: Graph) -> None:
    table = make()
    keys = tf.placeholder(tf.int64)
    insert, size = op("LookupTableInsertV2", table, keys, keys), op("LookupTableSizeV2", table)
    find = op("LookupTableFindV2", table, keys, np.int64(-7))
    failed: list[BaseException] = []

    def work(first: int) -> None:
        try:
            for start in range(first, 4000, 400):
                mine = np.arange(start, start + 100)
                session.run(insert, {keys: mine})
                assert session.run(find, {keys: mine}).tolist() == mine.tolist()
        except BaseException as error:
            failed.append(error)

    with Session(graph=graph) as session:
        threads = [threading.Thread(target=work, args=[i * 100]) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not failed
        assert session.run(size) == 4000


@pytest.mark.parametrize(
    "attrs",
    [
        {"initial_num_buckets": 2**40},
        {"initial_num_buckets": 2**62},
        {"initial_num_buckets": 2**20, "value_shape": [2**30]},
        {"initial_num_buckets": -8},
        {"initial_num_buckets": 6},
        {"max_load_factor": float("nan")},
        {"max_load_factor": 0.0},
    ],
)
def test_dense_tables_refuse_what_no_memory_holds(attrs: dict[str, Any], graph: Graph) -> None:
    table = op("MutableDenseHashTableV2", np.int64(-1), np.int64(-2), value_dtype=tf.int64, **attrs)
    size = op("LookupTableSizeV2", table)
    with (
        Session(graph=graph) as session,
        pytest.raises((errors.InvalidArgumentError, errors.ResourceExhaustedError)),
    ):
        session.run(size)
