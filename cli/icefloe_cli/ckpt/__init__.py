"""`icefloe ckpt`: the tensors of checkpoints."""

from __future__ import annotations

import click

from icefloe_cli.groups import TableGroup

# Command -> module below `icefloe_cli.ckpt`, attribute, and its line in `icefloe ckpt --help`.
COMMANDS = {
    "ls": ("ls", "list_tensors", "List the tensors: name, dtype, shape and size."),
    "tree": ("tree", "show_tree", "Show the tensors as a tree of scopes with totals."),
    "cat": ("cat", "print_tensors", "Print values of tensors."),
}


@click.group(cls=TableGroup, rows=COMMANDS, package="icefloe_cli.ckpt")
def ckpt() -> None:
    """Look into, check, edit and convert checkpoints.

    A checkpoint is given by its prefix, any of its files, its directory or the state file `checkpoint`.
    """
