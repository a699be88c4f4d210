"""`icefloe ckpt ls`."""

from __future__ import annotations

from typing import Any

import click

from icefloe_cli.ckpt.selection import chosen
from icefloe_cli.options import json_option
from icefloe_cli.output import Table, bytes_text, count, emit_json, shape_text


@click.command("ls")
@click.argument("checkpoint", type=click.Path())
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@click.option("-l", "--long", "detailed", is_flag=True, help="Show shard, offset and checksum too.")
@click.option("--sort", type=click.Choice(["name", "size"]), default="name", show_default=True, help="Order.")
@json_option()
def list_tensors(checkpoint: str, patterns: tuple[str, ...], detailed: bool, sort: str, as_json: bool) -> None:
    """List the tensors stored in CHECKPOINT: name, dtype, shape and size.

    PATTERN chooses names, `*` and `?` as in a shell.

    \b
    Examples:
      icefloe ckpt ls model.ckpt-30
      icefloe ckpt ls train_dir/ '*/kernel' --sort size
      icefloe ckpt ls model.ckpt-30.index --json
    """
    import icefloe

    with icefloe.open_checkpoint(checkpoint) as reader:
        entries = [(name, reader.entries[name]) for name in chosen(list(reader), patterns)]
        entries.sort(key=lambda pair: (-_size(pair[1]), pair[0]) if sort == "size" else (0, pair[0]))
        if as_json:
            emit_json("ckpt.ls", {"checkpoint": reader.prefix, "tensors": [_as_data(n, e) for n, e in entries]})
            return
        headers = ["name", "dtype", "shape", "size", *(["shard", "offset", "crc32c"] if detailed else [])]
        table = Table(headers, right=frozenset((3, 4, 5)))
        for name, entry in entries:
            cells = [name, entry.dtype.name, shape_text(entry.shape), bytes_text(_size(entry))]
            if entry.is_sliced:
                cells[2] += f" in {count(len(entry.slices), 'slice')}"
            if detailed:
                cells += ["", "", ""] if entry.is_sliced else [str(entry.shard), str(entry.offset), f"{entry.crc:08x}"]
            table.add(*cells)
        table.show()
        total = sum(_size(entry) for _, entry in entries)
        elements = sum(entry.num_elements for _, entry in entries)
        click.echo(f"{count(len(entries), 'tensor')}, {count(elements, 'element')}, {bytes_text(total)}")


def _size(entry: Any) -> int:
    """Return the bytes of a tensor; those of a partitioned one are in its slices."""
    size: int = entry.num_elements * entry.dtype.size if entry.is_sliced else entry.size
    return size


def _as_data(name: str, entry: Any) -> dict[str, Any]:
    return {
        "name": name,
        "dtype": entry.dtype.name,
        "shape": list(entry.shape),
        "bytes": _size(entry),
        "shard": entry.shard,
        "slices": [str(s) for s in entry.slices],
    }
