"""`icefloe ckpt cat`."""

from __future__ import annotations

import click

from icefloe_cli.ckpt import selection
from icefloe_cli.options import json_option
from icefloe_cli.output import emit_json, shape_text


@click.command("cat")
@click.argument("checkpoint", type=click.Path())
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--slice", "chosen", metavar="INDEX", help="Only this part, as in numpy: 0:2,:,3.")
@click.option("--full", is_flag=True, help="Print every element, however many.")
@json_option()
def print_tensors(checkpoint: str, names: tuple[str, ...], chosen: str | None, full: bool, as_json: bool) -> None:
    """Print the values of tensors of CHECKPOINT.

    NAME may be a pattern, `*` and `?` as in a shell; without one all are printed. Long tensors are shortened with
    `...`, unless --full.

    \b
    Examples:
      icefloe ckpt cat model.ckpt-30 global_step
      icefloe ckpt cat model.ckpt-30 layer/w --slice 0:2,-1
      icefloe ckpt cat model.ckpt-30 'layer/*' --json
    """
    import icefloe
    from icefloe_cli.printing import array_data, array_text

    index = selection.index(chosen)
    with icefloe.open_checkpoint(checkpoint) as reader:
        everything = list(reader)
        wanted: list[str] = []
        for name in names or ("*",):
            matching = [name] if name in reader else selection.chosen(everything, (name,))
            wanted += matching or [name]  # reading a name that is not there says which ones are near
        found = {}
        for name in dict.fromkeys(wanted):
            value = reader[name]
            try:
                found[name] = value if index is None else value[index]
            except IndexError as error:
                raise ValueError(f"{name}, shape {shape_text(value.shape)}: {error}") from None
            if not as_json:
                entry = reader.entries[name]
                click.echo(f"{name}  {entry.dtype.name} {shape_text(entry.shape)}")
                click.echo(array_text(found[name], full=full))
        if as_json:
            tensors = [{"name": name, **array_data(value)} for name, value in found.items()]
            emit_json("ckpt.cat", {"checkpoint": reader.prefix, "tensors": tensors})
