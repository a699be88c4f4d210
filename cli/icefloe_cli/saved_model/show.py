"""`icefloe saved-model show`."""

from __future__ import annotations

import click

from icefloe_cli.options import json_option
from icefloe_cli.output import emit_json
from icefloe_cli.saved_model import tags_of


@click.command()
@click.option("--dir", "directory", required=True, type=click.Path(), help="The directory of the SavedModel.")
@click.option("--all", "everything", is_flag=True, help="Show everything.")
@click.option("--tag_set", metavar="TAG,...", help="The graph with just these tags.")
@click.option("--signature_def", metavar="KEY", help="Show inputs and outputs of this signature.")
@click.option("--list_ops", is_flag=True, help="Show the ops that the graph uses.")
@json_option()
def show(
    directory: str, everything: bool, tag_set: str | None, signature_def: str | None, list_ops: bool, as_json: bool
) -> None:
    """Print what is in a SavedModel, in the words of saved_model_cli.

    \b
    Examples:
      icefloe saved-model show --dir export/1
      icefloe saved-model show --dir export/1 --tag_set serve --signature_def serving_default
      icefloe saved-model show --dir export/1 --all
    """
    import icefloe

    if as_json:
        emit_json("saved-model.show", icefloe.describe_saved_model(directory).as_data())
        return
    text = icefloe.show_saved_model(directory, tags_of(tag_set), signature_def, everything=everything, ops=list_ops)
    click.echo(text)
