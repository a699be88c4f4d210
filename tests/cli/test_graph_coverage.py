"""`icefloe graph ops --coverage`."""

from __future__ import annotations

import icefloe


def test_coverage_by_family(cli):
    lines = cli("graph", "ops", "--coverage").out.splitlines()
    assert lines[0].split() == ["family", "computed", "of", "%"]
    rows = {line.split()[0]: [int(n) for n in line.split()[1:]] for line in lines[1:]}
    assert {"array", "data", "image", "linalg", "math", "nn", "random", "state", "all"} <= set(rows)
    assert rows["all"][:2] == [sum(r[i] for name, r in rows.items() if name != "all") for i in (0, 1)]
    assert rows["all"][2] >= 89


def test_coverage_of_one_family_names_what_is_missing(cli):
    result = cli("graph", "ops", "--coverage", "--family", "image", "--missing")
    header, row = result.out.splitlines()
    assert header.split() == ["family", "computed", "of", "%", "missing"]
    assert "DecodeWebP" in row.split()


def test_coverage_json(cli):
    data = cli("graph", "ops", "--coverage", "--json").json()
    assert data["schema"] == "icefloe.graph.ops.coverage/1"
    families = {f["family"]: f for f in data["families"]}
    assert "MatMul" in families["math"]["computed"]
    assert not set(families["math"]["computed"]) & set(families["math"]["missing"])
    assert data["total"] == sum(len(f["computed"]) + len(f["missing"]) for f in data["families"])


def test_what_goes_with_what(cli):
    assert cli("graph", "ops").code == 2
    assert cli("graph", "ops", "x.pb", "--coverage").code == 2
    assert cli("graph", "ops", "x.pb", "--missing").code == 2
    unknown = cli("graph", "ops", "--coverage", "--family", "imge")
    assert unknown.code == 1
    assert "There are: array," in unknown.err


def test_public_names():
    found = icefloe.graphs.coverage("linalg")
    assert isinstance(found, icefloe.graphs.Coverage)
    assert found.total == len(found.families[0].computed) + len(found.families[0].missing)
