"""The objects below a root that a SavedModel holds, and what it says of each.

    variables, lists, tuples, dicts, Modules, Checkpoints, optimizers     as a Checkpoint walks them
    functions                            what each was built as, for each kind of arguments: `trace_0`, ...
    what a function was built as         the constants and assets that it takes in: `capture_1`, ...
    tables                               functions that make, fill and destroy them
    the root                             its signatures, too

Source: tensorflow/python/saved_model/save.py, tensorflow/core/protobuf/saved_object_graph.proto.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from icefloe import errors
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant
from icefloe.graph.graph import get_default_graph
from icefloe.lib.concrete_functions import ConcreteFunction
from icefloe.lib.data_dataset import Dataset
from icefloe.lib.data_iterator import Iterator as DataIterator
from icefloe.lib.lookup import (
    KeyValueTensorInitializer,
    LookupInterface,
    StaticHashTable,
    TableInitializerBase,
    TextFileInitializer,
)
from icefloe.lib.module import Module
from icefloe.lib.traced_functions import TracedFunction
from icefloe.lib.variable import Variable
from icefloe.proto import SavedObject, SavedObjectGraph
from icefloe.saved_models.assets import Asset
from icefloe.saved_models.captured_objects import CapturedObjects
from icefloe.saved_models.export_graph import ExportGraph
from icefloe.saved_models.exported_functions import CapturedConstant
from icefloe.saved_models.function_specs import (
    keywords_of,
    spec_of_function,
    spec_of_trace,
    structured_inputs,
    structured_outputs,
)
from icefloe.saved_models.structures import encode
from icefloe.saver import trackable
from icefloe.saver.object_view import ObjectView, view_of

SIGNATURES = "signatures"


class SignatureMap(dict[str, ConcreteFunction]):
    """The signatures of a root, by name."""


def is_saved(value: Any) -> bool:
    """Whether a SavedModel holds `value` as an object of its own."""
    if isinstance(value, tuple):
        return any(is_saved(item) for item in value)
    return isinstance(value, (TracedFunction, ConcreteFunction, Asset)) or trackable.is_trackable(value)


def functions_of(value: Any) -> dict[str, Any]:
    """Return the functions in the attributes of an object and of its class, sorted by name."""
    if not isinstance(value, (trackable.Trackable, Module)):
        return {}
    kinds = (TracedFunction, ConcreteFunction)
    return {name: getattr(value, name) for name in dir(value) if isinstance(inspect.getattr_static(value, name), kinds)}


def children(value: Any) -> list[tuple[str, Any]]:
    """Return what an object of the program owns that a SavedModel holds, as pairs of name and object.

    Raises: ValueError for a dict with keys that are no text.
    """
    found = {name: child for name, child in trackable.named(value) if is_saved(child)}
    found.update(functions_of(value))
    return list(found.items())


class SavedObjects:
    """The objects below a root. signatures: by name. export: the graph they are exported to.

    view: the objects as they are numbered.
    """

    def __init__(
        self,
        root: Any,
        traces: Mapping[int, list[ConcreteFunction]],
        signatures: SignatureMap,
        export: ExportGraph,
    ) -> None:
        self._root = root
        self._traces = dict(traces)
        self._signatures = signatures
        self._export = export
        self._tables: dict[int, dict[str, Any]] = {}
        self._functions: dict[int, TracedFunction] = {}
        # TensorFlow does not load a model whose optimizer, as an object without its class, has slots.
        self.view: ObjectView = view_of(root, children=self._children, with_slots=False)

    # What each owns

    def _children(self, value: Any) -> list[tuple[str, Any]]:
        if isinstance(value, (Dataset, DataIterator)):
            raise errors.UnimplementedError(f"saving a {type(value).__name__}: {value!r:.100}")
        if isinstance(value, TracedFunction):
            built = self._traces.get(id(value), [])
            for concrete in built:
                self._functions[id(concrete)] = value
            return [(f"trace_{i}", concrete) for i, concrete in enumerate(built)]
        if isinstance(value, ConcreteFunction):
            captured = self._export.function(value).captured
            kinds = (CapturedConstant, Asset)
            return [(f"capture_{i}", item) for i, item in enumerate(captured) if isinstance(item, kinds)]
        if isinstance(value, LookupInterface):
            return list(self._table(value).items())
        if isinstance(value, TextFileInitializer):
            return [("_filename", CapturedObjects.asset_of(value))]
        if isinstance(value, (TableInitializerBase, CapturedConstant, Asset)):
            return []
        if isinstance(value, SignatureMap):
            return list(value.items())
        found = children(value)
        if value is self._root:
            if any(name == SIGNATURES for name, _ in found):
                raise ValueError(
                    f"Exporting an object {value} which has an attribute named '{SIGNATURES}'. This is a reserved "
                    "attribute used to store SavedModel signatures in objects which come from `tf.saved_model.load`. "
                    f"Delete this attribute (e.g. `del obj.{SIGNATURES}`) before saving if this shadowing is "
                    "acceptable."
                )
            found.append((SIGNATURES, self._signatures))
        return found

    def _table(self, table: Any) -> dict[str, Any]:
        """Return the initializer of a table and the functions that make, fill and destroy it."""
        known = self._tables.get(id(table))
        if known is not None:
            return known
        made_by = getattr(table, "_initializer", None)
        is_static = isinstance(table, StaticHashTable) and table.resource_handle.op.type == "HashTableV2"
        if not is_static or not isinstance(made_by, (KeyValueTensorInitializer, TextFileInitializer)):
            raise errors.UnimplementedError(
                f"saving a {type(table).__name__} that a {type(made_by).__name__} fills",
                hint="a StaticHashTable of keys and values, or of a text file, can be saved",
            )
        export = self._export
        handle_op = table.resource_handle.op
        handle = export.tensor_of(table)
        if isinstance(made_by, TextFileInitializer):
            inputs = [export.tensor_of(CapturedObjects.asset_of(made_by))]
        else:
            wanted = (made_by._keys, made_by._values)
            inputs = [export.tensor_of(export.captured.constant(tensor, table.name)) for tensor in wanted]

        def _creator() -> Any:
            keys = ("shared_name", "key_dtype", "value_dtype")
            return apply_op("HashTableV2", **{key: handle_op.get_attr(key) for key in keys}, name="hash_table")

        def _initializer() -> Any:
            if isinstance(made_by, TextFileInitializer):
                filling = table.initializer
                keys = ("key_index", "value_index", "vocab_size", "delimiter", "offset")
                attrs = {key: filling.get_attr(key) for key in keys}
                filename = get_default_graph().capture(inputs[0])  # type: ignore[attr-defined]
                apply_op("InitializeTableFromTextFileV2", handle, filename, **attrs)
            else:
                apply_op("LookupTableImportV2", handle, *inputs)
            return constant(1)

        def _destroyer() -> Any:
            return constant(1)

        found: dict[str, Any] = {"_initializer": made_by}
        for name, python_function in (
            ("_create_resource", _creator),
            ("_initialize", _initializer),
            ("_destroy_resource", _destroyer),
        ):
            function, concrete = export.traced(python_function)
            found[name] = function
            self._traces[id(function)] = [concrete]
            if name == "_initialize":
                export.add_initializer(concrete)
        self._tables[id(table)] = found
        return found

    # What is written

    @property
    def signatures(self) -> SignatureMap:
        """The functions of the signatures, by name."""
        return self._signatures

    @property
    def variables(self) -> list[tuple[str, Variable]]:
        """The variables with the keys that their values are saved under."""
        return [
            (self.view.key(i, name), value)
            for i, value in enumerate(self.view.objects)
            for name in trackable.attributes(value)
        ]

    def to_proto(self) -> SavedObjectGraph:
        """Return the objects as a message. Raises: UnimplementedError for what it has no place for."""
        graph = SavedObjectGraph()
        for number, value in enumerate(self.view.objects):
            node = graph.nodes.add()
            for name, child in self.view.owned[number]:
                node.children.add(node_id=child, local_name=name)
                if isinstance(value, (TracedFunction, ConcreteFunction)):
                    node.dependencies.add(node_id=child, local_name=name)
            self._describe(node, value)
        for value in self.view.objects:
            if isinstance(value, ConcreteFunction):
                exported = self._export.function(value)
                found = graph.concrete_functions[exported.name]
                found.bound_inputs.extend(self._number(item, exported.name) for item in exported.captured)
                found.canonicalized_input_signature.CopyFrom(encode(structured_inputs(value)))
                found.output_signature.CopyFrom(encode(structured_outputs(value.structured_outputs)))
        return graph

    def _number(self, value: Any, function: str) -> int:
        number = self.view.number_of(value)
        if number is None:
            raise errors.InternalError(f"function {function!r} takes in {value!r}, which is not below the root")
        return number

    def _describe(self, node: SavedObject, value: Any) -> None:
        if isinstance(value, Variable):
            node.variable.dtype = value.dtype.base_dtype.as_datatype_enum
            node.variable.shape.CopyFrom(value.shape.as_proto())
            node.variable.trainable = value.trainable
            node.variable.synchronization = value.synchronization.value
            node.variable.aggregation = value.aggregation.value
            node.variable.name = value.op.name
        elif isinstance(value, TracedFunction):
            names = [self._export.function(c).name for c in self._traces.get(id(value), [])]
            node.function.concrete_functions.extend(names)
            node.function.function_spec.CopyFrom(spec_of_function(value))
        elif isinstance(value, ConcreteFunction):
            self._describe_concrete(node, value)
        elif isinstance(value, CapturedConstant):
            node.constant.operation = self._export.tensor_of(value).op.name
            node.registered_name = "tf.TrackableConstant"
        elif isinstance(value, Asset):
            self._export.tensor_of(value)
            found = [i for i, (asset, _) in enumerate(self._export.assets) if asset is value]
            node.asset.SetInParent()
            node.asset.asset_file_def_index = found[0]
        elif isinstance(value, LookupInterface):
            node.resource.SetInParent()
            node.registered_name = "tf.StaticHashTable"
        else:
            node.user_object.identifier = _identifier(value)
            node.user_object.version.producer = 1
            node.user_object.version.min_consumer = 1

    def _describe_concrete(self, node: SavedObject, concrete: ConcreteFunction) -> None:
        bare = node.bare_concrete_function
        bare.concrete_function_name = self._export.function(concrete).name
        keywords = keywords_of(concrete)
        bare.argument_keywords.extend(keywords)
        is_signature = any(concrete is item for item in self._signatures.values())
        bare.allowed_positional_arguments = int(len(keywords) == 1) if is_signature else len(keywords)
        bare.function_spec.CopyFrom(spec_of_trace(concrete, self._functions.get(id(concrete))))


def _identifier(value: Any) -> str:
    if isinstance(value, SignatureMap):
        return "signature_map"
    if isinstance(value, list):
        return "trackable_list_wrapper"
    if isinstance(value, tuple):
        return "trackable_tuple_wrapper"
    if isinstance(value, dict):
        return "trackable_dict_wrapper"
    return "_generic_user_object"
