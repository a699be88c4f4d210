"""What TensorFlow's `saved_model_cli show` and `scan` say of a SavedModel, as text, without loading it.

Source: tensorflow/python/tools/saved_model_cli.py (rules and wording).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from icefloe import errors
from icefloe.graph.type_specs import TensorSpec
from icefloe.meta_graph.op_list import ops_used_by_graph_def
from icefloe.proto import DataType, MetaGraphDef, SavedObjectGraph, SignatureDef, TensorInfo
from icefloe.saved_models.reading import Path, StoredGraph, read_saved_model
from icefloe.saved_models.serving import MissingSignatureError
from icefloe.saved_models.structures import decode

# Ops that touch files or print: what `scan` looks for unless told otherwise.
DENYLIST = frozenset(("PrintV2", "ReadFile", "WriteFile"))


def show_saved_model(
    directory: Path,
    tags: Iterable[str] | None = None,
    signature: str | None = None,
    *,
    everything: bool = False,
    ops: bool = False,
) -> str:
    """Return what TensorFlow's tool prints: the tag sets; with `tags` the signatures of that graph, with `signature`
    its inputs and outputs; with `everything` all of it, and the functions of TensorFlow 2.

    ops: also the ops that the graph and its functions use.

    Raises: NotFoundError if there is no such graph or signature; else as `load_saved_model`.
    """
    model = read_saved_model(directory)
    if everything:
        return _everything(model.graphs)
    lines = []
    if tags is None:
        if ops:
            lines.append("--list_ops must be paired with a tag-set or with --all.")
        lines.append("The given SavedModel contains the following tag-sets:")
        lines += [
            repr(", ".join(found)) for found in (sorted(tags) for tags in sorted(graph.tags for graph in model.graphs))
        ]
        return "\n".join(lines)
    graph = model.choose(tags)
    if ops:
        lines.append(_ops_text(graph))
    if signature is not None:
        return "\n".join([*lines, *_signature_lines(signature_of(graph.info, signature), "")])
    lines.append("The given SavedModel MetaGraphDef contains SignatureDefs with the following keys:")
    lines += [f'SignatureDef key: "{key}"' for key in sorted(graph.info.signature_def)]
    return "\n".join(lines)


def scan_saved_model(
    directory: Path, tags: Iterable[str] | None = None, ops: Iterable[str] = DENYLIST
) -> list[tuple[tuple[str, ...], list[str]]]:
    """Return the tags of each graph, or of that with `tags`, and which of `ops` it or a function in its library has.

    TensorFlow's tool does not look into the bodies of conditionals and loops; this does.

    Raises: as `show_saved_model`.
    """
    model = read_saved_model(directory)
    graphs = model.graphs if tags is None else (model.choose(tags),)
    wanted = set(ops)
    return [(graph.tags, sorted(wanted & _ops_anywhere(graph))) for graph in graphs]


def signature_of(info: MetaGraphDef, key: str) -> SignatureDef:
    """Return a signature. Raises: NotFoundError that names those that there are."""
    if key not in info.signature_def:
        raise MissingSignatureError.of(key, sorted(info.signature_def))
    found: SignatureDef = info.signature_def[key]
    return found


def _ops(graph: StoredGraph) -> list[str]:
    return ops_used_by_graph_def(graph.message().graph_def)


def _ops_anywhere(graph: StoredGraph) -> set[str]:
    """Return the ops of the graph and of every function of its library, called or not."""
    definition = graph.message().graph_def
    bodies = [definition.node, *(function.node_def for function in definition.library.function)]
    return {node.op for nodes in bodies for node in nodes}


def _ops_text(graph: StoredGraph) -> str:
    ops = "{" + ", ".join(map(repr, _ops(graph))) + "}"
    return f"The MetaGraph with tag set {list(graph.tags)} contains the following ops: {ops}"


def tensor_info_lines(info: TensorInfo, indent: str = "") -> list[str]:
    """Return dtype, shape and name of a tensor of a signature, a line each."""
    if info.tensor_shape.unknown_rank:
        shape = "unknown_rank"
    else:
        shape = f"({', '.join(str(dim.size) for dim in info.tensor_shape.dim)})"
    try:
        dtype = DataType.Name(info.dtype)
    except ValueError:
        dtype = str(info.dtype)
    return [f"{indent}    dtype: {dtype}", f"{indent}    shape: {shape}", f"{indent}    name: {info.name}"]


def _signature_lines(signature: SignatureDef, indent: str) -> list[str]:
    lines = []
    for title, side, infos in (("input(s)", "inputs", signature.inputs), ("output(s)", "outputs", signature.outputs)):
        lines.append(f"{indent}The given SavedModel SignatureDef contains the following {title}:")
        for key in sorted(infos):
            lines += [f"{indent}  {side}['{key}'] tensor_info:", *tensor_info_lines(infos[key], indent + "  ")]
    return [*lines, f"{indent}Method name is: {signature.method_name}"]


def _everything(graphs: Iterable[StoredGraph]) -> str:
    ordered = sorted(graphs, key=lambda graph: graph.tags)
    lines = []
    for graph in ordered:
        lines.append(f"\nMetaGraphDef with tag-set: '{', '.join(graph.tags)}' contains the following SignatureDefs:")
        for key in sorted(graph.info.signature_def):
            lines += [f"\nsignature_def['{key}']:", *_signature_lines(graph.info.signature_def[key], "  ")]
        lines.append(_ops_text(graph))
    for graph in ordered:
        if graph.info.HasField("object_graph_def"):
            lines += _function_lines(graph.info.object_graph_def)
    return "\n".join(lines)


def _function_lines(objects: SavedObjectGraph) -> list[str]:
    """Return the functions of the root object, and what each was traced for."""
    lines = ["\nConcrete Functions:"]
    children = objects.nodes[0].children if objects.nodes else []
    for child in sorted(children, key=lambda c: c.local_name):
        if not 0 <= child.node_id < len(objects.nodes):
            continue
        node = objects.nodes[child.node_id]
        kind = node.WhichOneof("kind")
        if kind == "function":
            names = sorted(node.function.concrete_functions)
        elif kind == "bare_concrete_function":
            names = [node.bare_concrete_function.concrete_function_name]
        else:
            continue
        title = f"  Function Name: '{child.local_name}'"
        lines.append(title if len(lines) == 1 else "\n" + title)
        for number, name in enumerate((n for n in names if n in objects.concrete_functions), 1):
            try:
                inputs = decode(objects.concrete_functions[name].canonicalized_input_signature)
            except (errors.OpError, TypeError, ValueError):
                lines.append(f"    Option #{number}\n      Callable with arguments that cannot be shown")
                continue
            args, kwargs = inputs if isinstance(inputs, tuple) and len(inputs) == 2 else ((), {})
            args = args if isinstance(args, (tuple, list)) else ()
            if args:
                lines += [f"    Option #{number}", "      Callable with:", *_argument_lines(args, "Argument")]
            if kwargs and isinstance(kwargs, dict):
                lines += _argument_lines(tuple(kwargs), "Named Argument")
    return lines


def _argument_lines(arguments: Iterable[Any], title: str) -> list[str]:
    indent = " " * 8
    lines = []
    for number, value in enumerate(arguments, 1):
        lines.append(f"{indent}{title} #{number}")
        if isinstance(value, str):
            lines.append(f"{indent}  {value}")
        elif isinstance(value, TensorSpec):
            lines.append(f"{indent}  {value.name}: {_shown(value)}")
        else:
            lines += [f"{indent}  DType: {type(value).__name__}", f"{indent}  Value: {_shown(value)}"]
    return lines


def _shown(value: Any) -> str:
    """Return a value as Python shows it, TensorSpecs as TensorFlow does."""
    if isinstance(value, TensorSpec):
        dims = "None" if value.shape.rank is None else str(tuple(value.shape.as_list()))
        return f"TensorSpec(shape={dims}, dtype={value.dtype!r}, name={value.name!r})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"'{key}': {_shown(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_shown, value)) + "]"
    return repr(value)
