"""Flags of programs, as in tf.flags: those of the package absl, which TensorFlow uses, too.

`FLAGS.name` reads the command line when first asked for; flags that no one defined are left to the program. What is not
here is absl's.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import absl.flags

# The flags that this module defines for a program are the program's, not this module's.
absl.flags.disclaim_key_flags()
# Arguments that TensorFlow 1 called otherwise.
_RENAMED = {"flag_name": "name", "default_value": "default", "docstring": "help"}


class _Flags:
    """The values of the flags; the first look at one reads the command line."""

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__") and not absl.flags.FLAGS.is_parsed():
            absl.flags.FLAGS(sys.argv, known_only=True)
        return getattr(absl.flags.FLAGS, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(absl.flags.FLAGS, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(absl.flags.FLAGS, name)

    def __dir__(self) -> list[str]:
        return dir(absl.flags.FLAGS)

    def __getitem__(self, name: str) -> Any:
        return absl.flags.FLAGS[name]

    def __setitem__(self, name: str, flag: Any) -> None:
        absl.flags.FLAGS[name] = flag

    def __contains__(self, name: str) -> bool:
        return name in absl.flags.FLAGS

    def __iter__(self) -> Any:
        return iter(absl.flags.FLAGS)

    def __len__(self) -> int:
        return len(absl.flags.FLAGS)

    def _parse_flags(self, args: Any = None) -> None:
        """Read the command line; programs older than TensorFlow 1.5 ask for it."""
        absl.flags.FLAGS(sys.argv if args is None else [sys.argv[0], *args], known_only=True)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return absl.flags.FLAGS(*args, **keywords)


FLAGS: Any = _Flags()


def _named_as_before(define: Callable[..., Any]) -> Callable[..., Any]:
    """Return `define` that takes TensorFlow 1's names of its arguments, too."""

    @functools.wraps(define)
    def wrapper(*args: Any, **keywords: Any) -> Any:
        return define(*args, **{_RENAMED.get(key, key): value for key, value in keywords.items()})

    return wrapper


DEFINE_string = _named_as_before(absl.flags.DEFINE_string)
DEFINE_boolean = _named_as_before(absl.flags.DEFINE_boolean)
DEFINE_bool = _named_as_before(absl.flags.DEFINE_bool)
DEFINE_float = _named_as_before(absl.flags.DEFINE_float)
DEFINE_integer = _named_as_before(absl.flags.DEFINE_integer)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(absl.flags, name)
