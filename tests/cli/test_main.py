"""The command as a whole: help, versions, exit codes, pipes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import icefloe
from icefloe_cli.ckpt import COMMANDS as CKPT_COMMANDS
from icefloe_cli.graph import COMMANDS as GRAPH_COMMANDS
from icefloe_cli.main import COMMANDS
from icefloe_cli.saved_model import COMMANDS as SAVED_MODEL_COMMANDS

COMMAND = [sys.executable, "-c", "from icefloe_cli.main import main; main()"]


def test_help_lists_every_command(cli):
    result = cli("--help")
    assert result.code == 0
    for name, (_, _, text) in COMMANDS.items():
        assert f"{name}" in result.out
        assert text in result.out
    assert "Examples:" in result.out


GROUPS = {"ckpt": CKPT_COMMANDS, "graph": GRAPH_COMMANDS, "saved-model": SAVED_MODEL_COMMANDS}
EVERY_COMMAND = [[name] for name in COMMANDS] + [[group, name] for group, rows in GROUPS.items() for name in rows]


@pytest.mark.parametrize("args", EVERY_COMMAND, ids="-".join)
def test_help_of_each_command_teaches(cli, args):
    result = cli(*args, "--help")
    assert result.code == 0
    assert args[-1] in GROUPS or "Examples:" in result.out


def test_version(cli):
    assert cli("--version").out == f"icefloe {icefloe.__version__}\n"


@pytest.mark.parametrize("args", [["nonsense"], ["run"], ["ckpt", "ls"], ["run", "--no-such-option", "x"]])
def test_wrong_usage_is_2(cli, args):
    result = cli(*args)
    assert result.code == 2
    assert result.out == ""
    assert "Usage:" in result.err


def test_near_command_is_suggested(cli):
    assert "Did you mean 'inspect'?" in cli("inspct").err


def test_library_errors_are_1_and_one_message(cli, tmp_path):
    (tmp_path / "notes.txt").write_text("these are notes\n")
    result = cli("ckpt", "ls", tmp_path / "notes.txt")
    assert result.code == 1
    assert result.out == ""
    assert (
        result.err
        == f"icefloe: {tmp_path}/notes.txt: not a checkpoint: this is a text file that begins 'these are notes'\n"
    )


def test_debug_shows_the_traceback(cli, tmp_path):
    with pytest.raises(icefloe.errors.NotFoundError):
        cli("--debug", "ckpt", "ls", tmp_path / "nothing")


def test_quiet_when_the_reader_closes_the_pipe(savers):
    process = subprocess.Popen(
        [*COMMAND, "ckpt", "cat", str(savers / "plain")], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(30) == 0
    process.stderr.close()


def test_help_and_listing_import_little(savers):
    """What makes the command start fast: `--help` needs no numpy, `ckpt ls` no graph and no kernels."""
    program = (
        "import sys\n"
        "from icefloe_cli.main import cli\n"
        "try: cli.main(sys.argv[1:], 'icefloe')\n"
        "except SystemExit: pass\n"
        "print(*sorted(sys.modules), file=sys.stderr)\n"
    )

    def modules(*args: str) -> set[str]:
        done = subprocess.run([sys.executable, "-c", program, *args], capture_output=True, text=True, check=True)
        return set(done.stderr.split())

    assert not modules("--help") & {"numpy", "google.protobuf", "rich", "icefloe", "h5py"}
    loaded = modules("ckpt", "ls", str(savers / "plain"))
    heavy = {"rich", "h5py", "scipy", "hashlib", "tempfile", "logging"}
    assert loaded & {*heavy, "icefloe.graph.graph", "icefloe.session", "icefloe.ops"} == set()


@pytest.mark.parametrize("no_color", ["", "1"])
def test_no_colour_in_a_pipe(savers, no_color):
    done = subprocess.run(
        [*COMMAND, "ckpt", "ls", str(savers / "plain")],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NO_COLOR": no_color} if no_color else None,
    )
    assert "\x1b" not in done.stdout + done.stderr


def test_a_closed_stdout_is_no_defect(savers):
    done = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *COMMAND, "ckpt", "ls", str(savers / "plain")],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_closed_stdin_is_empty(savers, tmp_path):
    with icefloe.Graph().as_default() as graph:
        icefloe.placeholder(icefloe.float32, [], name="x")
    file = icefloe.save_graph(graph, tmp_path / "g.pb")
    done = subprocess.run(
        ["sh", "-c", '"$@" <&-', "sh", *COMMAND, "run", file, "--feed", "x=-", "x"],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "stdin: no JSON" in done.stderr and "Traceback" not in done.stderr


def test_what_the_system_refuses_is_said_without_numbers(cli, tmp_path):
    with icefloe.Graph().as_default() as graph:
        icefloe.constant(1.0)
    file = icefloe.save_graph(graph, tmp_path / "g.pb")
    (tmp_path / "file").touch()
    result = cli("graph", "dot", file, "-o", tmp_path / "file" / "g.dot")
    assert result.code == 1
    assert "Errno" not in result.err and "Not a directory" in result.err


@pytest.mark.parametrize(
    ("name", "meant"), [("ls", "'ckpt ls'"), ("cast", "'ckpt cast' or 'graph cast'"), ("inspekt", "'inspect'")]
)
def test_a_command_of_a_group_is_found(cli, name, meant):
    result = cli(name)
    assert result.code == 2 and f"No such command '{name}'. Did you mean {meant}?" in result.err
