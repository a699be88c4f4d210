"""The frame of a program, as in tf.app: `run` reads the flags and calls `main`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from icefloe import flags as flags

__all__ = ["flags", "run"]


def run(main: Callable[[list[str]], Any] | None = None, argv: Sequence[str] | None = None) -> NoReturn:
    """Call `main` with the command line without the flags that are defined, and exit with what it returns.

    main: default, the script's function of that name. argv: default, sys.argv.

    A flag's value that is none ends the program with exit code 1 and a line on stderr; --help shows the flags.
    """
    import absl.app

    given = list(sys.argv if argv is None else argv)
    function = sys.modules["__main__"].main if main is None else main
    _define_help()
    try:
        rest = absl.flags.FLAGS(given, known_only=True)
    except absl.flags.Error as error:
        sys.stderr.write(f"FATAL Flags parsing error:\n  {error}\n")
        sys.stderr.write("Pass --helpshort or --helpfull to see help on flags.\n")
        sys.exit(1)
    try:
        sys.exit(function(rest))
    except absl.app.UsageError as error:
        absl.app.usage(shorthelp=True, detailed_error=error, exitcode=error.exitcode)
        sys.exit(error.exitcode)


@functools.cache
def _define_help() -> None:
    """Define --help and its kin; twice would be an error."""
    import absl.app

    absl.app.define_help_flags()
