"""Graphs from any form to any other: `icefloe.graphs.convert`.

    SavedModel, checkpoint with its .meta   -> frozen .pb, .pbtxt, .json; SavedModel without variables
    .meta, .pb, .pbtxt, .json, TensorFlow.js, Keras   -> .pb, .pbtxt, .json, .meta, SavedModel

What the new form cannot hold is left out, and the result says what.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from icefloe import errors
from icefloe.analysis.graph_io import graph_io
from icefloe.checkpoint import files
from icefloe.graph.build import apply_op
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import read_graph, umask
from icefloe.graph.operation import Operation
from icefloe.load import load_graph, save_graph
from icefloe.proto import GraphDef
from icefloe.saver.variable_nodes import variables_of
from icefloe.transforms.constant_variables import VARIABLES
from icefloe.transforms.finishing import FILLS, PLACEHOLDERS, tensor_name
from icefloe.transforms.node_edits import node_of
from icefloe.transforms.reports import Check, Transformed

Path = str | os.PathLike[str]
Names = Mapping[str, str] | Iterable[str] | None
# Format -> suffixes of it; a SavedModel is a directory.
FORMATS = {"pb": (".pb",), "pbtxt": (".pbtxt", ".txt"), "json": (".json",), "meta": (".meta",), "saved_model": ("",)}
_MODEL_FILES = ("saved_model.pb", "saved_model.pbtxt", "saved_model.cpb")


@dataclass(frozen=True, slots=True)
class GraphConversion:
    """What was written.

    format: one of pb, pbtxt, json, meta, saved_model. inputs, outputs: tensors; of a SavedModel by the keys of its
    signature. frozen: how many variables became constants. left_out: what the new form does not hold, in words.
    check: whether the frozen graph gives what the old one gave.
    """

    source: str
    destination: str
    format: str
    nodes: int
    inputs: dict[str, str]
    outputs: dict[str, str]
    frozen: int
    left_out: tuple[str, ...]
    check: Check | None

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return asdict(self)


def convert(
    source: Path,
    destination: Path,
    *,
    to: str | None = None,
    outputs: Names = None,
    inputs: Names = None,
    tags: Iterable[str] | None = None,
    check: bool = True,
) -> GraphConversion:
    """Write the graph in `source` in another form.

        icefloe.graphs.convert("export/1", "frozen.pb")
        icefloe.graphs.convert("frozen.pb", "export/2", outputs={"y": "softmax:0"})

    source: what `load_graph` reads. The variables of a SavedModel, and of a checkpoint beside its `.meta`, become
    constants, except for a `.meta`; a graph without values is written as it is, which a SavedModel cannot be.
    to: the format, "pb", "pbtxt", "json", "meta" or "saved_model"; None is what the suffix of `destination` says, a
    SavedModel for none. outputs, inputs: the tensors that a frozen graph is cut to, or that the signature of a
    SavedModel has: names, or name in the signature -> name in the graph; by default those of signatures or the
    likeliest. tags: of a SavedModel. check: compare what was frozen with what it was made of.

    Raises: ValueError for an unknown format; InvalidArgumentError if variables have no values; AlreadyExistsError if
    the directory of a SavedModel is not empty; what loading, freezing and writing raise.
    """
    src, dst = os.path.expanduser(os.fsdecode(source)), os.path.expanduser(os.fsdecode(destination))
    form = _format(dst, to)
    named, taken = _pairs(outputs) or {}, _pairs(inputs) or {}
    left_out: list[str] = []
    graph, result, frozen = _graph(src, form, tags, list(named.values()), check, left_out)
    if result is not None and not named and not graph.signature_defs:
        named = _pairs(result.outputs) or {}
    if form == "saved_model":
        keys = _write_saved_model(graph, dst, taken, named)
    else:
        left_out += _not_in(form, graph)
        _save(graph, dst, form)
        keys = _signature(graph, taken, named)
    return GraphConversion(
        src,
        dst,
        form,
        graph.node_count,
        *keys,
        frozen,
        tuple(dict.fromkeys(left_out)),
        None if result is None else result.check,
    )


def _keep_inputs(graph: Graph, frozen: GraphDef) -> None:
    """Add the placeholders to a frozen graph that signatures name and no output needs: callers may feed them."""
    there = {node.name for node in frozen.node}
    names = {node_of(info.name): None for s in graph.signature_defs.values() for info in s.inputs.values() if info.name}
    for name in names:
        op = graph._by_name.get(name)
        if op is not None and name not in there and op.type in PLACEHOLDERS and not op.inputs:
            frozen.node.append(op.node_def)


def _save(graph: Graph, path: str, form: str) -> None:
    """Write a graph in a form, whatever the suffix of the path says."""
    if os.path.splitext(path)[1].lower() in FORMATS[form]:
        save_graph(graph, path)
        return
    work = f"{path}.tmp{FORMATS[form][0]}"
    try:
        save_graph(graph, work)
        os.replace(work, path)
    finally:
        if os.path.lexists(work):
            os.remove(work)


def _format(path: str, to: str | None) -> str:
    if to is not None:
        if to in FORMATS:
            return to
        raise ValueError(f"no such format: {to!r}; there are {', '.join(FORMATS)}")
    suffix = os.path.splitext(path.rstrip("/"))[1].lower()
    for form, suffixes in FORMATS.items():
        if suffix in suffixes:
            return form
    # A directory's name may have a point in it: `model.v2`.
    if path.endswith("/") or os.path.isdir(path) or re.match(r"\.v?\d", suffix):
        return "saved_model"
    known = ", ".join(s for suffixes in FORMATS.values() for s in suffixes if s)
    text = f"{path!r}: no graph is written as {suffix}; there are {known}, or a directory for a SavedModel"
    if suffix in _WEIGHTS:
        text += (
            ". `icefloe graph unconst GRAPH PREFIX --min-bytes 1` makes a checkpoint of its constants, to be converted"
        )
    raise ValueError(text)


# Files of weights, without a graph.
_WEIGHTS = (".safetensors", ".npz", ".h5", ".hdf5", ".ckpt")


def _pairs(names: Names) -> dict[str, str] | None:
    """Return key -> tensor; the key of a bare name is that of its operation."""
    if names is None:
        return None
    if isinstance(names, Mapping):
        return dict(names)
    if isinstance(names, str):
        names = [names]
    found: dict[str, str] = {}
    for name in names:
        found[_key(name, found)] = name
    return found


def _key(tensor: str, taken: Mapping[str, str]) -> str:
    """Return a key for a tensor in a signature: an identifier, as callers pass it by keyword."""
    op, _, index = tensor.partition(":")
    key = re.sub(r"\W", "_", op.rpartition("/")[2]) or "tensor"
    key = key if index in ("", "0") else f"{key}_{index}"
    key = f"_{key}" if key[0].isdigit() else key
    number, base = 0, key
    while key in taken:
        number += 1
        key = f"{base}_{number}"
    return key


def _graph(
    src: str, form: str, tags: Iterable[str] | None, outputs: list[str], check: bool, left_out: list[str]
) -> tuple[Graph, Transformed | None, int]:
    """Return the graph to be written; if it was frozen, the result of that and how many variables it had."""
    from icefloe.transforms.freezing import freeze

    if _is_saved_model(src):
        if form == "meta":
            graph = load_graph(src, tags)
            if any(True for _ in variables_of(graph)):
                left_out.append(f"the values of variables: they stay in {os.path.join(src, 'variables')}")
            return graph, None, 0
        from icefloe.saved_models.loading import load_saved_model

        with load_saved_model(_directory(src), tags) as model:
            graph = model.graph
            result = freeze(graph, session=model.session, outputs=outputs or None, check=check)
    else:
        graph = load_graph(src)
        checkpoint = _checkpoint(src, graph) if form != "meta" else None
        if checkpoint is None:
            if form == "saved_model":
                _refuse_variables(graph)
            return graph, None, 0
        result = freeze(graph, checkpoint, outputs=outputs or None, check=check)
    if form == "saved_model":
        _keep_inputs(graph, result.graph_def)
    new = read_graph(result.graph_def)
    old = graph._by_name
    frozen = sum(
        op.type == "Const" and op.name in old and old[op.name].type in VARIABLES for op in new.get_operations()
    )
    if result.initializers and form != "saved_model":
        left_out.append(f"what fills tables is to be run once before: {', '.join(result.initializers)}")
    if form == "saved_model":
        new.signature_defs.update({key: s for key, s in graph.signature_defs.items() if _is_whole(new, s)})
    left_out += _not_in(form, graph)
    return new, result, frozen


def _directory(src: str) -> str:
    return os.path.dirname(src) or "." if os.path.isfile(src) else src


def _is_saved_model(src: str) -> bool:
    name = os.path.basename(src)
    if name in _MODEL_FILES and os.path.isfile(src):
        return True
    return any(os.path.isfile(os.path.join(src, file)) for file in (*_MODEL_FILES, "export.meta"))


def _checkpoint(src: str, graph: Graph) -> str | None:
    """Return the checkpoint that is meant, where its prefix, another of its files or its directory was given, not the
    `.meta` alone, and the graph has variables.
    """
    from icefloe.checkpoint import names, state_file

    if src.endswith((".meta", ".pb", ".pbtxt", ".json")) or not any(True for _ in variables_of(graph)):
        return None
    if os.path.isdir(src):
        return state_file.latest_checkpoint(src)
    part = names.parse(src)
    prefix = src if part is None else part.prefix
    return prefix if files.is_file(names.meta_file(prefix)) else None


def _refuse_variables(graph: Graph) -> None:
    names = [v.name for v in variables_of(graph)]
    if names:
        shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        raise errors.InvalidArgumentError(
            f"a SavedModel holds the values of variables, and those of {len(names)} are not in the graph: {shown}",
            hint="Give the prefix of the checkpoint in place of its .meta, or freeze the graph before.",
        )


def _not_in(form: str, graph: Graph) -> list[str]:
    """Return what a graph has and the new form does not hold."""
    if form == "meta":
        return []
    found = [f"signature {key}" for key in graph.signature_defs] if form != "saved_model" else []
    keys = [str(key) for key in graph.get_all_collection_keys()]
    return [*found, *([f"collections: {', '.join(sorted(keys))}"] if keys else [])]


def _signature(
    graph: Graph, inputs: Mapping[str, str], outputs: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return inputs and outputs, key -> full name of the tensor: those given, of the signature, or the likeliest."""
    from icefloe.saved_models import constants

    signatures = graph.signature_defs
    signature = signatures.get(constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY)
    if signature is None and len(signatures) == 1:
        signature = next(iter(signatures.values()))
    known_inputs = {k: v.name for k, v in signature.inputs.items() if v.name} if signature is not None else {}
    known_outputs = {k: v.name for k, v in signature.outputs.items() if v.name} if signature is not None else {}
    found = graph_io(graph)
    taken = dict(inputs) or known_inputs or _pairs([i.name for i in found.inputs]) or {}
    given = dict(outputs) or known_outputs or _pairs([o.name for o in found.outputs if o.dtype != "unknown"][:1]) or {}
    return (
        {key: tensor_name(graph, name) for key, name in taken.items()},
        {key: tensor_name(graph, name) for key, name in given.items()},
    )


def _write_saved_model(
    graph: Graph, dst: str, inputs: Mapping[str, str], outputs: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Write a SavedModel without variables, in place as a whole; return the tensors of its signature."""
    from icefloe.saved_models.builder import SavedModelBuilder
    from icefloe.saved_models.constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY, PREDICT_METHOD_NAME, SERVING
    from icefloe.saved_models.signatures import build_signature_def, build_tensor_info
    from icefloe.session import Session

    dst = dst.rstrip("/")
    if os.path.lexists(dst) and (not os.path.isdir(dst) or os.listdir(dst)):
        raise errors.AlreadyExistsError("a SavedModel is written into a new or empty directory", path=dst)
    taken, given = _signature(graph, inputs, outputs)
    if not given:
        raise errors.InvalidArgumentError("the graph has no outputs that can be told: name some")
    signatures = {**graph.signature_defs}
    if inputs or outputs or DEFAULT_SERVING_SIGNATURE_DEF_KEY not in signatures:
        # Not by `predict_signature_def`, which refuses a graph that takes nothing.
        infos, results = (
            {k: build_tensor_info(graph.get_tensor_by_name(n)) for k, n in side.items()} for side in (taken, given)
        )
        signatures[DEFAULT_SERVING_SIGNATURE_DEF_KEY] = build_signature_def(infos, results, PREDICT_METHOD_NAME)
    signatures = {key: s for key, s in signatures.items() if _is_whole(graph, s)}
    parent = os.path.dirname(dst) or "."
    files.make_directory(parent)
    work = tempfile.mkdtemp(prefix=f".{os.path.basename(dst)}.", dir=parent)
    try:
        builder = SavedModelBuilder(work)
        with graph.as_default(), Session(graph=graph) as session:
            start = _start(graph)
            builder.add_meta_graph_and_variables(session, [SERVING], signatures, main_op=start)
        builder.save()
        os.chmod(work, 0o777 & ~umask())
        if os.path.isdir(dst):
            os.rmdir(dst)
        os.rename(work, dst)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    return taken, given


def _is_whole(graph: Graph, signature: Any) -> bool:
    """Whether the graph has all nodes that a signature names: those of other outputs were cut off."""
    names = [info.name.partition(":")[0] for side in (signature.inputs, signature.outputs) for info in side.values()]
    return all(name in graph._by_name for name in names)


def _start(graph: Graph) -> Operation | None:
    """Return an operation that fills the tables of a graph, None where there are none."""
    fills = [op for op in graph.get_operations() if op.type in FILLS]
    if not fills:
        return None
    with graph.control_dependencies(fills):
        done: Operation = apply_op("NoOp", name="fill_tables")
    return done
