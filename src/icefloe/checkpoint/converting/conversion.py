"""Converting checkpoints between formats, one piece of a tensor at a time.

What the target format cannot say goes into a side entry (`side_entry`), so that converting back gives the same bits,
names, dtypes, strings, partitions and object graph.
"""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from icefloe import errors
from icefloe.checkpoint import directories, files, names
from icefloe.checkpoint.converting import choice
from icefloe.checkpoint.converting.choice import Options
from icefloe.checkpoint.converting.layout_choice import LayoutRules
from icefloe.checkpoint.converting.report import Conversion
from icefloe.checkpoint.converting.transcription import Transcription
from icefloe.checkpoint.editing.rules import Rule
from icefloe.checkpoint.opening import open_checkpoint

Path = str | os.PathLike[str]
Format = Literal["v2", "v1", "npz", "h5", "safetensors"]
FORMATS: tuple[str, ...] = ("v2", "v1", "npz", "h5", "safetensors")
_SUFFIXES = {".npz": "npz", ".h5": "h5", ".hdf5": "h5", ".safetensors": "safetensors", ".index": "v2"}
_OTHER_SUFFIXES = (".keras", ".pt", ".pth", ".onnx", ".tflite", ".pb", ".pbtxt", ".meta", ".npy", ".zip", ".pkl")


def format_of(destination: Path, to: str | None = None) -> str:
    """Return the format to write: `to`, or what the suffix says, V2 without one.

    Raises: InvalidArgumentError for a suffix or name of another format.
    """
    text = os.fsdecode(destination)
    if to is not None:
        if not isinstance(to, str) or to.lower() not in FORMATS:
            raise errors.InvalidArgumentError(f"no format {to!r}: expected one of {', '.join(FORMATS)}")
        return to.lower()
    lower = text.lower()
    for suffix, found in _SUFFIXES.items():
        if lower.endswith(suffix):
            return found
    for suffix in _OTHER_SUFFIXES:
        if lower.endswith(suffix):
            raise errors.InvalidArgumentError(
                f"a checkpoint cannot be converted to a {suffix} file",
                path=text,
                hint=f"Formats are {', '.join(FORMATS)}; say which to write to any name whatever.",
            )
    return "v2"


def convert(
    source: Path,
    destination: Path,
    *,
    to: Format | None = None,
    strings: Literal["side", "array", "drop", "refuse"] | None = None,
    plain: bool = False,
    naming: Literal["key", "full", "path"] = "key",
    template: Path | None = None,
    rules: Iterable[Rule] = (),
    mapping: Mapping[str, str] | Path | None = None,
    drop_optimizer: bool = False,
    layout: Literal["torch", "stored"] | None = None,
    layout_rules: LayoutRules = (),
    progress: Callable[[int, int], None] | None = None,
    dask: Any = None,
) -> Conversion:
    """Write the checkpoint `source`, of any format, in another format, and say what was done. A former `destination`
    stays until the new one is complete.

    to: the format; without it the suffix of `destination` says: `.npz`, `.h5`, `.safetensors`, else a V2 checkpoint.
    strings: where tensors of strings go, of which array files hold few: "side", the side entry (the default); "array",
        an array of bytes of the format itself; "drop"; "refuse". V2 and V1 hold them as they are.
    plain: write no side entry. Strings are then refused unless `strings` says otherwise, and the file does not convert
        back to the same bits where the format lacks a dtype or name.
    naming: "key", names as they are; "full", the full names of variables of a checkpoint saved by objects, which a
        program that restores by name asks for; "path", its object paths. The last two leave the object graph out.
    template: of an .h5 to write, a Keras file whose layout to take: a copy of it with the weights of `source`, by name.
    rules, mapping: other names, as `rename` takes them; they apply to what `naming` gives. drop_optimizer: leave out
        slots, other state of optimizers, and the step, as `slim` tells them. Both leave an object graph out.
    layout: "torch", kernels with their axes in PyTorch's order (see `layouts`), which ones `layout_choice` tells by
        layout_rules, the ops of a `.meta` beside the checkpoint, and names; no gates of recurrent cells are reordered,
        and no rows of a dense layer behind a flattened image. The side entry notes it, and the original names:
        converting such a file to a checkpoint gives both back, unless layout is "stored" or there are rules of names.
    layout_rules: `PATTERN=KIND` or pairs, the first that matches counts: kinds as `layouts.NAMES`.
    progress: called with (bytes done, bytes in all).
    dask: a scheduler whose workers do it, "threads", "processes", or the address of a cluster. A V2 checkpoint is
        written in parts and has a data file for each; a file of arrays is written by a single worker.

    Memory: a few MB more than the largest tensor, and where both formats allow it less than one.

    Raises: InvalidArgumentError if the format cannot hold a tensor; as `open_checkpoint`.
    """
    kind = format_of(destination, to)
    given = choice.options(
        strings=strings, plain=plain, naming=naming, template=template, rules=rules, mapping=mapping,
        drop_optimizer=drop_optimizer, layout=layout, layout_rules=layout_rules,
    )  # fmt: skip
    if dask is not None:
        return _convert_in_workers(dask, source, _target(destination, kind), kind, progress, given)
    return _convert(source, destination, kind, given, progress)


def _convert_in_workers(
    dask: Any,
    source: Path,
    target: str,
    kind: str,
    progress: Callable[[int, int], None] | None,
    given: Options,
) -> Conversion:
    from icefloe.checkpoint.distributed import parts, scheduling

    with open_checkpoint(source) as reader:
        place = scheduling.absolute(reader.prefix)
        total = sum(e.num_elements * e.dtype.size for e in reader.entries.values())
        tensors = len(reader.entries)
    target = scheduling.absolute(target)
    if given.template is not None:
        given = dataclasses.replace(given, template=scheduling.absolute(given.template))
    bytes_done = [0]

    def done(_: int, part: Conversion) -> None:
        bytes_done[0] += part.bytes
        if progress is not None:
            progress(bytes_done[0], total)

    with scheduling.cluster(dask) as workers:
        if kind != "v2":
            found: Conversion = workers.run([functools.partial(_convert, place, target, kind, given)], done)[0]
            return found
        count = max(min(workers.workers, tensors), 1)
        with parts.parts(target, count) as made:
            tasks = [
                functools.partial(_convert, place, prefix, kind, given, part=(i, count))
                for i, prefix in enumerate(made.prefixes)
            ]
            reports = workers.run(tasks, done)
    first: Conversion = reports[0]
    first.destination = target
    first.tensors, first.bytes = sum(r.tensors for r in reports), bytes_done[0]
    return first


def _convert(
    source: Path,
    destination: Path,
    kind: str,
    given: Options,
    progress: Callable[[int, int], None] | None = None,
    part: tuple[int, int] | None = None,
) -> Conversion:
    target = _target(destination, kind)
    if given.template is not None and kind != "h5":
        raise errors.InvalidArgumentError("a template is for an .h5 file", path=target)
    with open_checkpoint(source) as reader:
        done = Conversion(
            reader.prefix, target, reader.format, "V2" if kind == "v2" else "V1" if kind == "v1" else kind
        )
        done.left_out = dict(reader.left_out)
        if given.template is not None:
            with directories.new_directory(os.path.dirname(target)):
                Transcription(reader, done, progress).write_like(given.template)
            return done
        chosen = choice.choose(reader, given, kind, done, part)
        work = Transcription(reader, done, progress, chosen)
        if kind == "v2":
            work.write_bundle()
            return done
        with directories.new_directory(os.path.dirname(target)):
            if kind == "v1":
                work.write_v1()
            else:
                work.write_arrays(kind, given.strings or ("refuse" if given.plain else "side"), given.plain)
    return done


def _target(destination: Path, kind: str) -> str:
    text = files.path_of(destination)
    part = names.parse(text)
    if kind == "v2" and part is not None and part.kind in ("index", "data"):
        text = part.prefix
    if not text:
        raise errors.InvalidArgumentError("the path of the destination is empty")
    base = os.path.basename(text)
    if not base or (files.is_directory(text) and kind != "v2"):
        raise errors.InvalidArgumentError(f"{text!r} is a directory; give the name of what to write in it")
    if base == "checkpoint":
        raise errors.InvalidArgumentError(f"{text!r} is the name of the state file; give another")
    return text
