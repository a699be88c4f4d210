"""Run a Python script that imports TensorFlow, with icefloe in its place, as `python` would run it."""

from __future__ import annotations

import importlib.machinery
import io
import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType, TracebackType

from icefloe import errors
from icefloe.scripts import children, facades
from icefloe.scripts.missing import missing_name

USAGE = "SCRIPT [ARGS...] | -m MODULE [ARGS...] | -c CODE [ARGS...] | - [ARGS...]"


def exec_script(command: Sequence[str], *, debug: bool = False) -> int:
    """Run what follows `python` on a command line, a script, `-m`, `-c` or `-`, and return its exit code.

    `import tensorflow` gives icefloe's names, in the script, in what it imports and in Pythons that it starts; an
    installed TensorFlow is not imported. This process becomes the script's: `__main__`, `sys.argv`, `sys.path` and
    the environment variable PYTHONPATH are as it needs them, and stay so.

    An error that the script does not catch is printed as Python prints it. If it is about a name of TensorFlow that
    icefloe does not have, one line says which and where, and what there is instead.

    debug: print the traceback then too, with icefloe's own frames.

    Raises: InvalidArgumentError for a command that is none; NotFoundError for a script that is not there; SystemExit
        where the script raises it.
    """
    what, args = _parse(command)
    facades.install()
    _set_children_path()
    sources: dict[str, str] = {}
    try:
        if what == "-m":
            _run_module(args)
        elif what == "-c":
            _run_text(args[0], "<string>", ["-c", *args[1:]], sources)
        elif what == "-":
            _run_text(sys.stdin.read(), "<stdin>", ["-", *args], sources)
        else:
            _run_file(what, args)
    except Exception as error:
        return _report(error, sources, debug)
    except KeyboardInterrupt as error:
        _report(error, sources, debug)
        return 130
    return 0


def _parse(command: Sequence[str]) -> tuple[str, list[str]]:
    """Return what to run and its arguments; of `-m` and `-c` the first is the module or the code."""
    first, rest = (command[0], list(command[1:])) if command else ("", [])
    if first[:2] in ("-m", "-c"):
        what, attached = first[:2], first[2:]
        args = [attached, *rest] if attached else rest
        if not args:
            raise errors.InvalidArgumentError(f"{what} needs {'a module' if what == '-m' else 'code'}: {USAGE}")
        return what, args
    if not first or (first.startswith("-") and first != "-"):
        raise errors.InvalidArgumentError(f"expected a script, got {first or 'nothing'}: {USAGE}")
    return first, rest


def _set_children_path() -> None:
    """Let Pythons that the script starts find icefloe's names too.

    A process that multiprocessing spawns takes over `sys.path`, where a folder of PYTHONPATH comes second.
    """
    folder = str(Path(children.__file__).parent)
    if folder not in sys.path:
        sys.path.insert(1, folder)
    known = os.environ.get("PYTHONPATH", "")
    if folder not in known.split(os.pathsep):
        os.environ["PYTHONPATH"] = f"{folder}{os.pathsep}{known}" if known else folder


def _set_first_path(folder: str) -> None:
    if not sys.flags.safe_path:
        sys.path[:1] = [folder]


def _run_file(path: str, args: list[str]) -> None:
    whole = os.path.abspath(path)
    if not os.path.exists(path):
        raise errors.NotFoundError(f"can't open file {whole!r}: no such file")
    sys.argv = [path, *args]
    if os.path.isdir(path) or not _is_source(path):
        _set_first_path(path)
        runpy.run_path(path, run_name="__main__")
        return
    _set_first_path(os.path.dirname(os.path.realpath(path)))
    with io.open_code(whole) as file:
        data = file.read()
    main = _new_main()
    main.__file__ = whole
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", whole)
    exec(compile(data, whole, "exec", dont_inherit=True), vars(main))


def _is_source(path: str) -> bool:
    """Whether a file is text, and no zip or compiled code."""
    with open(path, "rb") as file:
        head = file.read(4)
    return not path.endswith(".pyc") and not head.startswith(b"PK\x03\x04")


def _run_text(text: str, name: str, argv: list[str], sources: dict[str, str]) -> None:
    sys.argv = argv
    _set_first_path("")
    sources[name] = text
    main = _new_main()
    if name == "<stdin>":
        main.__file__ = name
    exec(compile(text, name, "exec", dont_inherit=True), vars(main))


def _run_module(args: list[str]) -> None:
    _set_first_path(os.getcwd())
    sys.argv = args
    runpy.run_module(args[0], run_name="__main__", alter_sys=True)


def _new_main() -> ModuleType:
    """Return a fresh module `__main__`, which pickles and the like find."""
    main = ModuleType("__main__")
    vars(main).update(__builtins__=__builtins__, __annotations__={})
    sys.modules["__main__"] = main
    return main


def _report(error: BaseException, sources: dict[str, str], debug: bool) -> int:
    """Say what ended the script on stderr and return the exit code."""
    trace = _without_ours(error.__traceback__)
    if trace is None and isinstance(error, errors.OpError) and not isinstance(error, SyntaxError):
        raise error  # ours, before the script began
    found = missing_name(error, sources)
    if found is not None:
        print(f"icefloe: {found}", file=sys.stderr)
        if not debug:
            return 1
    shown = error.__traceback__ if debug else trace
    sys.excepthook(type(error), error.with_traceback(shown), shown)
    return 1


def _without_ours(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback from the script's first frame on."""
    while trace is not None and trace.tb_frame.f_globals.get("__name__") in (__name__, "runpy"):
        trace = trace.tb_next
    return trace
