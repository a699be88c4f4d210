"""Tensors under new names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from icefloe import errors
from icefloe.checkpoint.arguments import as_mapping
from icefloe.checkpoint.editing import objects
from icefloe.checkpoint.editing.reports import EditReport, Progress
from icefloe.checkpoint.editing.rules import Names, Rule, read_map
from icefloe.checkpoint.editing.stored import OBJECT_GRAPH, Contents, contents_of
from icefloe.checkpoint.editing.stream import Plan, copied
from icefloe.checkpoint.editing.targets import target_prefix
from icefloe.checkpoint.opening import open_checkpoint
from icefloe.checkpoint.reader import BundleReader
from icefloe.near_names import near_names
from icefloe.proto import TrackableObjectGraph

_SUGGESTED = 10

Path = str | os.PathLike[str]


@dataclass(kw_only=True)
class RenameReport(EditReport):
    """renamed: old name -> new name.   unmatched: keys of the map that are no tensor's name, and for the first of them
    in suggestions names that may be meant.   full_names: full names of variables in the object graph, old -> new.
    meta: the .meta that was written; renamed_nodes: in it, old name -> new name; kept_nodes: nodes that keep their
    names because the new ones are taken.
    """

    renamed: dict[str, str] = field(default_factory=dict)
    unmatched: list[str] = field(default_factory=list)
    suggestions: dict[str, list[str]] = field(default_factory=dict)
    full_names: dict[str, str] = field(default_factory=dict)
    meta: str | None = None
    renamed_nodes: dict[str, str] = field(default_factory=dict)
    kept_nodes: list[str] = field(default_factory=list)


def names_from(
    rules: Iterable[Rule], mapping: Mapping[str, str] | Path | None, prefix: str, strip_prefix: str
) -> Names:
    """Return the function of names that the arguments of `rename` describe. Raises: InvalidArgumentError, and as
    `read_map`.
    """
    table = read_map(mapping) if isinstance(mapping, (str, bytes, os.PathLike)) else mapping
    if table is not None:
        table = as_mapping(table, "of names, or a file")
    names = Names(rules, table, prefix, strip_prefix)
    if names.is_empty:
        raise errors.InvalidArgumentError(
            "there is no rule to rename by", hint="Give s/old/new/, a map, a prefix to add or one to take off."
        )
    return names


def rename_tensors(
    src: Path,
    dst: Path | None,
    names: Names,
    *,
    verify: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> RenameReport:
    """Write the checkpoint `src` with the names that `names` gives under `dst`, or in its own place.

    The slices of a partitioned tensor go with it. In an object-based checkpoint children of objects and full names
    are renamed alike.

    Raises: InvalidArgumentError if two tensors would have one name, with all of them.
    """
    with open_checkpoint(src) as reader:
        contents = contents_of(reader)
        report = RenameReport(source=reader.prefix, dry_run=dry_run)
        target = target_prefix(reader.prefix, dst, is_bundle=isinstance(reader, BundleReader))
        graph = objects.read_objects(reader)
        new = {name: name if name == OBJECT_GRAPH else names.of(name) for name in contents.tensors}
        _check_collisions(new)
        plan = Plan(target, [copied(t, new[t.name]) for t in contents.tensors.values()], contents.shards)
        report.renamed = {old: name for old, name in sorted(new.items()) if name != old}
        if graph is not None:
            _rename_graph(graph, names, contents, plan, report)
        plan.order_as(contents)
        report.unmatched = names.unmatched
        for name in report.unmatched[:_SUGGESTED]:
            near = near_names(name, contents.tensors)
            if near:
                report.suggestions[name] = near
        plan.carry_out(report, progress, verify=verify)
        return report


def _check_collisions(new: Mapping[str, str]) -> None:
    sources: dict[str, list[str]] = {}
    for old, name in new.items():
        sources.setdefault(name, []).append(old)
    clashes = [f"{name!r} from {' and '.join(map(repr, olds))}" for name, olds in sources.items() if len(olds) > 1]
    if clashes:
        more = f" and {len(clashes) - 20} more" if len(clashes) > 20 else ""
        raise errors.InvalidArgumentError(f"tensors would have the same name: {'; '.join(clashes[:20])}{more}")


def _rename_graph(
    graph: TrackableObjectGraph, names: Names, contents: Contents, plan: Plan, report: RenameReport
) -> None:
    full: dict[str, str] = {}

    def new_name(old: str) -> str:
        found = names.of(old)
        if found != old:
            full[old] = found
        return found

    objects.rename_objects(graph, names.of, new_name)
    report.full_names = dict(sorted(full.items()))
    if report.renamed or full:
        number = next(i for i, o in enumerate(plan.outputs) if o.name == OBJECT_GRAPH)
        plan.outputs[number] = objects.as_output(graph, contents[OBJECT_GRAPH].pieces[0].entry.shard)
