"""What a conversion writes: which tensors, under which names, in which layout."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from icefloe import errors
from icefloe.checkpoint import files, names, object_graph
from icefloe.checkpoint.arguments import as_mapping
from icefloe.checkpoint.converting import layout_choice
from icefloe.checkpoint.converting.layouts import Original, Reordering
from icefloe.checkpoint.converting.report import Conversion, LayoutChange
from icefloe.checkpoint.distributed.scheduling import shares
from icefloe.checkpoint.editing import objects
from icefloe.checkpoint.editing.rules import Names, Rule, read_map, rule_list
from icefloe.checkpoint.editing.slots import SLOT, STATE, STEP, Training, find_training
from icefloe.checkpoint.editing.stored import Tensor
from icefloe.checkpoint.formats.array_reader import ArrayReader
from icefloe.checkpoint.reader import BundleReader
from icefloe.checkpoint.reading import CheckpointReader


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What may be said of a conversion; see `conversion.convert`. All are plain data, so that
    other processes can be told.
    """

    strings: str | None = None
    plain: bool = False
    naming: str = "key"
    template: str | None = None
    rules: tuple[Rule, ...] = ()
    mapping: dict[str, str] | None = None
    drop_optimizer: bool = False
    layout: str | None = None
    layout_rules: tuple[tuple[str, str], ...] = ()

    def new_names(self) -> Names:
        """Return the function of names. Raises: InvalidArgumentError for a rule that is none."""
        return Names(self.rules, self.mapping)

    @property
    def edits(self) -> bool:
        """Whether tensors get other names or are left out, so that an object graph would not fit."""
        return bool(self.rules or self.mapping or self.drop_optimizer)


def options(
    *,
    strings: Any,
    plain: bool,
    naming: Any,
    template: Any,
    rules: Any,
    mapping: Mapping[str, str] | str | os.PathLike[str] | None,
    drop_optimizer: bool,
    layout: Any,
    layout_rules: layout_choice.LayoutRules,
) -> Options:
    """Return options that were checked. Raises: InvalidArgumentError, TypeError, and as `read_map`."""
    for what, given, allowed in (
        ("strings", strings, (None, "side", "array", "drop", "refuse")),
        ("naming", naming, ("key", "full", "path")),
        ("layout", layout, (None, "torch", "stored")),
    ):
        if not (given is None or isinstance(given, str)) or given not in allowed:
            choices = ", ".join(repr(one) for one in allowed if one is not None)
            raise errors.InvalidArgumentError(f"{what}: expected one of {choices}, got {given!r}")
    if isinstance(mapping, (str, bytes, os.PathLike)):
        mapping = read_map(mapping)
    if mapping is not None:
        mapping = as_mapping(mapping, "of names, or a file")
    parsed = tuple(layout_choice.parse_rules(layout_rules))
    if parsed and layout != "torch":
        raise errors.InvalidArgumentError("rules of layouts are for layout='torch'")
    found = Options(
        strings=strings, plain=plain, naming=naming, template=None if template is None else files.path_of(template),
        rules=tuple(rule_list(rules)), mapping=None if mapping is None else dict(mapping),
        drop_optimizer=drop_optimizer, layout=layout, layout_rules=parsed,
    )  # fmt: skip
    found.new_names()
    if found.template is not None and (found.edits or layout is not None):
        raise errors.InvalidArgumentError(
            "a template says names and layouts itself", hint="Give no rules of names, no layout beside it."
        )
    return found


@dataclass(slots=True)
class Chosen:
    """named: name to write -> key, in the order in which to write. reordered: key -> its change of layout. originals:
    name to write -> what the tensor was, for the side entry.
    """

    named: dict[str, str]
    reordered: dict[str, Reordering] = field(default_factory=dict)
    originals: dict[str, Original] = field(default_factory=dict)


def choose(
    reader: CheckpointReader, given: Options, kind: str, done: Conversion, part: tuple[int, int] | None = None
) -> Chosen:
    """Return what to write in the format `kind`, and tell the report. part: number of a share of the tensors, of how
    many.

    Raises: InvalidArgumentError if two tensors would have one name, or a layout is asked of a format without a side
    entry to note it.
    """
    is_bundle = kind in ("v2", "v1")
    if given.layout == "torch" and is_bundle:
        raise errors.InvalidArgumentError(
            "a checkpoint of TensorFlow's format has TensorFlow's layout",
            hint="Write .safetensors, .npz or .h5 for other libraries.",
        )
    keys = _in_order(reader)
    labels = _labels(reader)
    training = _training(reader, labels) if given.drop_optimizer or given.layout == "torch" else None
    if given.drop_optimizer and training is not None:
        unwanted = {key for key, why in training.reasons.items() if why in (SLOT, STATE, STEP)}
        done.dropped += [key for key in keys if key in unwanted]
        keys = [key for key in keys if key not in unwanted]
    if object_graph.KEY in keys and (given.naming != "key" or given.edits):
        done.dropped.append(object_graph.KEY)
        keys.remove(object_graph.KEY)
    chosen = Chosen({})
    if given.layout == "torch" and training is not None:
        _to_torch(reader, keys, labels, training, given, chosen, done)
    former = reader.originals if isinstance(reader, ArrayReader) and given.layout != "stored" else {}
    before = _names_before(reader, keys, given)
    for name, key in _named(keys, before, given, former if is_bundle else {}, done).items():
        chosen.named[name] = key
        original = former.get(key)
        if original is None or not is_bundle:
            kept = _original(reader.entries[key].shape, before[key], name, original, chosen.reordered.get(key))
            if kept is not None:
                chosen.originals[name] = kept
        elif original.layout:
            chosen.reordered[key] = Reordering(original.layout, original.shape, back=True)
    for key, change in chosen.reordered.items():
        if change.back:
            stored = list(reader.entries[key].shape)
            done.layouts[key] = LayoutChange(change.kind, stored, list(change.result), "the side entry")
    if part is not None:
        names_in_order = list(chosen.named)
        entries = [reader.entries[key] for key in chosen.named.values()]
        mine = shares([e.num_elements * e.dtype.size for e in entries], part[1])[part[0]]
        chosen.named = {names_in_order[i]: chosen.named[names_in_order[i]] for i in mine}
    return chosen


def _in_order(reader: CheckpointReader) -> list[str]:
    """Return the keys in the order of their bytes, so that a disk is read from front to back."""
    if not isinstance(reader, BundleReader):
        return list(reader.entries)
    places: dict[str, tuple[int, int, int]] = {}
    for name, _, entry in reader.index.stored_slices():
        place = (entry.shard, entry.offset, entry.size)
        places[name] = min(place, places.get(name, place))
    for name, entry in reader.entries.items():
        places.setdefault(name, (entry.shard, entry.offset, entry.size))
    return sorted(reader.entries, key=lambda name: places[name])


def _labels(reader: CheckpointReader) -> dict[str, str]:
    """Return key -> full name of the variable, of a checkpoint saved by objects."""
    return objects.full_names(objects.read_objects(reader))


def _training(reader: CheckpointReader, labels: Mapping[str, str]) -> Training:
    tensors = {key: Tensor(key, e.dtype, e.shape, (), 0) for key, e in reader.entries.items()}
    return find_training(tensors, labels, objects.read_objects(reader))


def _names_before(reader: CheckpointReader, keys: list[str], given: Options) -> dict[str, str]:
    """Return key -> name, before rules are applied."""
    graph = reader.object_graph if given.naming != "key" else None
    if graph is None:
        return {key: key for key in keys}
    found = {}
    for key in keys:
        tensor = graph.tensors.get(key)
        found[key] = key.removesuffix(object_graph.VALUE_SUFFIX)
        if tensor is not None and given.naming == "full" and tensor.attribute == object_graph.VALUE:
            found[key] = tensor.full_name or found[key]
    return found


def _named(
    keys: list[str], before: Mapping[str, str], given: Options, former: Mapping[str, Original], done: Conversion
) -> dict[str, str]:
    """Return name to write -> key. Raises: InvalidArgumentError if two tensors would have one name."""
    rename = given.new_names()
    found: dict[str, str] = {}
    clashes: list[str] = []
    for key in keys:
        name = before[key]
        if not rename.is_empty:
            name = rename.of(name)
        elif key in former:
            name = former[key].name
        if name in found:
            clashes.append(f"two tensors have the name {name}: {found[name]} and {key}")
        found[name] = key
        if name != key:
            done.renamed[key] = name
    if clashes:
        more = f" (and {len(clashes) - 10} more)" if len(clashes) > 10 else ""
        hint = "Object paths are never equal." if given.naming == "full" else None
        raise errors.InvalidArgumentError("; ".join(clashes[:10]) + more, hint=hint)
    done.unmatched += rename.unmatched
    return found


def _to_torch(
    reader: CheckpointReader,
    keys: list[str],
    labels: Mapping[str, str],
    training: Training,
    given: Options,
    chosen: Chosen,
    done: Conversion,
) -> None:
    owners = {slot: base for base, found in training.slots_of.items() for slot in found}
    owners |= {average: variable for variable, average in training.averages.items()}
    already = {k for k, o in reader.originals.items() if o.layout} if isinstance(reader, ArrayReader) else set()
    shapes = {
        key: reader.entries[key].shape
        for key in keys
        if key not in already and not reader.entries[key].dtype.numpy.hasobject
    }
    found = layout_choice.choose(shapes, labels, list(given.layout_rules), owners, _graph(reader, done))
    for key, kind in found.kinds.items():
        change = chosen.reordered[key] = Reordering(kind, shapes[key])
        done.layouts[key] = LayoutChange(kind, list(shapes[key]), list(change.result), found.reasons[key])
    done.layout_kept = found.left | {key: "in this layout already" for key in keys if key in already}
    done.unmatched += found.unmatched


def _graph(reader: CheckpointReader, done: Conversion) -> dict[str, dict[str, str]]:
    """Return what the graph beside the checkpoint says, nothing where there is none."""
    from icefloe.checkpoint.converting.layout_graph import readers_of_variables

    path = names.meta_file(reader.prefix)
    if isinstance(reader, ArrayReader) or not files.is_file(path):
        return {}
    try:
        return readers_of_variables(path)
    except errors.DataLossError as e:
        done.left_out[path] = f"{e.message}: layouts are told by names alone"
        return {}


def _original(
    shape: tuple[int, ...], before: str, name: str, former: Original | None, change: Reordering | None
) -> Original | None:
    """Return what a side entry must say of a tensor, None where it is what it was."""
    layout = "" if change is None else change.kind
    if former is not None:
        return Original(former.name, layout, shape) if layout else former
    return Original(before, layout, shape) if layout or name != before else None
