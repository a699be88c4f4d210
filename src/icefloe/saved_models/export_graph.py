"""The graph of a SavedModel of objects while it is built: nodes for the variables, constants, tables and assets, the
calls of the signatures, the initialization, and functions that save and restore.

Source: tensorflow/python/saved_model/save.py, tensorflow/python/checkpoint/functional_saver.py (form and names).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from icefloe import datatypes, errors
from icefloe.checkpoint.object_graph import KEY
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import constant
from icefloe.graph.default_graph import control_dependencies, name_scope
from icefloe.graph.graph import Graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec
from icefloe.lib.concrete_functions import ConcreteFunction
from icefloe.lib.lookup import LookupInterface
from icefloe.lib.traced_functions import TracedFunction
from icefloe.lib.variable import Variable
from icefloe.proto import GraphDef, SaverDef
from icefloe.saved_models.assets import Asset
from icefloe.saved_models.captured_objects import CapturedObjects
from icefloe.saved_models.exported_functions import Capture, CapturedConstant, ExportedFunction


class ExportGraph:
    """The graph. captured: finds the objects that the program's functions take in.

    graph: the graph. functions: what was exported. assets: the assets, each with the tensor that takes its path.
    """

    def __init__(self, captured: CapturedObjects) -> None:
        self.graph = Graph()
        self.captured = captured
        self.functions: dict[int, ExportedFunction] = {}
        self.assets: list[tuple[Asset, Tensor]] = []
        self._tensors: dict[int, Tensor] = {}
        self._objects: dict[int, Any] = {}
        self._initializers: list[Operation] = []
        self._kept: list[Any] = []

    # Objects

    def tensor_of(self, value: Any) -> Tensor:
        """Return what stands for an object, which is made when it is first asked for.

        Raises: UnimplementedError for an object of a kind that cannot be saved.
        """
        known = self._tensors.get(id(value))
        if known is None:
            with self.graph.as_default(), control_dependencies(None):
                known = self._made(value)
            self._tensors[id(value)] = known
            self._objects[id(known)] = value
            self._kept.append(value)
        return known

    def _made(self, value: Any) -> Tensor:
        if isinstance(value, Variable):
            return self._variable(value.op.name, value.dtype.base_dtype, value.shape)
        if isinstance(value, CapturedConstant):
            return constant(value.value)
        if isinstance(value, LookupInterface):
            attrs = value.resource_handle.op
            return apply_op(
                attrs.type,
                **{key: attrs.get_attr(key) for key in ("shared_name", "key_dtype", "value_dtype")},
                name=attrs.name,
            )
        if isinstance(value, Asset):
            return self._asset(value)
        raise errors.UnimplementedError(f"saving a {type(value).__name__}")

    def _variable(self, name: str, dtype: datatypes.DType, shape: Any) -> Tensor:
        with name_scope(name) as scope:
            own = scope.removesuffix("/")
            handle: Tensor = apply_op(
                "VarHandleOp", shape=shape, dtype=dtype, shared_name=own, debug_name=scope, name=scope
            )
            with name_scope("Read"):
                apply_op("ReadVariableOp", handle, dtype=dtype)
        return handle

    def _asset(self, asset: Asset) -> Tensor:
        path = apply_op("Placeholder", dtype=datatypes.string, shape=[], name="asset_path_initializer")
        with name_scope("Variable") as scope:
            own = scope.removesuffix("/")
            handle = apply_op(
                "VarHandleOp", shape=[], dtype=datatypes.string, shared_name=own, debug_name=scope, name=scope
            )
            with name_scope("IsInitialized"):
                apply_op("VarIsInitializedOp", handle)
            assign = apply_op("AssignVariableOp", handle, path, name="Assign")
            with name_scope("Read"):
                apply_op("ReadVariableOp", handle, dtype=datatypes.string)
        self.assets.append((asset, path))
        self._initializers.append(assign)
        with control_dependencies([assign]):
            read: Tensor = apply_op("ReadVariableOp", handle, dtype=datatypes.string)
        return read

    # Functions

    def function(self, concrete: ConcreteFunction) -> ExportedFunction:
        """Return what is written of a function. Raises: as `CapturedObjects.find`."""
        known = self.functions.get(id(concrete))
        if known is None:
            captures = [self._capture(tensor, concrete._name) for tensor in concrete.captured_inputs]
            known = self.functions[id(concrete)] = ExportedFunction(concrete, captures)
            self._kept.append(concrete)
            with self.graph.as_default():
                known.add_to_graph()
        return known

    def _capture(self, tensor: Tensor, function: str) -> Capture:
        own = self._objects.get(id(tensor))
        return self.captured.find(tensor, function) if own is None else Capture(own)

    def call(self, exported: ExportedFunction, inputs: Sequence[Tensor]) -> Operation:
        """Add a call of a function to the graph."""
        captured = [self.tensor_of(value) for value in exported.captured]
        with self.graph.as_default():
            return exported.call_op([*inputs, *captured])

    def traced(self, python_function: Any, specs: Sequence[TensorSpec] = ()) -> tuple[TracedFunction, ConcreteFunction]:
        """Return a Python function, which takes tensors of this graph in, and what it is for arguments of `specs`."""
        function = TracedFunction(python_function, list(specs))
        with self.graph.as_default():
            return function, function.get_concrete_function()

    # Initialization

    def add_initializer(self, concrete: ConcreteFunction) -> None:
        """Let the initialization run a function without arguments."""
        self._initializers.append(self.call(self.function(concrete), []))

    def init_op(self) -> Operation:
        """Add the operation that initializes tables and assets."""
        with self.graph.as_default(), control_dependencies(self._initializers):
            op: Operation = apply_op("NoOp")
        return op

    # Saving

    def add_saver(self, variables: Sequence[tuple[str, Variable]], object_graph: bytes) -> SaverDef:
        """Add functions that save and restore variables, given with their keys, and return what names them."""
        keys = [key for key, _ in variables] + [KEY]
        slices = np.array([b""] * len(keys), object)
        names = np.array([key.encode() for key in keys], object)
        handles = [self.tensor_of(variable) for _, variable in variables]
        dtypes = [variable.dtype.base_dtype for _, variable in variables]
        with self.graph.as_default():
            graph_bytes = constant(np.array(object_graph, object), datatypes.string)
            filename = apply_op("Placeholder", dtype=datatypes.string, shape=[], name="saver_filename")

        def _traced_save(file_prefix: Tensor) -> Tensor:
            values = [apply_op("ReadVariableOp", handle, dtype=dtype) for handle, dtype in zip(handles, dtypes)]
            part = apply_op("StringJoin", [file_prefix, constant("_temp/part")])
            shard = apply_op("ShardedFilename", part, constant(0), constant(1))
            save = apply_op("SaveV2", shard, constant(names), constant(slices), [*values, graph_bytes])
            with control_dependencies([save]):
                shards = apply_op("Pack", [shard])
            merge = apply_op("MergeV2Checkpoints", shards, file_prefix)
            with control_dependencies([merge]):
                done: Tensor = apply_op("Identity", file_prefix)
            return done

        def _traced_restore(file_prefix: Tensor) -> Tensor:
            read = apply_op(
                "RestoreV2", file_prefix, constant(names), constant(slices), dtypes=[*dtypes, datatypes.string]
            )
            for handle, value in zip(handles, read, strict=False):
                apply_op("AssignVariableOp", handle, value)
            return file_prefix

        spec = TensorSpec([], datatypes.string, "file_prefix")
        calls = []
        for python_function in (_traced_save, _traced_restore):
            _, concrete = self.traced(python_function, [spec])
            with self.graph.as_default():
                calls.append(concrete.call_op([filename, *concrete.captured_inputs]))
        return SaverDef(
            filename_tensor_name=filename.name,
            save_tensor_name=calls[0].outputs[0].name,
            restore_op_name=calls[1].name,
            version=SaverDef.V2,
        )

    def to_graph_def(self) -> GraphDef:
        """Return the graph; its functions say the shapes of their arguments."""
        made = self.graph.as_graph_def()
        shapes = {exported.name: exported.input_shapes for exported in self.functions.values()}
        for function in made.library.function:
            if function.signature.name in shapes:
                function.attr["_input_shapes"].list.shape.extend(shapes[function.signature.name])
        return made
