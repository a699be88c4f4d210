"""How much of TensorFlow's op registry is computed here, family by family."""

from __future__ import annotations

import re
from dataclasses import dataclass

from icefloe import errors, opdefs
from icefloe.graph import registry
from icefloe.opdefs import kernel_types

# Ops with a CPU kernel that no graph file is about: accelerators, clusters, TensorFlow's own tests and debugger.
_OUT_OF_SCOPE = re.compile(
    r"_|Mkl|.*(Xla|TPU|Tpu|MLIR|Collective|Nccl|DataService|Rpc)|Infeed|Outfeed|Debug|DumpTensor$|(Send|Recv)$|"
    r"(ConstructionFails|DevicePlacementOp|DtypeWithDefaultOp|Fact|GetDeadline|GraphDefVersion|KernelLabel|"
    r"KernelLabelRequired|NegTrain|Old|SleepIdentityOp|SleepOp|StubResourceHandleOp|ResourceCreateOp|"
    r"ResourceInitializedOp|ResourceUsingOp|TestAttr|IsTensorFloat32Enabled|EagerPyFunc|DistributedSave)$"
)

# Family of an op that nothing is written for, by the module of TensorFlow's wrapper.
_FAMILY_OF_GROUP = {
    "experimental_dataset": "data",
    "dataset": "data",
    "training": "state",
    "sdca": "state",
    "debug": "flow",
    "batch": "data_flow",
    "uniform_quant": "nn",
    "decode_proto": "parsing",
    "encode_proto": "parsing",
    "audio": "signal",
    "logging": "summary",
    "": "other",
}


@dataclass(frozen=True, slots=True)
class FamilyCoverage:
    """The ops of a family that TensorFlow has a CPU kernel for: the names of those computed here and of the others."""

    family: str
    computed: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def total(self) -> int:
        """The number of ops of the family."""
        return len(self.computed) + len(self.missing)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Families in the order of their names."""

    families: tuple[FamilyCoverage, ...]

    @property
    def computed(self) -> int:
        """The number of ops that run here."""
        return sum(len(f.computed) for f in self.families)

    @property
    def total(self) -> int:
        """The number of ops in the registry."""
        return sum(f.total for f in self.families)


def family(op: str) -> str:
    """Return the family that `op` belongs to: where its kernel is, or would be."""
    found = opdefs.family(op)
    if found is None:
        group = kernel_types.table().get(op, {"group": ""})["group"]
        found = _FAMILY_OF_GROUP.get(group, group)
    return found


def coverage(family_name: str | None = None) -> Coverage:
    """Return which ops with a CPU kernel in TensorFlow 2.21 have one here.

    Ops of accelerators and clusters, internal ones and those that TensorFlow has for its own tests do not count.

    family_name: only that family, such as "math".

    Raises: NotFoundError if there is no such family.
    """
    ops: dict[str, tuple[list[str], list[str]]] = {}
    for op in kernel_types.table():
        if not _OUT_OF_SCOPE.match(op):
            computed, missing = ops.setdefault(family(op), ([], []))
            (missing if registry.find_kernel(op) is None else computed).append(op)
    if family_name is not None and family_name not in ops:
        raise errors.NotFoundError(f"no family of ops {family_name!r}", hint=f"There are: {', '.join(sorted(ops))}.")
    return Coverage(
        tuple(
            FamilyCoverage(name, tuple(sorted(computed)), tuple(sorted(missing)))
            for name, (computed, missing) in sorted(ops.items())
            if family_name in (None, name)
        )
    )
