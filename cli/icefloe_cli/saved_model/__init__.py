"""`icefloe saved-model`: the flags and texts of TensorFlow's `saved_model_cli`."""

from __future__ import annotations

import click

from icefloe_cli.groups import TableGroup

# Command -> module below `icefloe_cli.saved_model`, attribute, and its line in `icefloe saved-model --help`.
COMMANDS = {
    "show": ("show", "show", "Print tag sets, signatures, tensors, ops and functions."),
    "run": ("run", "run", "Call a signature; print and store its outputs."),
    "scan": ("scan", "scan", "Look for ops that touch files or print."),
}


@click.group(cls=TableGroup, rows=COMMANDS, package="icefloe_cli.saved_model")
def saved_model() -> None:
    """Show, run and scan a SavedModel with the flags of TensorFlow's saved_model_cli, for scripts that call it.

    `icefloe inspect DIR` and `icefloe run DIR` do more.
    """


def tags_of(text: str | None) -> list[str] | None:
    """Return the tags in a text that separates them by commas; None for None."""
    return None if text is None else [tag.strip() for tag in text.split(",") if tag.strip()]
