"""The option `--dask` of commands whose work several processes can share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def dask_option() -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option `--dask SCHEDULER`, an argument `dask`."""
    text = "Let Dask do it: threads, processes, or the address of a cluster such as tcp://10.0.0.1:8786."
    return click.option("--dask", metavar="SCHEDULER", help=text)
