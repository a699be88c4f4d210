"""Some tensors of a checkpoint, as a checkpoint or as an .npz."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.checkpoint import directories, files, single_file
from icefloe.checkpoint.editing import objects
from icefloe.checkpoint.editing.patterns import Patterns
from icefloe.checkpoint.editing.reports import EditReport, Progress
from icefloe.checkpoint.editing.slimming import prune_to
from icefloe.checkpoint.editing.stored import OBJECT_GRAPH, Contents, Tensor, contents_of, windows_of
from icefloe.checkpoint.editing.stream import Plan, copied
from icefloe.checkpoint.editing.targets import target_prefix
from icefloe.checkpoint.opening import open_checkpoint

Path = str | os.PathLike[str]


@dataclass(kw_only=True)
class ExtractReport(EditReport):
    """names: of the tensors that were taken, as they are called in the result.   format: "checkpoint" or "npz"."""

    names: list[str] = field(default_factory=list)
    format: str = "checkpoint"


def extract(
    src: Path,
    dst: Path,
    patterns: Iterable[str] | str,
    *,
    skip: Iterable[str] | str = (),
    verify: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> ExtractReport:
    """Write the tensors of `src` that match one of `patterns`, and none of `skip`, to `dst`: a .npz, or else a
    checkpoint.

    Of an object-based checkpoint the objects are kept that have a tensor that is. An .npz holds plain arrays; types
    that numpy has no name for (bfloat16, float8, int4, quantized) are stored as their bits, with the name of the dtype
    beside them under `NAME!dtype`.

    Raises: NotFoundError for a pattern that matches nothing; InvalidArgumentError for strings in an .npz.
    """
    with open_checkpoint(src) as reader:
        contents = contents_of(reader)
        graph = objects.read_objects(reader)
        full = objects.full_names(graph)
        wanted, passed = Patterns(patterns, full), Patterns(skip, full)
        chosen = {
            name: tensor
            for name, tensor in contents.tensors.items()
            if wanted.matches(name) and not passed.matches(name)
        }
        wanted.check_used(list(contents.tensors))
        if not chosen:
            raise errors.InvalidArgumentError("no tensor is left to extract", path=reader.prefix)
        report = ExtractReport(source=reader.prefix, dry_run=dry_run, names=sorted(chosen))
        path = files.path_of(dst)
        if path.endswith(".npz"):
            report.format = "npz"
            _write_npz(path, chosen, report, progress)
            return report
        plan = Plan(target_prefix("", path, is_bundle=False), [copied(t) for t in chosen.values()], contents.shards)
        if graph is not None and OBJECT_GRAPH not in chosen:
            plan.outputs.append(copied(contents[OBJECT_GRAPH]))
        if graph is not None:
            prune_to(plan, graph, contents)
        plan.order_as(contents)
        _close_gaps(plan, contents)
        plan.carry_out(report, progress, verify=verify)
        return report


def _close_gaps(plan: Plan, contents: Contents) -> None:
    """Number the data files anew without those that would be empty."""
    used = sorted({(p.shard or 0) % contents.shards for o in plan.outputs for p in o.pieces})
    numbers = {old: new for new, old in enumerate(used)}
    plan.shards = len(used)
    plan.outputs = [
        replace(
            o,
            shard=numbers.get(o.shard, 0),
            pieces=tuple(replace(p, shard=numbers[(p.shard or 0) % contents.shards]) for p in o.pieces),
        )
        for o in plan.outputs
    ]


def _write_npz(path: str, chosen: Mapping[str, Tensor], report: ExtractReport, progress: Progress | None) -> None:
    strings = [name for name, tensor in chosen.items() if tensor.dtype.numpy.hasobject]
    if strings:
        raise errors.InvalidArgumentError(
            f"an .npz cannot hold strings: {', '.join(strings[:10])}",
            path=path,
            hint="Leave them out with `skip` (--skip), or extract to a checkpoint.",
        )
    for name in chosen:
        if "\0" in name or not _is_text(name):
            raise errors.InvalidArgumentError(f"an .npz cannot hold an array of the name {name!r}", path=path)
    report.output = path
    report.tensors = len(chosen)
    report.bytes = report.computed = sum(t.stored_bytes for t in chosen.values())
    if report.dry_run:
        return
    done = 0
    with directories.new_directory(os.path.dirname(path)), single_file.new_file(path) as write:
        appending: Any = _Appending(write)
        with zipfile.ZipFile(appending, "w", zipfile.ZIP_STORED) as archive:
            for tensor in chosen.values():
                for size in _npy(archive, tensor):
                    done += size
                    if progress is not None:
                        progress(done, report.bytes)


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:  # the bytes of a key that are no UTF-8
        return False
    return True


class _Appending:
    """What zipfile needs of a file that it writes from beginning to end."""

    def __init__(self, append: Callable[[bytes | memoryview], None]) -> None:
        self._append = append

    def write(self, data: Any) -> int:
        self._append(data)
        return memoryview(data).nbytes

    def flush(self) -> None:
        """Nothing is held back."""


def _npy(archive: zipfile.ZipFile, tensor: Tensor) -> Iterator[int]:
    """Write a tensor as a member of the archive; yield the bytes of each window."""
    from icefloe.checkpoint.formats.npz_writer import put, put_pieces

    dtype = tensor.dtype.numpy
    native = dtype.isbuiltin == 1
    bits = dtype if native else np.dtype(f"u{dtype.itemsize}")
    windows = windows_of(tensor.pieces[0].reader.read(tensor.name)) if tensor.is_sliced else tensor.pieces[0].windows()
    yield from put_pieces(archive, tensor.name, bits, tensor.shape, windows)
    if not native:
        put(archive, f"{tensor.name}!dtype", np.array(tensor.dtype.name.encode()))
