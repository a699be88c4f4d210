"""`icefloe ckpt ls`."""

from __future__ import annotations

from typing import Any

import click

from icefloe_cli.options import json_option
from icefloe_cli.output import Table, bytes_text, count, emit_json, note, shape_text


@click.command("ls")
@click.argument("checkpoint", type=click.Path())
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@click.option("--regex", is_flag=True, help="PATTERNs are regular expressions, found anywhere in a name.")
@click.option("-l", "--long", "detailed", is_flag=True, help="Show shard, offset and checksum too.")
@click.option(
    "--sort",
    type=click.Choice(["name", "size", "shape"]),
    default="name",
    show_default=True,
    help="Order; largest first.",
)
@click.option(
    "--by-scope",
    "depth",
    type=click.IntRange(1),
    is_flag=False,
    flag_value=1,
    metavar="[DEPTH]",
    help="Totals per scope, of the first DEPTH parts of names (1).",
)
@json_option()
def list_tensors(
    checkpoint: str, patterns: tuple[str, ...], regex: bool, detailed: bool, sort: Any, depth: int | None, as_json: bool
) -> None:
    """List the tensors stored in CHECKPOINT: name, dtype, shape and size.

    PATTERN chooses names, `*` and `?` as in a shell. A checkpoint that TensorFlow 2 saved by objects is listed by
    object path and full name together. CHECKPOINT may be an .npz, .h5, .keras or .safetensors file too.

    \b
    Examples:
      icefloe ckpt ls model.ckpt-30
      icefloe ckpt ls train_dir/ '*/kernel' --sort size
      icefloe ckpt ls model.ckpt-30 --regex 'Adam(_1)?$'
      icefloe ckpt ls model.ckpt-30 --by-scope 2
      icefloe ckpt ls saved_model/ --json
    """
    import icefloe

    listing = icefloe.ckpt.ls(checkpoint, patterns, regex=regex, sort=sort)
    scopes = None if depth is None else icefloe.ckpt.scopes(listing.rows, depth)[1:]
    if as_json:
        data: dict[str, Any] = {"checkpoint": listing.prefix}
        if scopes is None:
            data["tensors"] = [tensor_data(row, listing.object_based) for row in listing.rows]
        else:
            data["scopes"] = [scope_data(scope) for scope in scopes]
        emit_json("ckpt.ls", data | extra(listing))
        return
    if scopes is None:
        _show(listing, detailed)
    else:
        table = Table(["scope", "tensors", "elements", "size"], right=frozenset((1, 2, 3)))
        for scope in scopes:
            table.add(scope.path, str(scope.tensors), f"{scope.elements:,}", bytes_text(scope.bytes))
        table.show()
    click.echo(total_text(listing))
    note_no_match(listing, patterns)
    note_rest(listing)


def note_no_match(listing: Any, patterns: tuple[str, ...]) -> None:
    """Say that nothing is listed because of the patterns."""
    if patterns and not listing.rows:
        note(f"no name matches {' or '.join(patterns)}; without a pattern all are listed")


def total_text(listing: Any) -> str:
    """Return the line under a listing."""
    return f"{count(len(listing.rows), 'tensor')}, {count(listing.elements, 'element')}, {bytes_text(listing.bytes)}"


def note_rest(listing: Any) -> None:
    """Say what else is there that the listing does not show."""
    if listing.also:
        note(f"there is also {listing.also}, which is not read")
    for name, why in list(listing.left_out.items())[:10]:
        note(f"left out: {name}: {why}")
    if len(listing.left_out) > 10:
        note(f"left out: {len(listing.left_out) - 10} more")


def extra(listing: Any) -> dict[str, Any]:
    """Return what is true of few checkpoints only, as JSON holds it."""
    data: dict[str, Any] = {}
    if listing.also:
        data["also"] = listing.also
    if listing.left_out:
        data["left_out"] = listing.left_out
    return data


def slot_text(slot: Any) -> str:
    """Return `m of dense/kernel`."""
    return "" if slot is None else f"{slot.slot} of {slot.owner_name or slot.owner_path}"


def _show(listing: Any, detailed: bool) -> None:
    slots = any(row.slot for row in listing.rows)
    headers = ["name", *(["full name"] if listing.object_based else []), "dtype", "shape", "size"]
    first = len(headers) - 1
    headers += [*(["shard", "offset", "crc32c"] if detailed else []), *(["slot"] if slots else [])]
    table = Table(headers, right=frozenset(range(first, first + 3 if detailed else first + 1)))
    for row in listing.rows:
        shape = shape_text(row.shape) + (f" in {count(len(row.slices), 'slice')}" if row.slices else "")
        cells = [row.name, *([row.full_name] if listing.object_based else []), row.dtype, shape, bytes_text(row.bytes)]
        if detailed:
            has_place = listing.format == "V2" and not row.slices
            cells += ["", "", ""] if not has_place else [str(row.shard), str(row.offset), f"{row.crc:08x}"]
        table.add(*cells, *([slot_text(row.slot)] if slots else []))
    table.show()


def scope_data(scope: Any) -> dict[str, Any]:
    """Return the totals of a scope as JSON holds them."""
    return {"scope": scope.path, "tensors": scope.tensors, "elements": scope.elements, "bytes": scope.bytes}


def tensor_data(row: Any, object_based: bool) -> dict[str, Any]:
    """Return a tensor's row as JSON holds it."""
    data = {
        "name": row.key,
        "dtype": row.dtype,
        "shape": list(row.shape),
        "bytes": row.bytes,
        "shard": row.shard,
        "slices": list(row.slices),
    }
    if object_based:
        data |= {"path": row.name, "full_name": row.full_name or None, "slot": None}
        if row.slot is not None:
            data["slot"] = {
                "name": row.slot.slot,
                "owner": row.slot.owner_key,
                "owner_full_name": row.slot.owner_name,
                "optimizer": row.slot.optimizer,
            }
    return data
