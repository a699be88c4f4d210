"""`icefloe ckpt`: the tensors of checkpoints."""

from __future__ import annotations

import click

from icefloe_cli.groups import TableGroup

# Command -> module below `icefloe_cli.ckpt`, attribute, and its line in `icefloe ckpt --help`.
COMMANDS = {
    "ls": ("ls", "list_tensors", "List the tensors: name, dtype, shape and size."),
    "tree": ("tree", "show_tree", "Show the tensors as a tree of scopes with totals."),
    "cat": ("cat", "print_tensors", "Print values of tensors."),
    "stats": ("stats", "stats", "Print minimum, maximum, mean, NaN, zeros, histogram of tensors."),
    "diff": ("diff", "diff", "Compare two checkpoints."),
    "report": ("report", "report", "Write a web page: sizes, statistics, histograms, differences."),
    "verify": ("verify", "verify", "Check index, lengths and checksums; say what is damaged."),
    "rescue": ("rescue", "rescue", "Write what is whole in a damaged checkpoint to a new one."),
    "rename": ("rename", "rename", "Give tensors other names; the data are copied."),
    "slim": ("slim", "slim", "Leave out what only training needs."),
    "cast": ("cast", "cast", "Convert tensors to another dtype and say what is lost."),
    "average": ("average", "average", "Write the mean of several checkpoints."),
    "merge": ("merge", "merge", "Put the tensors of several checkpoints into one."),
    "set": ("set", "set_values", "Give tensors other values, or add new ones."),
    "resize": ("resize", "resize", "Give tensors more or fewer rows, with their slots."),
    "reshard": ("reshard", "reshard", "Spread tensors over other data files or slices."),
    "extract": ("extract", "extract", "Write some tensors to a checkpoint or .npz."),
    "state": ("state", "state", "Show or mend the state file of a directory."),
    "prune": ("prune", "prune", "Delete old checkpoints."),
    "clean": ("clean", "clean", "Remove what saves that died left behind."),
}


@click.group(cls=TableGroup, rows=COMMANDS, package="icefloe_cli.ckpt")
def ckpt() -> None:
    """Look into, check, edit and convert checkpoints.

    A checkpoint is given by its prefix, any of its files, its directory or the state file `checkpoint`; each may be a
    URL such as s3://bucket/model.ckpt-30.
    """
