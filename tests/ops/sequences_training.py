"""Optimizer updates: each op of each form, some dtypes, three steps; sparse ones with a row named twice."""

from __future__ import annotations

import numpy as np

from ops.sequences import Node, Sequence

VALUES = np.array([[1.0, -2.0, 0.5], [0.25, 3.0, -0.125], [-1.5, 0.75, 2.0], [0.1, -0.2, 0.3]])
SLOT = np.array([[0.5, 0.1, 1.0], [2.0, 0.3, 0.7], [0.9, 1.1, 0.2], [0.4, 0.6, 0.8]])
GRAD = np.array([[0.1, -0.2, 0.3], [-0.4, 0.05, 0.0], [0.7, 0.8, -0.9], [1.0, -1.1, 0.12]])

# suffix -> slots, scalars before the gradient, scalars after it, attrs, whether there is a sparse form
OPTIMIZERS: dict[str, tuple[int, dict[str, float], dict[str, float], list[dict[str, object]], bool]] = {
    "GradientDescent": (0, {"alpha": 0.1}, {}, [{}], False),
    "ProximalGradientDescent": (0, {"alpha": 0.1, "l1": 0.2, "l2": 0.3}, {}, [{}], True),
    "Adadelta": (2, {"lr": 0.5, "rho": 0.9, "epsilon": 1e-2}, {}, [{}], True),
    "Adagrad": (1, {"lr": 0.1}, {}, [{}, {"update_slots": False}], True),
    "AdagradV2": (1, {"lr": 0.1, "epsilon": 1e-2}, {}, [{}], True),
    "AdagradDA": (2, {}, {"lr": 0.1, "l1": 0.05, "l2": 0.3, "global_step": 3}, [{}], True),
    "ProximalAdagrad": (1, {"lr": 0.1, "l1": 0.2, "l2": 0.3}, {}, [{}], True),
    "Ftrl": (2, {}, {"lr": 0.1, "l1": 0.2, "l2": 0.3, "lr_power": -0.5}, [{}, {"multiply_linear_by_lr": True}], True),
    "FtrlV2": (2, {}, {"lr": 0.1, "l1": 0.2, "l2": 0.3, "l2_shrinkage": 0.1, "lr_power": -0.6}, [{}], True),
    "Momentum": (1, {"lr": 0.1}, {"momentum": 0.9}, [{}, {"use_nesterov": True}], True),
    "KerasMomentum": (1, {"lr": 0.1}, {"momentum": 0.9}, [{}, {"use_nesterov": True}], True),
    "Adam": (
        2,
        {"beta1_power": 0.9, "beta2_power": 0.99, "lr": 0.1, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-3},
        {},
        [{}, {"use_nesterov": True}],
        False,
    ),
    "AdamWithAmsgrad": (
        3,
        {"beta1_power": 0.9, "beta2_power": 0.99, "lr": 0.1, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-3},
        {},
        [{}],
        False,
    ),
    "AdaMax": (2, {"beta1_power": 0.9, "lr": 0.1, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-3}, {}, [{}], False),
    "RMSProp": (2, {"lr": 0.1, "rho": 0.9, "momentum": 0.5, "epsilon": 1e-2}, {}, [{}], True),
    "CenteredRMSProp": (3, {"lr": 0.1, "rho": 0.9, "momentum": 0.5, "epsilon": 2.0}, {}, [{}], True),
    "AddSign": (1, {"lr": 0.1, "alpha": 1.0, "sign_decay": 0.9, "beta": 0.8}, {}, [{}], False),
    "PowerSign": (1, {"lr": 0.1, "logbase": 1.0, "sign_decay": 0.9, "beta": 0.8}, {}, [{}], False),
}
RESOURCE_ONLY = ("KerasMomentum", "AdamWithAmsgrad")
# TensorFlow has no float16 kernels of these.
NO_HALF = ("ProximalGradientDescent", "AdagradDA", "ProximalAdagrad")
ROWS = np.array([2, 0, 2], np.int32)
# What 16 bits hold rounds differently in another order of the same sums.
TOLERANCE = {"float16": 4e-3, "float32": 1e-5, "float64": 1e-12}


def variable(name: str, value: np.ndarray, dtype: str, is_resource: bool) -> list[Node]:
    if is_resource:
        return [
            Node(name, "VarHandleOp", shape=list(value.shape), dtype=dtype, shared_name=name),
            Node(f"{name}_init", "AssignVariableOp", name, value.astype(dtype)),
            Node(f"{name}_read", "ReadVariableOp", name, dtype=dtype),
        ]
    return [
        Node(name, "VariableV2", shape=list(value.shape), dtype=dtype),
        Node(f"{name}_init", "Assign", name, value.astype(dtype)),
        Node(f"{name}_read", "Identity", name),
    ]


def step(suffix: str, dtype: str, attrs: dict[str, object], is_resource: bool, is_sparse: bool) -> Sequence:
    slots, before, after, _, _ = OPTIMIZERS[suffix]
    names = ["var", *[f"slot{i}" for i in range(slots)]]
    nodes = [n for name in names for n in variable(name, VALUES if name == "var" else SLOT, dtype, is_resource)]

    def scalars(values: dict[str, float]) -> list[np.ndarray]:
        return [np.array(v, "int64" if k == "global_step" else dtype) for k, v in values.items()]

    op = f"{'Resource' if is_resource else ''}{'Sparse' if is_sparse else ''}Apply{suffix}"
    gradient: list[object] = [GRAD[: len(ROWS)].astype(dtype), ROWS] if is_sparse else [GRAD.astype(dtype)]
    inputs = [*names, *scalars(before), *gradient, *scalars(after)]
    nodes.append(Node("apply", op, *inputs, **attrs))
    label = "_".join([op, dtype, *[f"{k}_{v}" for k, v in attrs.items()]])
    reads = [f"{name}_read:0" for name in names]
    return Sequence(
        label, nodes, [[f"{n}_init" for n in names], ["apply"], reads, ["apply"], ["apply"], reads], TOLERANCE[dtype]
    )


SEQUENCES = [
    step(suffix, dtype, attrs, is_resource, is_sparse)
    for suffix, (_, _, _, variants, has_sparse) in OPTIMIZERS.items()
    for is_resource in (False, True)
    for is_sparse in (False, True)
    for attrs in variants
    for dtype in ("float32", "float64", "float16")
    if (is_resource or suffix not in RESOURCE_ONLY)
    and (has_sparse or not is_sparse)
    and not (dtype == "float16" and suffix in NO_HALF)
    and (dtype == "float32" or not attrs)
]


def refused(name: str, op: str, *inputs: object) -> Sequence:
    nodes = [
        Node("v", "VariableV2", shape=[2, 2], dtype="float32"),
        Node("a", "VariableV2", shape=[2, 2], dtype="float32"),
        Node("b", "VariableV2", shape=[3], dtype="float32"),
        Node("v_init", "Assign", "v", np.ones((2, 2), np.float32)),
        Node("a_init", "Assign", "a", np.ones((2, 2), np.float32)),
        Node("b_init", "Assign", "b", np.ones(3, np.float32)),
        Node("op", op, *inputs),
    ]
    return Sequence(name, nodes, [["op:0"], ["v_init", "a_init", "b_init"], ["op:0"]])


ONE = np.float32(0.5)
SEQUENCES += [
    refused("gradient_of_another_shape", "ApplyGradientDescent", "v", ONE, np.ones(3, np.float32)),
    refused("rate_that_is_no_scalar", "ApplyGradientDescent", "v", np.ones(1, np.float32), np.ones((2, 2), np.float32)),
    refused(
        "row_out_of_range", "SparseApplyAdagrad", "v", "a", ONE, np.ones((1, 2), np.float32), np.array([2], np.int32)
    ),
    refused("negative_row", "SparseApplyAdagrad", "v", "a", ONE, np.ones((1, 2), np.float32), np.array([-1], np.int32)),
    refused(
        "rows_of_another_count",
        "SparseApplyAdagrad",
        "v",
        "a",
        ONE,
        np.ones((2, 2), np.float32),
        np.array([1], np.int32),
    ),
    refused(
        "rows_of_another_size",
        "SparseApplyAdagrad",
        "v",
        "a",
        ONE,
        np.ones((1, 3), np.float32),
        np.array([1], np.int32),
    ),
]
