"""`icefloe saved-model scan`."""

from __future__ import annotations

import click

from icefloe_cli.options import json_option
from icefloe_cli.output import emit_json
from icefloe_cli.saved_model import tags_of


@click.command()
@click.option("--dir", "directory", required=True, type=click.Path(), help="The directory of the SavedModel.")
@click.option("--tag_set", metavar="TAG,...", help="The graph with just these tags; without it all graphs.")
@click.option("--op_denylist", metavar="OP,...", help="What to look for; by default ReadFile, WriteFile and PrintV2.")
@json_option()
def scan(directory: str, tag_set: str | None, op_denylist: str | None, as_json: bool) -> None:
    """Say which graphs of a SavedModel use ops that touch files or print, also in their functions.

    \b
    Examples:
      icefloe saved-model scan --dir export/1
      icefloe saved-model scan --dir export/1 --tag_set serve --op_denylist PyFunc,ReadFile
    """
    import icefloe

    wanted = tags_of(op_denylist) or ["PrintV2", "ReadFile", "WriteFile"]
    found = icefloe.scan_saved_model(directory, tags_of(tag_set), wanted)
    if as_json:
        graphs = [{"tags": list(tags), "found": ops} for tags, ops in found]
        emit_json("saved-model.scan", {"path": directory, "ops": wanted, "graphs": graphs})
        return
    for tags, ops in found:
        if ops:
            text = f"contains the following denylisted ops: {_set(ops)}"
        else:
            text = f"does not contain the default denylisted ops: {_set(wanted)}"
        click.echo(f"MetaGraph with tag set {list(tags)} {text}")


def _set(names: list[str]) -> str:
    return "{" + ", ".join(map(repr, names)) + "}"
