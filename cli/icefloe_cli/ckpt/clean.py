"""`icefloe ckpt clean`."""

from __future__ import annotations

import click

from icefloe_cli.ckpt.plain import as_data
from icefloe_cli.options import json_option
from icefloe_cli.output import Table, bytes_text, count, emit_json, note

_WORDS = {
    "temporary": "unfinished save",
    "tempstate": "TensorFlow's unfinished file",
    "shards": "shards that were not merged",
}


@click.command("clean")
@click.argument("directory", type=click.Path())
@click.option(
    "--older-than",
    type=click.FloatRange(0),
    default=1.0,
    metavar="HOURS",
    show_default=True,
    help="Leave TensorFlow's temporary files that were written to since.",
)
@click.option("-r", "--recursive", is_flag=True, help="Look into the directories below too.")
@click.option("--yes", is_flag=True, help="Remove. Without it only what would be is shown.")
@json_option()
@click.pass_context
def clean(ctx: click.Context, directory: str, older_than: float, recursive: bool, yes: bool, as_json: bool) -> None:
    """Remove what saves that died left in DIRECTORY, and finish a save that was complete but for its last renames.

    Nothing is changed without --yes. Files of a save that is still running stay.

    \b
    Examples:
      icefloe ckpt clean train_dir
      icefloe ckpt clean train_dir --yes
      icefloe ckpt clean runs --recursive --older-than 24 --yes
    """
    import icefloe

    found = icefloe.ckpt.clean(directory, older_than=older_than, recursive=recursive, dry_run=not yes)
    if as_json:
        emit_json("ckpt.clean", as_data(found))
    else:
        table = Table(["path", "size", "", "what"], right=frozenset((1,)))
        for one in found.removed:
            verb = "would go" if found.dry_run else "removed"
            table.add(one.path, bytes_text(one.bytes), verb, _WORDS[one.kind])
        for one in found.left:
            table.add(one.path, bytes_text(one.bytes), "stays", f"{_WORDS[one.kind]}: {one.alive}")
        if table.rows:
            table.show()
        for prefix in found.finished:
            click.echo(f"{prefix}: its last save {'would be' if found.dry_run else 'is'} finished")
        for path, reason in found.failed.items():
            note(f"could not remove {path}: {reason}")
        verb = "to remove" if found.dry_run else "removed"
        click.echo(f"{count(len(found.removed), 'file')} {verb}, {bytes_text(found.bytes)}")
        if found.dry_run and (found.removed or found.finished):
            note("Nothing was changed: --yes does it.")
    if found.failed:
        ctx.exit(1)
