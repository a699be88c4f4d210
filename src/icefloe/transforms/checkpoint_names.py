"""Renaming in a checkpoint and, where that is asked for, in the `.meta` beside it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from icefloe import errors
from icefloe.checkpoint import files, names, single_file
from icefloe.checkpoint.editing.renaming import RenameReport, names_from, rename_tensors
from icefloe.checkpoint.editing.reports import Progress
from icefloe.checkpoint.editing.rules import Names, Rule, rule_list
from icefloe.checkpoint.opening import open_checkpoint

if TYPE_CHECKING:
    from icefloe.transforms.meta_names import NodeNames

Path = str | os.PathLike[str]
_MAX_BYTES = (1 << 31) - 1


def rename(
    src: Path,
    dst: Path | None = None,
    rules: Iterable[Rule] = (),
    *,
    mapping: Mapping[str, str] | Path | None = None,
    prefix: str = "",
    strip_prefix: str = "",
    meta: bool = False,
    strip_devices: bool = False,
    verify: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> RenameReport:
    """Write the checkpoint `src` with other names under `dst`, or in its own place; the data are copied.

    rules: each `s/PATTERN/REPLACEMENT/FLAGS` as in sed, PATTERN in Python's syntax, flags g and i; or a pair (regular
    expression, replacement for every match). mapping: old -> new names, or a .json, .csv or .tsv file of them; applied
    first, and alone to the names that it has. strip_prefix is taken off before the rules, prefix put before after them.

    The slices of a partitioned tensor go with it. In an object-based checkpoint rules are applied to the paths,
    `/.ATTRIBUTES/...` stays; children of objects and full names are renamed alike, slots go with their variables.

    meta: rename in the `.meta` of `src` too and write it beside the result: the nodes of variables follow their
    tensors, all others go through the same rules (a map is about tensors alone); inputs, collections, VariableDefs,
    the SaverDef, signatures and the names that Savers hold follow. strip_devices: leave out the devices of its nodes.
    verify: check the sums of what is copied.

    Checkpoint and `.meta` are two files: the second is replaced after the first.

    Raises: InvalidArgumentError if two tensors would have one name, with all of them, or no rule is given;
    NotFoundError if there is no `.meta`; what the file system says.
    """
    rules = rule_list(rules)
    new_names = names_from(rules, mapping, prefix, strip_prefix)
    if not meta:
        return rename_tensors(src, dst, new_names, verify=verify, dry_run=dry_run, progress=progress)
    planned = rename_tensors(src, dst, new_names, dry_run=True)
    data, nodes = _new_meta(planned, names_from(rules, mapping, prefix, strip_prefix), strip_devices)
    path = names.meta_file(planned.output)
    if dry_run:
        report = planned
    else:
        files.make_directory(os.path.dirname(path))
        with single_file.new_file(path) as write:
            write(data)
            report = rename_tensors(src, dst, new_names, verify=verify, progress=progress)
    report.meta, report.renamed_nodes, report.kept_nodes = path, dict(sorted(nodes.nodes.items())), nodes.kept
    return report


def _new_meta(report: RenameReport, new_names: Names, strip_devices: bool) -> tuple[bytes, NodeNames]:
    """Return the bytes of the `.meta` with new names, and those of its nodes."""
    from google.protobuf import text_format

    from icefloe.graph.sniff import META_GRAPH_DEF_TEXT, kind_of
    from icefloe.proto import POOL
    from icefloe.saver.meta_files import parse_meta_graph
    from icefloe.transforms.meta_names import new_node_names, rename_nodes

    shards = names.parse_v1_shard(report.source)
    path = names.meta_file(report.source if shards is None else shards[0])
    if not files.is_file(path):
        raise errors.NotFoundError(f"{path}; No such file", hint="Without `meta` the checkpoint alone is renamed.")
    source = files.Source(path)
    try:
        raw = source.read(0, source.size)
    finally:
        source.close()
    try:
        meta = parse_meta_graph(raw)
    except errors.OpError as e:
        raise e.add_context(path=path) from None
    with open_checkpoint(report.source) as reader:
        tensors = list(reader.entries)
    known = set(tensors)
    found = new_node_names(
        [node.name for node in meta.graph_def.node],
        tensors,
        lambda name: new_names.of(name) if name in known or not new_names.is_map_only else name,
    )
    rename_nodes(meta, found, new_names.of, strip_devices=strip_devices)
    if meta.ByteSize() > _MAX_BYTES:
        raise errors.InvalidArgumentError("the graph is larger than 2 GiB under its new names", path=path)
    if kind_of(raw) == META_GRAPH_DEF_TEXT:
        data = text_format.MessageToString(meta, descriptor_pool=POOL).encode()
    else:
        data = meta.SerializeToString(deterministic=True)
    return data, found
