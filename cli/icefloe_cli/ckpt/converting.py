"""How `icefloe convert` converts checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from icefloe_cli.output import byte_progress, bytes_text, count, note

_SHOWN = 40  # changes of layout, unless --json


def convert_checkpoint(source: str, destination: str, options: dict[str, Any], *, quiet: bool) -> dict[str, Any]:
    """Convert a checkpoint; print what was done to stderr unless `quiet`, and return it."""
    import icefloe

    if options["layout_rules"] and options["layout"] != "torch":
        raise click.UsageError("--layout-rule is for --layout torch.")
    options["rules"], options["mapping"] = _names(options.pop("maps"))
    with byte_progress("converting") as tell:
        done = icefloe.ckpt.convert(source, destination, **options, progress=tell)
    if not quiet:
        note(f"{done.destination}: {done.format}, {count(done.tensors, 'tensor')}, {bytes_text(done.bytes)}")
        _note_names("in the side entry", done.in_side_entry)
        _note_names("dropped", done.dropped)
        _note_names("kept from the template", done.kept)
        for name, why in done.left_out.items():
            note(f"left out: {name}: {why}")
        _note_layouts(done)
    if done.unmatched:
        _note_names("no tensor matches", done.unmatched)
    return done.as_data()


def _names(maps: tuple[str, ...]) -> tuple[list[str], str | None]:
    """Return the rules and the file among the values of --map. Raises: UsageError for a second file."""
    rules = [
        text
        for text in maps
        if len(text) > 3 and text[0] == "s" and text.count(text[1]) > 2 and not Path(text).is_file()
    ]
    tables = [text for text in maps if text not in rules]
    if len(tables) > 1:
        raise click.UsageError(f"--map: two files, {tables[0]} and {tables[1]}.")
    return rules, tables[0] if tables else None


def _note_layouts(done: Any) -> None:
    changes = [f"{n}: {c.kind} {c.before} -> {c.after} ({c.why})" for n, c in done.layouts.items()]
    kept = [f"{name}: {why}" for name, why in done.layout_kept.items()]
    for title, lines in (("axes moved", changes), ("axes as they were", kept)):
        if lines:
            note(f"{title} ({len(lines)}):")
        for line in lines[:_SHOWN]:
            note(f"  {line}")
        if len(lines) > _SHOWN:
            note(f"  … and {len(lines) - _SHOWN} more (--json lists all)")


def _note_names(what: str, names: list[str]) -> None:
    if names:
        note(f"{what}: {', '.join(names[:10])}{f' and {len(names) - 10} more' if len(names) > 10 else ''}")
