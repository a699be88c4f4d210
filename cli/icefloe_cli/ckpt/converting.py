"""How `icefloe convert` converts checkpoints."""

from __future__ import annotations

from typing import Any

from icefloe_cli.output import byte_progress, bytes_text, count, note


def convert_checkpoint(source: str, destination: str, options: dict[str, Any], *, quiet: bool) -> dict[str, Any]:
    """Convert a checkpoint; print what was done to stderr unless `quiet`, and return it."""
    import icefloe

    with byte_progress("converting") as tell:
        done = icefloe.ckpt.convert(source, destination, **options, progress=tell)
    if not quiet:
        note(f"{done.destination}: {done.format}, {count(done.tensors, 'tensor')}, {bytes_text(done.bytes)}")
        _note_names("in the side entry", done.in_side_entry)
        _note_names("dropped", done.dropped)
        _note_names("kept from the template", done.kept)
        for name, why in done.left_out.items():
            note(f"left out: {name}: {why}")
    return done.as_data()


def _note_names(what: str, names: list[str]) -> None:
    if names:
        note(f"{what}: {', '.join(names[:10])}{f' and {len(names) - 10} more' if len(names) > 10 else ''}")
