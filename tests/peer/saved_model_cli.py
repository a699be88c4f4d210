"""TensorFlow's saved_model_cli as its tests drive it, flags in one call and the command in another, on `icefloe saved-model`."""

from __future__ import annotations

from typing import Any

import click

from icefloe.saved_models import command_inputs, showing
from icefloe_cli.saved_model.run import run as run_command
from icefloe_cli.saved_model.scan import scan as scan_command
from icefloe_cli.saved_model.show import show as show_command


class _Flags:
    """absl's FLAGS: a call with the words of a command line keeps them."""

    words: list[str]

    def __call__(self, argv: list[str]) -> None:
        self.words = list(argv[2:])

    def unparse_flags(self) -> None:
        """Forget the words."""
        self.words = []


class flags:
    """absl.flags."""

    FLAGS = _Flags()


class _Parser:
    def parse_args(self) -> None:
        """Do nothing: the command parses its words itself."""


def create_parser() -> _Parser:
    """Return a parser."""
    return _Parser()


def _call(command: click.Command) -> None:
    command.main(flags.FLAGS.words, standalone_mode=False)


def show() -> None:
    """Run `show` with the words that FLAGS was given."""
    _call(show_command)


def run() -> None:
    """Run `run`."""
    _call(run_command)


def scan() -> None:
    """Run `scan`."""
    _call(scan_command)


def print_tensor_info(tensor_info: Any, indent: int = 0) -> None:
    """Print a TensorInfo."""
    print("\n".join(showing.tensor_info_lines(tensor_info, "  " * indent)))


def preprocess_input_exprs_arg_string(text: str, safe: bool = True) -> dict[str, Any]:
    """Return inputs that are literals; others are not evaluated, whatever `safe` is."""
    return command_inputs.literal_inputs(text)
