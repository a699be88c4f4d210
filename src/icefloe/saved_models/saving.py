"""`saved_model.save`: objects with their variables and functions as a SavedModel that TensorFlow 2 loads.

    class Adder(tf.Module):
        def __init__(self):
            super().__init__()
            self.total = tf.Variable(0.0, use_resource=True)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def add(self, x):
            return self.total.assign_add(x)

    with tf.Session() as sess:
        adder = Adder()
        sess.run(tf.global_variables_initializer())
        tf.saved_model.save(adder, "export/1")

Source: tensorflow/python/saved_model/save.py.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from google.protobuf.message import EncodeError

from icefloe import errors
from icefloe.checkpoint.object_graph import KEY
from icefloe.checkpoint.writer import BundleWriter
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.graph.tensor import Tensor
from icefloe.lib.concrete_functions import ConcreteFunction
from icefloe.lib.module import Module
from icefloe.lib.traced_functions import TracedFunction
from icefloe.meta_graph.export import create_meta_graph_def
from icefloe.proto import MetaGraphDef, SavedModel
from icefloe.saved_models import assets, constants
from icefloe.saved_models.captured_objects import CapturedObjects
from icefloe.saved_models.export_directory import new_directory
from icefloe.saved_models.export_graph import ExportGraph
from icefloe.saved_models.function_signatures import chosen_signatures, signature_def, wrapped
from icefloe.saved_models.options import SaveOptions
from icefloe.saved_models.reading import Path
from icefloe.saved_models.saved_objects import SavedObjects, children
from icefloe.saved_models.signatures import op_signature_def
from icefloe.saver import trackable
from icefloe.saver.meta_files import write_atomically
from icefloe.saver.object_view import view_of
from icefloe.stacks import SESSIONS


def save(obj: Any, export_dir: Path, signatures: Any = None, options: SaveOptions | None = None) -> None:
    """Write `obj`, with the variables, functions, tables and assets below it, as a SavedModel.

    obj: a Module, or a Checkpoint. signatures: a function, or functions by name, that have an input signature, or
    concrete functions; by default the only one of `obj`. The values are those of the default session.

    A SavedModel that is in `export_dir` is replaced as a whole.

    Raises: ValueError for an object or signatures that cannot be saved; UntrackedError, an AssertionError, for a
    variable that a function uses and `obj` does not own; RuntimeError if there are variables and no session;
    UnimplementedError for what is not supported. Nothing is written then.
    """
    if not isinstance(obj, (trackable.Trackable, Module)):
        raise ValueError(  # noqa: TRY004 (TensorFlow's class)
            f"Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the `Trackable` class, for "
            f"export. Got {obj} with type {type(obj)}."
        )
    options = _checked(options)
    session: Any = SESSIONS.top()
    graph: Graph = get_default_graph() if session is None else session.graph
    if graph.building_function:
        raise AssertionError(
            "`tf.saved_model.save` is not supported inside a traced @tf.function. Move the call to the outer "
            "eagerly-executed context."
        )
    with graph.as_default():
        made = _export(obj, signatures, graph, session, options)
    with new_directory(os.fsdecode(export_dir)) as directory:
        made.write(directory)


def _checked(options: SaveOptions | None) -> SaveOptions:
    options = SaveOptions() if options is None else options
    for name in ("experimental_image_format", "experimental_sharding_callback", "experimental_variable_policy"):
        if getattr(options, name):
            raise errors.UnimplementedError(f"saving objects with the option {name}")
    return options


@dataclass
class _Export:
    """A SavedModel, ready to be written: its graph, the values of variables by key, the asset files."""

    meta_graph: MetaGraphDef
    values: list[tuple[str, Any]]
    files: list[tuple[str, str, Tensor]]

    def write(self, directory: str) -> None:
        variables = os.path.join(directory, constants.VARIABLES_DIRECTORY)
        os.mkdir(variables)
        with BundleWriter(os.path.join(variables, constants.VARIABLES_FILENAME)) as writer:
            for name, value in self.values:
                writer.add(name, value)
        assets.copy_all(self.files, directory, set())
        model = SavedModel(saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION)
        model.meta_graphs.append(self.meta_graph)
        try:
            data = model.SerializeToString(deterministic=True)
        except (EncodeError, ValueError) as error:
            raise errors.InvalidArgumentError(f"the SavedModel cannot be larger than 2 GiB: {error}") from None
        write_atomically(os.path.join(directory, constants.SAVED_MODEL_FILENAME_PB), data)


def _export(root: Any, signatures: Any, graph: Graph, session: Any, options: SaveOptions) -> _Export:
    chosen = chosen_signatures(root, signatures)
    state = view_of(root, children=children, with_slots=False)
    export = ExportGraph(CapturedObjects(state.objects, session))
    traces = {id(value): _traces_of(value) for value in state.objects if isinstance(value, TracedFunction)}
    objects = SavedObjects(root, traces, wrapped(chosen, export), export)
    variables = objects.variables
    for _, variable in variables:
        export.tensor_of(variable)
    info = MetaGraphDef.MetaInfoDef(tags=[constants.SERVING, *(options.extra_tags or ())])
    signature_defs = {key: signature_def(key, made, export) for key, made in objects.signatures.items()}
    described = objects.to_proto()
    init_op = export.init_op()
    signature_defs[constants.INIT_OP_SIGNATURE_KEY] = op_signature_def(init_op, constants.INIT_OP_SIGNATURE_KEY)
    checkpoint_graph = objects.view.to_proto().SerializeToString(deterministic=True)
    saver = None if options.experimental_skip_saver else export.add_saver(variables, checkpoint_graph)
    export.graph.add_to_collection(constants.MAIN_OP_KEY, init_op)
    made = create_meta_graph_def(
        meta_info_def=info,
        graph_def=export.to_graph_def(),
        saver_def=saver,
        graph=export.graph,
        strip_default_attrs=True,
    )
    for key, definition in signature_defs.items():
        made.signature_def[key].CopyFrom(definition)
    made.object_graph_def.CopyFrom(described)
    for alias, function in (options.function_aliases or {}).items():
        for concrete in _traces_of(function) if isinstance(function, TracedFunction) else [function]:
            made.meta_info_def.function_aliases[export.function(concrete).name] = alias
    named = assets.named([asset.asset_path for asset, _ in export.assets])
    for (name, _, _), (_, tensor) in zip(named, export.assets, strict=True):
        made.asset_file_def.add(filename=name).tensor_info.name = tensor.name
    values = [(key, value) for (key, _), value in zip(variables, _values(variables, session), strict=True)]
    return _Export(made, [*values, (KEY, np.array(checkpoint_graph, object))], named)


def _traces_of(function: TracedFunction) -> list[ConcreteFunction]:
    if function.input_signature is not None:
        return [function.get_concrete_function()]
    return list(function._cache().values())


def _values(variables: Sequence[tuple[str, Any]], session: Any) -> list[Any]:
    if not variables:
        return []
    if session is None:
        raise RuntimeError(
            "No session was passed, and there is no default session. Please use `with tf.Session():` to create one."
        )
    found: list[Any] = session.run([variable._as_graph_element() for _, variable in variables])
    return found
