"""Groups of commands whose modules are imported when one of them is called."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

# Command -> module, attribute in it, and its line in the group's help.
Rows = Mapping[str, tuple[str, str, str]]


class TableGroup(click.Group):
    """A group whose commands are the rows of a table.

    rows: command -> (module below `package`, attribute, line of help). A mistyped command is answered with the nearest.
    """

    def __init__(self, *args: Any, rows: Rows, package: str = "icefloe_cli", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._rows = rows
        self._package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._rows:
            return None
        module, attribute, _ = self._rows[cmd_name]
        return getattr(importlib.import_module(f"{self._package}.{module}"), attribute)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in self._rows.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self._rows and not args[0].startswith("-"):
            import difflib

            near = self._below(ctx, args[0]) or difflib.get_close_matches(args[0], self._rows, 1)
            hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def _below(self, ctx: click.Context, name: str) -> list[str]:
        """Return the commands of this name in the groups of this one, with the group's name before theirs."""
        groups = [(group, self.get_command(ctx, group)) for group in self._rows]
        return [f"{group} {name}" for group, found in groups if isinstance(found, TableGroup) and name in found._rows]
