"""One checkpoint with the tensors of several, each below a scope of its own where one is given."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from icefloe import errors
from icefloe.checkpoint.arguments import as_list, as_whole
from icefloe.checkpoint.editing import objects
from icefloe.checkpoint.editing.reports import EditReport, Progress
from icefloe.checkpoint.editing.stored import OBJECT_GRAPH, contents_of
from icefloe.checkpoint.editing.stream import Output, Plan, copied
from icefloe.checkpoint.editing.targets import target_prefix
from icefloe.checkpoint.opening import open_checkpoint
from icefloe.proto import TrackableObjectGraph

Path = str | os.PathLike[str]
Source = Path | tuple[Path, str]


@dataclass(kw_only=True)
class MergeReport(EditReport):
    """sources: prefix -> scope.   names: name in the result -> (prefix, name there).   dropped: names that several
    have, with the prefixes whose tensor was not taken.
    """

    sources: list[tuple[str, str]] = field(default_factory=list)
    names: dict[str, tuple[str, str]] = field(default_factory=dict)
    dropped: dict[str, list[str]] = field(default_factory=dict)


def merge(
    dst: Path,
    sources: Sequence[Source],
    *,
    prefer: Literal["first", "last"] | None = None,
    shards: int | None = None,
    verify: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> MergeReport:
    """Write under `dst` the tensors of all `sources`, each a path or a pair (path, scope): `scope/` then stands before
    its names.

    prefer: whose tensor to take where several have a name, which else is an error. shards: number of data files, by
    default that of the source with the most. Object graphs are joined: the objects of a source are those of the root,
    or of the child that the scope names.

    Raises: InvalidArgumentError if names collide, with all that do.
    """
    if prefer not in (None, "first", "last"):
        raise errors.InvalidArgumentError(f"prefer: expected 'first' or 'last', got {prefer!r}")
    pairs = [_source(source) for source in as_list(sources, "sources")]
    shards = None if shards is None else as_whole(shards, "shards")
    if not pairs:
        raise errors.InvalidArgumentError("merge: there is no checkpoint to merge")
    with contextlib.ExitStack() as stack:
        report = MergeReport(dry_run=dry_run)
        found: dict[str, list[tuple[Output, str, str]]] = {}
        graph: TrackableObjectGraph | None = None
        most = 1
        for path, scope in pairs:
            scope = scope.strip("/")
            reader = stack.enter_context(open_checkpoint(path))
            contents = contents_of(reader)
            most = max(most, contents.shards)
            report.sources.append((reader.prefix, scope))
            found_graph = objects.read_objects(reader)
            for name, tensor in contents.tensors.items():
                if found_graph is not None and name == OBJECT_GRAPH:
                    continue
                new = _below(scope, name, is_object=found_graph is not None)
                found.setdefault(new, []).append((copied(tensor, new), reader.prefix, name))
            if found_graph is not None:
                graph = _graft(graph, found_graph, scope, prefer)
        report.source = report.sources[0][0]
        plan = Plan(target_prefix("", dst, is_bundle=False), [], most if shards is None else shards)
        _choose(found, prefer, plan, report)
        if graph is not None:
            objects.prune_objects(graph, report.names.__contains__)
            plan.outputs.append(objects.as_output(graph))
        else:
            plan.outputs.sort(key=lambda output: output.name)
        if shards is not None:
            plan.outputs = [
                replace(o, shard=0, pieces=tuple(replace(p, shard=None) for p in o.pieces)) for o in plan.outputs
            ]
        plan.carry_out(report, progress, verify=verify)
        return report


def _source(given: Source) -> tuple[Path, str]:
    """Return a source as path and scope. Raises: TypeError if it is neither a path nor such a pair."""
    if not isinstance(given, tuple):
        return given, ""
    if len(given) != 2 or not isinstance(given[1], str):
        raise TypeError(f"sources: expected a path or a pair (path, scope), got {given!r}")
    return given


def _below(scope: str, name: str, *, is_object: bool) -> str:
    if not scope:
        return name
    if not is_object or "/.ATTRIBUTES/" not in name:
        return f"{scope}/{name}"
    # An optimizer's path stands in the middle of a slot's key, and moves below the scope too.
    escaped = "/".join(part.replace(".", "..") for part in scope.split("/"))
    return f"{escaped}/{name}".replace("/.OPTIMIZER_SLOT/", f"/.OPTIMIZER_SLOT/{escaped}/")


def _graft(
    graph: TrackableObjectGraph | None, found: TrackableObjectGraph, scope: str, prefer: str | None
) -> TrackableObjectGraph:
    into = TrackableObjectGraph() if graph is None else graph
    objects.graft(into, found, scope, lambda key: _below(scope, key, is_object=True), prefer)
    return into


def _choose(
    found: dict[str, list[tuple[Output, str, str]]], prefer: str | None, plan: Plan, report: MergeReport
) -> None:
    clashes = [name for name, choices in found.items() if len(choices) > 1]
    if clashes and prefer is None:
        listed = "; ".join(f"{n} in {' and '.join(c[1] for c in found[n])}" for n in clashes[:10])
        raise errors.InvalidArgumentError(
            f"{len(clashes)} names are in several checkpoints: {listed}{'; …' if len(clashes) > 10 else ''}",
            hint="Give scopes, or say whose tensors to take with `prefer`.",
        )
    for name, choices in found.items():
        number = len(choices) - 1 if prefer == "last" else 0
        output, prefix, old = choices[number]
        plan.outputs.append(output)
        report.names[name] = (prefix, old)
        if len(choices) > 1:
            report.dropped[name] = [c[1] for i, c in enumerate(choices) if i != number]
