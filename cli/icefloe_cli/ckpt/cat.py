"""`icefloe ckpt cat`."""

from __future__ import annotations

import csv
import fnmatch
import sys
from typing import Any

import click

from icefloe_cli.options import json_option
from icefloe_cli.output import emit_json, say, shape_text


@click.command("cat")
@click.argument("checkpoint", type=click.Path())
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--slice", "chosen", metavar="INDEX", help="Only this part, as in numpy: 0:2,:,3.")
@click.option("--full", is_flag=True, help="Print every element, however many.")
@click.option("--csv", "as_csv", is_flag=True, help="Print one tensor of up to two dimensions as CSV, a row a line.")
@json_option()
def print_tensors(
    checkpoint: str, names: tuple[str, ...], chosen: str | None, full: bool, as_csv: bool, as_json: bool
) -> None:
    """Print the values of tensors of CHECKPOINT.

    NAME may be a pattern, `*` and `?` as in a shell; without one all are printed. It may end in the part to print,
    as `w[0:3,:]`: of a tensor of more than 64 MB only the rows that are needed are read. In a checkpoint saved by
    objects it is the object path, the full name or the key. Long tensors are shortened with `...`, unless --full.

    \b
    Examples:
      icefloe ckpt cat model.ckpt-30 global_step
      icefloe ckpt cat model.ckpt-30 'layer/w[0:2,-1]'
      icefloe ckpt cat model.ckpt-30 'embedding[:100]' --csv > rows.csv
      icefloe ckpt cat model.ckpt-30 'layer/*' --json
    """
    import icefloe
    from icefloe_cli.printing import array_data, array_text

    with icefloe.open_checkpoint(checkpoint, mmap=True) as reader:
        index = None if chosen is None else _index(chosen, reader)
        everything = list(reader)
        wanted: list[tuple[str, str]] = []  # what to call it, and what was asked for
        for name in names or ("*",):
            matching = [name] if name in reader else fnmatch.filter(everything, name)
            wanted += [(found, found) for found in matching] or [(name, name)]
        if as_csv and len(dict.fromkeys(wanted)) != 1:
            raise click.UsageError("--csv prints one tensor; name one.")
        found = []
        for name, asked in dict.fromkeys(wanted):
            plain, part = icefloe.ckpt.split_index(asked, reader)
            key = reader.find(plain)  # a name that is not there says which ones are near
            if part is not None and index is not None:
                raise click.UsageError(f"{name} says its part itself; leave --slice out.")
            part = index if part is None else part
            value = reader[key] if part is None else icefloe.ckpt.read_part(reader, key, part)
            if as_csv:
                _write_csv(name, value)
            elif as_json:
                found.append({"name": name if part is None else plain, **array_data(value)})
            else:
                entry = reader.entries[key]
                say(f"{name}  {entry.dtype.name} {shape_text(entry.shape)}")
                click.echo(array_text(value, full=full))
        if as_json:
            emit_json("ckpt.cat", {"checkpoint": reader.prefix, "tensors": found})


def _index(text: str, reader: Any) -> tuple[Any, ...]:
    """Return a numpy index for a text such as `0:2,:,3`. Raises: click.BadParameter."""
    import icefloe

    rest = ""
    try:
        rest, found = icefloe.ckpt.split_index(f"[{text.strip('[]')}]", reader)
    except icefloe.errors.InvalidArgumentError:
        found = None
    if found is None or rest:
        raise click.BadParameter(f"expected an index such as 0:2,:,3, got {text!r}", param_hint="--slice")
    return found


def _write_csv(name: str, value: Any) -> None:
    import numpy as np

    array = np.asarray(value)
    if array.ndim > 2:
        raise click.UsageError(f"{name} has shape {shape_text(array.shape)}; choose a part of two dimensions.")
    if array.dtype.names:
        array = array[array.dtype.names[0]]
    rows = array.reshape(1, 1) if array.ndim == 0 else array.reshape(-1, 1) if array.ndim == 1 else array
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for row in rows:
        writer.writerow([_text(item) for item in row])


def _text(item: Any) -> str:
    return item.decode(errors="backslashreplace") if isinstance(item, bytes) else str(item)
