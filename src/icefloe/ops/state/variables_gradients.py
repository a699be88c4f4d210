"""Gradient rules of variables, and the ops of state, queues and random numbers that pass none."""

from __future__ import annotations

from typing import Any

from icefloe.graph.operation import Operation
from icefloe.graph.registry import gradient, not_differentiable


@gradient("ReadVariableOp")
def read(op: Operation, grad: Any) -> Any:
    """The gradient of the variable, by its handle."""
    return grad


@gradient("VariableShape", "VarIsInitializedOp")
def told(op: Operation, grad: Any) -> list[None]:
    """What is told about a variable passes no gradient."""
    return [None]


not_differentiable(
    "Assign",
    "AssignAdd",
    "AssignSub",
    "AssignVariableOp",
    "CountUpTo",
    "DestroyTemporaryVariable",
    "IsVariableInitialized",
    "Multinomial",
    "ParameterizedTruncatedNormal",
    "RandomStandardNormal",
    "RandomUniform",
    "RandomUniformInt",
    "ScatterAdd",
    "ScatterDiv",
    "ScatterMul",
    "ScatterNdAdd",
    "ScatterNdSub",
    "ScatterNdUpdate",
    "ScatterSub",
    "ScatterUpdate",
    "StatelessMultinomial",
    "StatelessRandomNormal",
    "StatelessRandomUniform",
    "StatelessTruncatedNormal",
    "TemporaryVariable",
    "TruncatedNormal",
    "VarHandleOp",
    "Variable",
    "VariableV2",
    "Stack",
    "StackV2",
    "StackPush",
    "StackPop",
    "StackClose",
    "StackPushV2",
    "StackPopV2",
    "StackCloseV2",
    "QueueEnqueue",
    "QueueEnqueueMany",
    "QueueDequeue",
    "QueueDequeueMany",
    "QueueDequeueUpTo",
    "QueueClose",
    "QueueSize",
    "GetSessionHandle",
    "GetSessionHandleV2",
    "GetSessionTensor",
    "DeleteSessionTensor",
    "ReaderRead",
    "HashTable",
    "HashTableV2",
    "LookupTableFind",
    "LookupTableFindV2",
    "LookupTableInsert",
    "LookupTableInsertV2",
    "LookupTableSize",
    "LookupTableSizeV2",
    "DecodeRaw",
    "ParseTensor",
    "SerializeTensor",
    "StringToNumber",
    "TensorSummary",
    "TensorSummaryV2",
)
