"""Which object of a program a tensor stands for that a function takes in from outside.

VarHandleOp, HashTableV2             the variable or table, which must be below the object that is saved
a read of a variable, a reference    the variable, read in the function
Const                                a constant, or the asset whose path it is
any other tensor                     a constant: its value in the session, if it depends on no variable and no feed
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.attributes import as_attr
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.graph.tensor_proto import make_ndarray
from icefloe.lib.lookup import LookupInterface, TextFileInitializer
from icefloe.lib.variable import Variable
from icefloe.saved_models.assets import Asset
from icefloe.saved_models.exported_functions import Capture, CapturedConstant

_REFERENCES = frozenset(("Variable", "VariableV2", "AutoReloadVariable", "TemporaryVariable"))
_READS = frozenset(("Identity", "ReadVariableOp"))
_FED = frozenset(("Placeholder", "PlaceholderV2", "PlaceholderWithDefault"))


class UntrackedError(errors.FailedPreconditionError, AssertionError):
    """A function takes in a variable or table that is not below the object that is saved."""


class CapturedObjects:
    """Finds the objects that tensors stand for. session: computes constants; None if there is none."""

    def __init__(self, objects: Iterable[Any], session: Any) -> None:
        self._session = session
        self._owners: dict[Operation, Any] = {}
        self._constants: dict[int, CapturedConstant] = {}
        self._kept: list[Tensor] = []
        self._assets: dict[int, Asset] = {}
        for value in objects:
            if isinstance(value, Variable):
                self._owners[value.op] = value
            elif isinstance(value, LookupInterface):
                handle = value.resource_handle
                self._owners[handle.op] = value
                made_by = getattr(value, "_initializer", None)
                if isinstance(made_by, TextFileInitializer):
                    self._assets[id(made_by._filename)] = self.asset_of(made_by)
            elif isinstance(value, Asset):
                self._assets[id(value.asset_path)] = value

    @staticmethod
    def asset_of(initializer: TextFileInitializer) -> Asset:
        """Return the asset of the file that a table is filled from."""
        known = vars(initializer).get("_saved_asset")
        if known is None:
            known = Asset.__new__(Asset)
            known._path = initializer._filename
            vars(initializer)["_saved_asset"] = known
        found: Asset = known
        return found

    def find(self, tensor: Tensor, function: str) -> Capture:
        """Return what `tensor`, which the function of this name takes in, stands for.

        Raises: UntrackedError for a variable or table that is not below the root; UnimplementedError for what a
        SavedModel has no place for.
        """
        op = tensor.op
        if op.type == "VarHandleOp" or tensor.dtype.name == "resource":
            return Capture(self._owner(op, tensor, function))
        source, is_read = op, op.type in _REFERENCES
        while source.type in _READS and source.inputs:
            is_read = is_read or source.type == "ReadVariableOp" or source.inputs[0].op.type in _REFERENCES
            source = source.inputs[0].op
        if is_read and (source.type == "VarHandleOp" or source.type in _REFERENCES):
            if tensor.dtype._is_ref_dtype:
                self._check_only_read(tensor, function)
            return Capture(self._owner(source, tensor, function), read=True)
        asset = self._assets.get(id(tensor))
        return Capture(self.constant(tensor, function) if asset is None else asset)

    def _owner(self, op: Operation, tensor: Tensor, function: str) -> Any:
        owner = self._owners.get(op)
        if owner is not None:
            return owner
        if op.type not in _REFERENCES and op.type != "VarHandleOp" and "Table" not in op.type:
            raise errors.UnimplementedError(
                f"function {function!r} takes in {tensor.name!r} of a {op.type}, which a SavedModel has no place for"
            )
        raise UntrackedError(
            "Tried to export a function which references an 'untracked' resource. TensorFlow objects (e.g. tf.Variable)"
            " captured by functions must be 'tracked' by assigning them to an attribute of a tracked object or assigned"
            f" to an attribute of the main object directly. See the information below:\n\tFunction name = {function}\n"
            f"\tCaptured Tensor = {tensor.name}"
        )

    @staticmethod
    def _check_only_read(tensor: Tensor, function: str) -> None:
        raise errors.UnimplementedError(
            f"function {function!r} takes in the reference {tensor.name!r} and may change it",
            hint="make the variable with use_resource=True, or call enable_resource_variables() first",
        )

    def constant(self, tensor: Tensor, function: str) -> CapturedConstant:
        """Return a tensor's value, as one object for each tensor. Raises: UnimplementedError as `find`."""
        known = self._constants.get(id(tensor))
        if known is None:
            known = self._constants[id(tensor)] = CapturedConstant(self._value(tensor, function))
            self._kept.append(tensor)
        return known

    def _value(self, tensor: Tensor, function: str) -> Any:
        if tensor.op.type == "Const":
            return make_ndarray(as_attr(tensor.op.node_def.attr["value"]).tensor)
        seen: set[Operation] = set()
        waiting = [tensor.op]
        while waiting:
            op = waiting.pop()
            if op in seen:
                continue
            seen.add(op)
            if op.type in _FED or op.type in _REFERENCES or op.type == "VarHandleOp":
                raise errors.UnimplementedError(
                    f"function {function!r} takes in {tensor.name!r}, which depends on {op.name!r} ({op.type})",
                    hint="compute it inside of the function, so that the SavedModel computes it anew",
                )
            waiting.extend(x.op for x in op.inputs)
            waiting.extend(op.control_inputs)
        if tensor.dtype.name == "variant" or self._session is None:
            why = "is a variant" if self._session is not None else "is computed, and there is no session"
            raise errors.UnimplementedError(f"function {function!r} takes in {tensor.name!r}, which {why}")
        return np.asarray(self._session.run(tensor))
