"""What a session owns: resources by container, name and class; streams and states of nodes; files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from icefloe import datatypes, errors
from icefloe.resources import ResourceManager, Variable


class Table:
    closed = False

    def close(self) -> None:
        self.closed = True


def variable() -> Variable:
    return Variable(datatypes.float32, (), "v")


def test_created_once_and_found_by_container_name_and_class() -> None:
    m = ResourceManager()
    v = m.lookup_or_create("", "v", Variable, variable)
    assert m.lookup_or_create("localhost", "v", Variable, variable) is v
    assert m.lookup("", "v", Variable) is v
    assert m.lookup_or_create("other", "v", Variable, variable) is not v
    table = m.lookup_or_create("", "v", Table, Table)
    assert m.lookup("", "v", Table) is table
    assert m.resources(Variable) == [v, m.lookup("other", "v", Variable)]
    with pytest.raises(errors.NotFoundError, match="Resource localhost/w/Variable does not exist"):
        m.lookup("", "w", Variable)


def test_delete_empties_a_variable_and_closes_others() -> None:
    m = ResourceManager()
    v = m.lookup_or_create("", "v", Variable, variable)
    v.assign(np.float32(1))
    m.delete("", "v", Variable)
    assert not v.initialized and m.lookup("", "v", Variable) is v
    table = m.lookup_or_create("", "t", Table, Table)
    m.delete("", "t", Table)
    assert table.closed
    with pytest.raises(errors.NotFoundError):
        m.delete("", "t", Table)


def test_clear_one_container_or_all() -> None:
    m = ResourceManager()
    a = m.lookup_or_create("a", "v", Variable, variable)
    b = m.lookup_or_create("b", "v", Variable, variable)
    a.assign(np.float32(1))
    b.assign(np.float32(1))
    table = m.lookup_or_create("a", "t", Table, Table)
    m.clear("a")
    assert not a.initialized and b.initialized and table.closed
    state = m.node_state("n", list)
    m.clear()
    assert not b.initialized and m.node_state("n", list) is not state


def test_state_and_stream_of_a_node_last() -> None:
    m = ResourceManager()
    assert m.node_state("n", list) is m.node_state("n", list)
    stream = m.stream("n", 1, 2)
    assert m.stream("n", 1, 2) is stream
    assert m.stream("other", 1, 2) is not stream


def test_files_policy(tmp_path: Path) -> None:
    ResourceManager("all").check_file(tmp_path / "x", "write")
    read = ResourceManager("read")
    read.check_file(tmp_path / "x", "read")
    with pytest.raises(errors.PermissionDeniedError, match="may not write files"):
        read.check_file(tmp_path / "x", "write")
    none = ResourceManager("none", allow_files=[tmp_path / "in"])
    none.check_file(tmp_path / "in" / "x", "write")
    none.check_file(tmp_path / "in", "read")
    for outside in ("x", "in/../x", "inside"):
        with pytest.raises(errors.PermissionDeniedError, match="may not read files"):
            none.check_file(tmp_path / outside, "read")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link").symlink_to(tmp_path / "x")
    with pytest.raises(errors.PermissionDeniedError):
        none.check_file(tmp_path / "in" / "link", "read")
    with pytest.raises(ValueError, match="files must be"):
        ResourceManager("some")  # type: ignore[arg-type]
