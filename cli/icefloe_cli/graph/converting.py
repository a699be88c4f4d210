"""How `icefloe convert` converts graphs."""

from __future__ import annotations

from typing import Any

import click

from icefloe_cli.output import count, note


def convert_graph(source: str, destination: str, options: dict[str, Any], *, quiet: bool) -> dict[str, Any]:
    """Convert a graph; print what was done to stderr unless `quiet`, and return it."""
    import icefloe

    tags = options["tags"]
    try:
        done = icefloe.graphs.convert(
            source,
            destination,
            to=options["to"],
            outputs=_names(options["outputs"]),
            inputs=_names(options["inputs"]),
            tags=None if tags is None else [tag for tag in tags.split(",") if tag],
        )
    except ValueError as error:
        if isinstance(error, icefloe.errors.OpError):
            raise
        raise click.UsageError(str(error)) from None
    if not quiet:
        frozen = f", {count(done.frozen, 'variable')} made constants" if done.frozen else ""
        note(f"{done.destination}: {done.format}, {count(done.nodes, 'node')}{frozen}")
        for title, names in (("inputs", done.inputs), ("outputs", done.outputs)):
            note(f"{title}: {', '.join(k if k == n else f'{k} = {n}' for k, n in names.items()) or 'none'}")
        for what in done.left_out:
            note(f"left out: {what}")
        if done.check is not None:
            note(f"check: {done.check.status}: {done.check.detail}")
    return done.as_data()


def _names(given: tuple[str, ...]) -> dict[str, str] | list[str] | None:
    """Return the names of --fetch or --feed: by key where one has a key, which a bare name then is itself."""
    if not given:
        return None
    if not any("=" in item for item in given):
        return list(given)
    return {key: name or key for key, _, name in (item.partition("=") for item in given)}
