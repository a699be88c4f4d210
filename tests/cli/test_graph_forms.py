"""`icefloe graph downgrade` and `icefloe convert` of graphs."""

from __future__ import annotations

from pathlib import Path

import icefloe

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
BOXES, NESTED = FIXTURES / "downgrading" / "boxes_1.0.pb", FIXTURES / "freezing" / "nested"


def test_downgrade_writes_and_reports(cli, tmp_path):
    result = cli("graph", "downgrade", BOXES, "--to", "1.0", "-o", tmp_path / "old.pb", "--fetch", "out_0", "--json")
    data = result.json()
    assert (result.code, data["check"]["status"]) == (0, "equal")
    assert icefloe.graphs.oldest_version(icefloe.load_graph(tmp_path / "old.pb")).release == "1.0"


def test_downgrade_writes_nothing_where_something_has_no_older_form(cli, tmp_path):
    source = FIXTURES / "downgrading" / "layers_1.3.pb"
    result = cli("graph", "downgrade", source, "--to", "1.0", "-o", tmp_path / "old.pb")
    assert result.code == 1
    assert "PadV2 is of 1.3; it pads with other than a constant zero: MaxPool/Pad" in result.err
    assert not (tmp_path / "old.pb").exists()


def test_downgrade_names_the_releases_it_knows(cli, tmp_path):
    result = cli("graph", "downgrade", BOXES, "--to", "0.9", "-o", tmp_path / "old.pb")
    assert result.code == 2
    assert "there are 1.0, 1.1" in result.err


def test_convert_freezes_a_saved_model_and_back(cli, tmp_path):
    first = cli("convert", NESTED, tmp_path / "frozen.pb")
    assert first.code == 0
    assert "2 variables made constants" in first.err
    assert "left out: signature serving_default" in first.err
    second = cli("convert", tmp_path / "frozen.pb", tmp_path / "model", "--feed", "x=serving_default_x:0", "--fetch",
                 "y=StatefulPartitionedCall:0", "--json")  # fmt: skip
    assert second.json()["outputs"] == {"y": "StatefulPartitionedCall:0"}
    run = cli("run", tmp_path / "model", "--input", "x=[[1, 2]]")
    assert run.out == "y  float32 [1,2]\n[[2.65625, 2.21875]]\n"


def test_convert_refuses_options_of_the_other_kind(cli, tmp_path):
    assert cli("convert", BOXES, tmp_path / "x.pbtxt", "--plain").err.endswith("Error: --plain is for checkpoints.\n")
    model = FIXTURES / "freezing" / "averages" / "model"
    assert cli("convert", model, tmp_path / "x.npz", "--fetch", "y").err.endswith("Error: --fetch is for graphs.\n")
