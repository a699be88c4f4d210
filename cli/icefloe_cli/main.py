"""Entry point of the command `icefloe`: commands are imported when they are called, errors become one line and an
exit code.

Exit code 0: done; 1: icefloe says why not; 2: wrong usage. A reader that closes the pipe ends the command quietly.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from icefloe_cli.groups import TableGroup

# Command -> module below `icefloe_cli`, attribute, and its line in `icefloe --help`.
COMMANDS = {
    "inspect": ("inspect_command", "inspect", "Show what is in a graph, checkpoint, .meta or directory."),
    "identify": ("identify_command", "identify", "Say what kind of files these are."),
    "run": ("run_command", "run", "Run a graph: feed, fetch, print or store."),
    "exec": ("exec_command", "exec_", "Run a script written for TensorFlow 1, unchanged."),
    "save": ("save_command", "save", "Write a checkpoint: a graph's initial values, or an .npz or .h5."),
    "restore": ("restore_command", "restore", "Restore a checkpoint into a graph and report what fits."),
    "convert": ("convert_command", "convert", "Convert a checkpoint or weights file to another format."),
    "ckpt": ("ckpt", "ckpt", "Look into, check, edit and convert checkpoints."),
    "graph": ("graph", "graph", "Explain, change and compare graphs."),
    "saved-model": ("saved_model", "saved_model", "Show, run and scan a SavedModel with saved_model_cli's flags."),
}

EXAMPLES = """
\b
Examples:
  icefloe identify model.ckpt-30.index downloads/*
  icefloe inspect model.ckpt-30.meta
  icefloe ckpt ls model.ckpt-30
  icefloe ckpt cat model.ckpt-30 layer/w --slice 0:2
  icefloe convert model.ckpt-30 model.safetensors
  icefloe run model.ckpt-30 --feed x:0=@x.npy y:0
  icefloe exec train.py --steps=100
  icefloe restore model.ckpt-30.meta model.ckpt-30 --export weights.npz
  icefloe save model.ckpt-30.meta fresh.ckpt --values weights.npz

A checkpoint is given by its prefix, any of its files, its directory or the state file `checkpoint`.
"""


class Failure(click.ClickException):
    """What the library or the system says is wrong: one message on stderr, exit code 1."""

    exit_code = 1

    def show(self, file: Any = None) -> None:
        from icefloe_cli.output import note

        note(f"icefloe: {self.message}")


class _Commands(TableGroup):
    """The commands of the table.

    The library's errors become failures here, and a pipe that the reader closed the end.
    """

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except BrokenPipeError:
            _drop_output()
            ctx.exit(0)
        except Exception as error:
            if ctx.params["debug"] or not _is_reported(error):
                raise
            raise Failure(_text(error)) from error


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from icefloe import __version__

        click.echo(f"icefloe {__version__}")
        ctx.exit()


@click.group(
    cls=_Commands,
    rows=COMMANDS,
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version.")
@click.option("--debug", is_flag=True, help="Show the Python traceback of an error.")
@click.pass_context
def cli(ctx: click.Context, debug: bool) -> None:
    """TensorFlow graphs and checkpoints without TensorFlow: inspect, run, save, restore."""
    from icefloe_cli.output import print_anything

    print_anything()
    ctx.obj = {"debug": debug}


def _text(error: BaseException) -> str:
    """Return the text of an error for the user, without a KeyError's quotes and an OSError's number."""
    if type(error).__module__ == "builtins" and isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{os.fsdecode(error.filename)}: {error.strerror}"
    is_plain = isinstance(error, KeyError) and not hasattr(error, "message")
    text = str(error.args[0]) if is_plain and error.args else str(error)
    return text or type(error).__name__


def _is_reported(error: Exception) -> bool:
    """Whether `error` tells the user what is wrong; anything else is a defect of ours and shows its traceback."""
    from icefloe import errors

    return isinstance(error, (errors.OpError, OSError, ValueError, KeyError, TypeError, RuntimeError, MemoryError))


def _drop_output() -> None:
    """Let what is still to be written go nowhere: Python would complain when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit."""
    if sys.stdout is None:  # it was closed
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (to the end of the process)
    try:
        code = cli.main(args=args, prog_name="icefloe", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        code = 0
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except click.Abort:
        click.echo("icefloe: interrupted", err=True)
        code = 130
    sys.exit(code if isinstance(code, int) else 0)
