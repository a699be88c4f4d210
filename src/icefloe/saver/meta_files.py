"""`.meta` files and other graph protos on disk: exported, imported, written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError, Message

from icefloe import errors
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.graph.graph_file import read_file
from icefloe.graph.sniff import META_GRAPH_DEF, META_GRAPH_DEF_TEXT, kind_of
from icefloe.meta_graph.export import export_scoped_meta_graph
from icefloe.meta_graph.importing import import_scoped_meta_graph
from icefloe.proto import POOL, MetaGraphDef, cast_message
from icefloe.saver.debug_info import debug_info

if TYPE_CHECKING:
    from icefloe.saver.saver import Saver


def write_atomically(path: str, data: bytes) -> None:
    """Write a file that is either the old one or the whole new one.

    Raises: NotFoundError, PermissionDeniedError, ResourceExhaustedError and others as the system says.
    """
    from icefloe.checkpoint.single_file import new_file

    with new_file(path) as write:
        write(data)


def write_graph(graph_or_graph_def: Any, logdir: str | os.PathLike[str], name: str, as_text: bool = True) -> str:
    """Write a Graph, GraphDef or other message to the file `name` in the directory `logdir`, which is made; return
    the path.

    as_text: as text, else binary, maps sorted.
    """
    message: Message = (
        graph_or_graph_def.as_graph_def() if isinstance(graph_or_graph_def, Graph) else graph_or_graph_def
    )
    directory = os.fsdecode(logdir)
    if directory:
        from icefloe.checkpoint import files

        files.make_directory(directory)
    path = os.path.join(directory, name)
    if as_text:
        data = text_format.MessageToString(message, descriptor_pool=POOL).encode()
    else:
        data = message.SerializeToString(deterministic=True)
    write_atomically(path, data)
    return path


def export_meta_graph(
    filename: str | os.PathLike[str] | None = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Iterable[Any] | None = None,
    as_text: bool = False,
    graph: Graph | None = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    *,
    unbound_inputs_col_name: str | None = "unbound_inputs",
) -> MetaGraphDef:
    """Return a graph with its collections as a MetaGraphDef, written to `filename` unless None.

    graph: the graph, by default the default one; graph_def: its nodes in place of those it has.
    saver_def: the Saver that the file names. collection_list: keys of the collections to keep; None is all.
    export_scope: only what is below this name scope, without its name. clear_devices: without devices.
    clear_extraneous_savers: without the nodes of other Savers than that of `saver_def`.
    strip_default_attrs: without attrs that equal their default. as_text: write text.
    save_debug_info: write a GraphDebugInfo beside `filename`, as `.debug`: the line of the program that made each node.

    Raises: InvalidArgumentError if it is larger than 2 GiB; the errors of writing the file.
    """
    graph = graph if graph is not None else get_default_graph()
    out, _ = export_scoped_meta_graph(
        graph_def=graph_def,
        graph=graph,
        export_scope=export_scope,
        unbound_inputs_col_name=unbound_inputs_col_name,
        clear_devices=clear_devices,
        saver_def=saver_def,
        clear_extraneous_savers=clear_extraneous_savers,
        strip_default_attrs=strip_default_attrs,
        meta_info_def=meta_info_def,
        collection_list=collection_list,
    )
    if filename is not None:
        directory, name = os.path.split(os.fsdecode(filename))
        write_graph(out, directory, name, as_text)
        if save_debug_info:
            write_graph(debug_info(graph), directory, os.path.splitext(name)[0] + ".debug", as_text)
    return out


# What TensorFlow raises as OSError is that too, so that a script's `except IOError` catches it.


class MissingMetaGraphError(errors.NotFoundError, OSError):
    """There is no such `.meta` file."""


class DamagedMetaGraphError(errors.DataLossError, OSError):
    """The bytes of a `.meta` file are damaged."""


class WrongMetaGraphError(errors.InvalidArgumentError, OSError):
    """A file that was given as `.meta` is something else."""


def read_meta_graph_file(filename: str | os.PathLike[str]) -> MetaGraphDef:
    """Return the MetaGraphDef that a file holds, binary or text.

    Raises: NotFoundError if there is no such file; DataLossError if its bytes are damaged; InvalidArgumentError if it
    is something else, which the error names. All three are OSErrors too.
    """
    path = os.fsdecode(filename)
    try:
        return parse_meta_graph(read_file(path))
    except errors.NotFoundError:
        raise MissingMetaGraphError(f"File {path} does not exist.") from None
    except errors.DataLossError as error:
        raise DamagedMetaGraphError(f"Cannot parse file {path}: {error.message}", hint=error.hint) from None
    except errors.InvalidArgumentError as error:
        raise WrongMetaGraphError(f"Cannot parse file {path}: {error.message}", hint=error.hint) from None


def parse_meta_graph(data: bytes) -> MetaGraphDef:
    """Return the MetaGraphDef that `data` holds, binary or text. Raises: as `read_meta_graph_file`."""
    kind = kind_of(data)
    if kind == META_GRAPH_DEF:
        try:
            return MetaGraphDef.FromString(data)
        except DecodeError as error:
            raise errors.DataLossError(f"not a MetaGraphDef: {error}") from None
    if kind == META_GRAPH_DEF_TEXT:
        out = MetaGraphDef()
        try:
            text_format.Parse(data.decode("utf-8-sig", "replace"), out, descriptor_pool=POOL)
        except (text_format.ParseError, RecursionError, ValueError) as error:
            raise errors.DataLossError(f"not a MetaGraphDef in text form: {error}") from None
        return out
    hint = "It holds a graph alone: icefloe.load_graph reads it." if kind.startswith("a GraphDef") else None
    raise errors.InvalidArgumentError(f"expected a MetaGraphDef, got {kind}", hint=hint)


def import_meta_graph_with_return_elements(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    return_elements: Iterable[str] | None = None,
    *,
    input_map: Mapping[str, Any] | None = None,
    graph: Graph | None = None,
    unbound_inputs_col_name: str | None = "unbound_inputs",
) -> tuple[Saver | None, list[Any] | None]:
    """Do what `import_meta_graph` does and return `(saver, the operations and tensors named in return_elements)`."""
    from icefloe.saver.saver import Saver, _all_saveable_objects

    if isinstance(meta_graph_or_file, (str, bytes, os.PathLike)):
        meta_graph_def = read_meta_graph_file(os.fsdecode(meta_graph_or_file))
    else:
        meta_graph_def = cast_message(meta_graph_or_file, MetaGraphDef)
    variables, elements = import_scoped_meta_graph(
        meta_graph_def,
        clear_devices=clear_devices,
        graph=graph,
        import_scope=import_scope,
        input_map=input_map,
        unbound_inputs_col_name=unbound_inputs_col_name,
        return_elements=return_elements,
    )
    if meta_graph_def.HasField("saver_def"):
        scope = import_scope
        if variables:
            # The scope may have been made unique: the name of a variable tells what was put before it.
            key, variable = next(iter(variables.items()))
            scope = variable.name[: -len(key)]
        return Saver(saver_def=meta_graph_def.saver_def, name=scope), elements
    return (Saver() if _all_saveable_objects(import_scope) else None), elements


def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> Saver | Any:
    """Add the graph of a `.meta` to the default graph, with its collections, and return its Saver.

    meta_graph_or_file: a path, or a MetaGraphDef. clear_devices: leave the nodes' devices out. import_scope: a name
    scope to put before all names. Keywords: input_map, tensors to take for inputs by name.

    Returns None where the graph has no variables.

    Raises: NotFoundError, DataLossError if the file cannot be read; ValueError if an input is not mapped or a node
    does not fit.
    """
    return import_meta_graph_with_return_elements(meta_graph_or_file, clear_devices, import_scope, **kwargs)[0]
