"""What the planner must know of an op beyond its signature: whether it writes to a variable, or is control flow."""

from __future__ import annotations

import functools

from icefloe import errors, opdefs


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Hand their only reference input on without touching its value.
_PASS_A_REFERENCE = _names(
    "RefIdentity RefSwitch RefMerge RefEnter RefExit RefNextIteration RefSelect IsVariableInitialized"
)
# Take a resource handle and change what is behind it.
_WRITE_A_RESOURCE = (
    "Assign",
    "ResourceScatter",
    "ResourceApply",
    "ResourceSparseApply",
    "ResourceStridedSliceAssign",
    "ResourceCountUpTo",
    "LookupTableInsert",
    "LookupTableRemove",
    "LookupTableImport",
    "InitializeTable",
    "DestroyResourceOp",
)
# Take a resource handle and do not need its variable to have a value.
_NEED_NO_VALUE = _names(
    "AssignVariableOp VarIsInitializedOp DestroyResourceOp Identity Switch Merge Enter Exit NextIteration NoOp"
)

# A value that is a variable's cell passes these as the cell, so that what follows sees the variable as it is then.
CELL_PASSES = _names(
    "Identity Switch RefSwitch Merge RefMerge RefIdentity Enter RefEnter Exit RefExit NextIteration RefNextIteration "
    "RefSelect"
)

CONTROL_FLOW = _names(
    "Switch _SwitchN Merge Enter Exit NextIteration LoopCond RefSwitch RefMerge RefEnter RefExit RefNextIteration"
)
# These make a loop; without them, control flow is conditionals only.
LOOPS = _names("Enter Exit NextIteration LoopCond RefEnter RefExit RefNextIteration")
# Loops whose condition and body are functions.
WHILES = _names("While StatelessWhile _While")
BACK_EDGES = _names("NextIteration RefNextIteration")
PLACEHOLDERS = _names("Placeholder PlaceholderV2")

# Their output is the cell of a variable of the session: the same object in every run.
HANDLES = _names("VarHandleOp VariableV2 Variable")


@functools.cache
def writes(op_type: str) -> bool:
    """Return whether an op changes a variable or a table: such a step comes after all that no edge puts behind it."""
    try:
        signature = opdefs.signature(op_type)
    except errors.NotFoundError:
        return False
    if any(arg.is_ref for arg in signature.inputs):
        return op_type not in _PASS_A_REFERENCE
    return op_type.startswith(_WRITE_A_RESOURCE)


def needs_value(op_type: str) -> bool:
    """Return whether an op that gets a variable's resource handle needs the variable to be initialized."""
    return op_type not in _NEED_NO_VALUE
