"""`icefloe ckpt tree`."""

from __future__ import annotations

from typing import Any

import click

from icefloe_cli.ckpt.ls import extra, note_no_match, note_rest, scope_data, tensor_data, total_text
from icefloe_cli.options import json_option
from icefloe_cli.output import bytes_text, count, emit_json, say, shape_text


@click.command("tree")
@click.argument("checkpoint", type=click.Path())
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@click.option("--regex", is_flag=True, help="PATTERNs are regular expressions, found anywhere in a name.")
@click.option("--depth", type=click.IntRange(0), help="How many parts of names to show; deeper ones are summed up.")
@json_option()
def show_tree(checkpoint: str, patterns: tuple[str, ...], regex: bool, depth: int | None, as_json: bool) -> None:
    """Show the tensors of CHECKPOINT as a tree of scopes, with the number, elements and size of what is in each.

    \b
    Examples:
      icefloe ckpt tree model.ckpt-30
      icefloe ckpt tree model.ckpt-30 --depth 1
      icefloe ckpt tree model.ckpt-30 'encoder/*' --json
    """
    import icefloe

    listing, scopes = icefloe.ckpt.tree(checkpoint, patterns, regex=regex, depth=depth)
    if as_json:
        data = {
            "checkpoint": listing.prefix,
            "scopes": [{**scope_data(scope), "depth": scope.depth} for scope in scopes],
            "tensors": [tensor_data(row, listing.object_based) for row in listing.rows] if depth is None else [],
        }
        emit_json("ckpt.tree", data | extra(listing))
        return
    click.echo(listing.prefix)
    for line in _lines(scopes, depth):
        say(line)
    click.echo(total_text(listing))
    note_no_match(listing, patterns)
    note_rest(listing)


def _lines(scopes: list[Any], depth: int | None) -> list[str]:
    """Return the lines of the tree: of each scope its totals, then, without a depth, its tensors."""
    children: dict[str, list[Any]] = {}
    for scope in scopes[1:]:
        parent = scope.path.rpartition("/")[0] if scope.depth > 1 else ""
        children.setdefault(parent, []).append(scope)
    lines: list[str] = []
    waiting: list[tuple[str, bool, Any]] = [("", True, scopes[0])]
    while waiting:  # no recursion: a name may have thousands of parts
        indent, last, node = waiting.pop()
        is_scope = hasattr(node, "tensors")
        inner = indent
        if not (is_scope and node.depth == 0):
            name = (node.path if is_scope else node.name).rpartition("/")[2] or "/"
            lines.append(f"{indent}{'└─ ' if last else '├─ '}{name}  {_about(node, is_scope)}")
            inner = indent + ("   " if last else "│  ")
        if is_scope:
            rows = node.rows if depth is None or node.depth < depth else []
            below = [*children.get(node.path, []), *rows]
            waiting += [(inner, i == len(below) - 1, item) for i, item in reversed(list(enumerate(below)))]
    return lines


def _about(node: Any, is_scope: bool) -> str:
    if is_scope:
        return f"{count(node.tensors, 'tensor')}, {count(node.elements, 'element')}, {bytes_text(node.bytes)}"
    name = f"  {node.full_name}" if node.full_name and node.full_name != node.name else ""
    return f"{node.dtype} {shape_text(node.shape)} {bytes_text(node.bytes)}{name}"
