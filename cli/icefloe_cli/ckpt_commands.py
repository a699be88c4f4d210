"""`icefloe ckpt`: the tensors of checkpoints."""

from __future__ import annotations

import fnmatch
import re
from typing import Any

import click

from icefloe_cli.options import json_option
from icefloe_cli.output import Table, bytes_text, count, emit_json, shape_text


@click.group()
def ckpt() -> None:
    """List and print the tensors of checkpoints.

    A checkpoint is given by its prefix, any of its files, its directory or the state file `checkpoint`.
    """


def _chosen(names: list[str], patterns: tuple[str, ...]) -> list[str]:
    return [name for name in names if not patterns or any(fnmatch.fnmatchcase(name, p) for p in patterns)]


@ckpt.command("ls")
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
        entries = [(name, reader.entries[name]) for name in _chosen(list(reader), patterns)]
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


_RANGE = re.compile(r"(-?\d+)?:(-?\d+)?(?::(-?\d+))?")


def _index(text: str | None) -> tuple[Any, ...] | None:
    """Return a numpy index for a text such as `0:2,:,3`. Raises: click.BadParameter."""
    if text is None:
        return None
    index: list[Any] = []
    for part in text.strip("[]").split(","):
        part = part.strip()
        found = _RANGE.fullmatch(part)
        if part == "...":
            index.append(...)
        elif re.fullmatch(r"-?\d+", part):
            index.append(int(part))
        elif found:
            index.append(slice(*(None if n is None else int(n) for n in found.groups())))
        else:
            raise click.BadParameter(f"expected an index such as 0:2,:,3, got {text!r}", param_hint="--slice")
    return tuple(index)


@ckpt.command("cat")
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

    index = _index(chosen)
    with icefloe.open_checkpoint(checkpoint) as reader:
        everything = list(reader)
        wanted: list[str] = []
        for name in names or ("*",):
            matching = [name] if name in reader else _chosen(everything, (name,))
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
