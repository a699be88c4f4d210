"""Variables of both kinds: reading, assigning, counting, scattering, and what goes wrong."""

from __future__ import annotations

import numpy as np

from ops.sequences import Node, Sequence

TABLE = np.array([[1, 2], [3, 4], [5, 6]], np.float32)


def f32(*values: object) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, np.float32)


def i32(*values: object) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, np.int32)


def ref(value: np.ndarray, dtype: str = "float32", name: str = "v") -> list[Node]:
    """A reference variable and its initializer `<name>_init`."""
    return [
        Node(name, "VariableV2", shape=list(np.shape(value)), dtype=dtype),
        Node(f"{name}_init", "Assign", name, value),
    ]


def res(value: np.ndarray, dtype: str = "float32", name: str = "v") -> list[Node]:
    """A resource variable, its initializer and a read of it after `op`."""
    return [
        Node(name, "VarHandleOp", shape=list(np.shape(value)), dtype=dtype, shared_name=name),
        Node(f"{name}_init", "AssignVariableOp", name, value),
        Node("read", "ReadVariableOp", name, dtype=dtype),
    ]


def on_ref(
    name: str, op: str, *inputs: object, value: np.ndarray = TABLE, dtype: str = "float32", **attrs: object
) -> Sequence:
    """Initialize, apply `op` twice, read."""
    nodes = [*ref(value, dtype), Node("op", op, "v", *inputs, **attrs)]
    return Sequence(name, nodes, [["v_init"], ["op:0"], ["op:0"], ["v:0"]])


def on_res(
    name: str, op: str, *inputs: object, value: np.ndarray = TABLE, dtype: str = "float32", **attrs: object
) -> Sequence:
    nodes = [*res(value, dtype), Node("op", op, "v", *inputs, **attrs)]
    return Sequence(name, nodes, [["v_init"], ["op"], ["read:0"], ["op"], ["read:0"]])


def refused(name: str, op: str, *inputs: object) -> Sequence:
    """An update that fails. The value afterwards is not compared: here it is the old one, in TensorFlow it may be half new."""
    is_resource = op.startswith("Resource")
    nodes = [*(res(TABLE) if is_resource else ref(TABLE)), Node("op", op, "v", *inputs)]
    return Sequence(name, nodes, [["v_init"], ["op" if is_resource else "op:0"]])


SEQUENCES = [
    # order of effects within a run
    Sequence(
        "ref_fetched_with_its_update",
        [*ref(f32(1)), Node("add", "AssignAdd", "v", f32(1)), Node("read", "Identity", "v")],
        [["v_init:0"], ["v:0", "add:0"], ["add:0", "v:0", "read:0"], ["v:0"]],
    ),
    Sequence(
        "ref_read_then_updated_then_used",
        [
            *ref(f32([1, 2])),
            Node("read", "Identity", "v"),
            Node("add", "AssignAdd", "v", f32([10, 20]), after=("read",)),
            Node("use", "Mul", "read", f32([1, 1]), after=("add",)),
        ],
        [["v_init:0"], ["use:0"], ["use:0", "v:0"]],
    ),
    Sequence(
        "resource_read_then_updated_then_used",
        [
            *res(f32([1, 2])),
            Node("add", "AssignAddVariableOp", "v", f32([10, 20]), after=("read",)),
            Node("use", "Mul", "read", f32([1, 1]), after=("add",)),
            Node("again", "ReadVariableOp", "v", dtype="float32", after=("add",)),
        ],
        [["v_init"], ["use:0"], ["use:0", "again:0"], ["read:0"]],
    ),
    Sequence(
        "chain_of_ref_updates",
        [
            *ref(f32([1, 2])),
            Node("a", "AssignAdd", "v", f32([1, 1])),
            Node("b", "AssignSub", "a", f32([5, 5])),
            Node("c", "Assign", "b", f32([7, 8])),
            Node("out", "Identity", "c"),
        ],
        [["v_init:0"], ["b:0"], ["out:0"], ["v:0"]],
    ),
    # assignment
    on_ref("assign", "Assign", f32([[9, 9], [8, 8], [7, 7]])),
    on_ref("assign_other_shape", "Assign", f32([1, 2, 3, 4]), validate_shape=False),
    on_ref("assign_refused_shape", "Assign", f32([1, 2, 3, 4])),
    on_ref("assign_add_refused_shape", "AssignAdd", f32([1, 2])),
    on_ref("assign_add_int64", "AssignAdd", np.int64([5, -5]), value=np.int64([1, 2]), dtype="int64"),
    on_ref("assign_sub_half", "AssignSub", np.float16([0.1, 0.2]), value=np.float16([1, 2]), dtype="float16"),
    on_ref("assign_add_complex", "AssignAdd", np.complex64([1j, 2]), value=np.complex64([1, 2]), dtype="complex64"),
    on_ref(
        "assign_string", "Assign", np.array([b"x", b""], object), value=np.array([b"a", b"b"], object), dtype="string"
    ),
    on_ref("assign_bool", "Assign", np.array([True, False]), value=np.array([False, False]), dtype="bool"),
    on_res("assign_variable", "AssignVariableOp", f32([[9, 9], [8, 8], [7, 7]])),
    on_res("assign_variable_other_shape", "AssignVariableOp", f32([1, 2, 3, 4])),
    on_res("assign_variable_refused_shape", "AssignVariableOp", f32([1, 2, 3, 4]), validate_shape=True),
    on_res("assign_add_variable", "AssignAddVariableOp", TABLE),
    on_res("assign_sub_variable", "AssignSubVariableOp", TABLE),
    on_res("assign_add_variable_refused_shape", "AssignAddVariableOp", f32([1, 2])),
    on_res("assign_sub_variable_scalar", "AssignSubVariableOp", f32(1)),
    Sequence(
        "unknown_shape",
        [
            Node("v", "VariableV2", shape=None, dtype="float32"),
            Node("set", "Assign", "v", f32([1, 2]), validate_shape=False),
            Node("scalar", "Assign", "v", f32(3)),
        ],
        [["scalar:0"], ["v:0"], ["set:0"], ["scalar:0"], ["v:0"]],
    ),
    # without a value
    Sequence(
        "uninitialized_ref",
        [
            *ref(TABLE),
            Node("is", "IsVariableInitialized", "v"),
            Node("read", "Identity", "v"),
            Node("neg", "Neg", "v"),
            Node("add", "AssignAdd", "v", TABLE),
            Node("scatter", "ScatterAdd", "v", i32([0]), f32([[1, 1]])),
        ],
        [["is:0"], ["read:0"], ["neg:0"], ["add:0"], ["scatter:0"], ["v_init:0"], ["is:0"], ["neg:0"]],
    ),
    Sequence(
        "uninitialized_resource",
        [
            *res(TABLE),
            Node("is", "VarIsInitializedOp", "v"),
            Node("add", "AssignAddVariableOp", "v", TABLE),
            Node("gather", "ResourceGather", "v", i32([0]), dtype="float32"),
            Node("nd", "ResourceGatherNd", "v", i32([[0]]), dtype="float32"),
            Node("shape", "VariableShape", "v"),
            Node("scatter", "ResourceScatterAdd", "v", i32([0]), f32([[1, 1]])),
            Node("scatter_nd", "ResourceScatterNdAdd", "v", i32([[0]]), f32([[1, 1]])),
            Node("kill", "DestroyResourceOp", "v", ignore_lookup_error=True),
        ],
        [
            ["is:0"],
            ["read:0"],
            ["add"],
            ["gather:0"],
            ["nd:0"],
            ["shape:0"],
            ["scatter"],
            ["scatter_nd"],
            ["kill"],
            ["v_init"],
            ["is:0", "shape:0"],
            ["kill"],
            ["is:0"],
            ["read:0"],
            ["v_init"],
            ["read:0"],
        ],
    ),
    Sequence(
        "same_name_other_dtype",
        [
            *res(f32([1, 2])),
            Node("other", "VarHandleOp", shape=[2], dtype="int32", shared_name="v"),
            Node("as_int", "ReadVariableOp", "other", dtype="int32"),
            Node("set_int", "AssignVariableOp", "other", i32([1, 2])),
        ],
        [["v_init"], ["as_int:0"], ["set_int"], ["read:0"]],
    ),
    Sequence(
        "shared_names_and_containers",
        [
            Node("a", "VariableV2", shape=[2], dtype="float32", shared_name="s"),
            Node("b", "VariableV2", shape=[2], dtype="float32", shared_name="s"),
            Node("c", "VariableV2", shape=[2], dtype="float32", shared_name="s", container="other"),
            Node("h", "VarHandleOp", shape=[2], dtype="float32", shared_name="s"),
            Node("set", "Assign", "a", f32([1, 2])),
            Node("h_read", "ReadVariableOp", "h", dtype="float32"),
            Node("c_read", "Identity", "c"),
        ],
        [["set:0"], ["b:0"], ["h_read:0"], ["c_read:0"]],
    ),
    Sequence(
        "temporary",
        [
            Node("t", "TemporaryVariable", shape=[2], dtype="float32", var_name="tmp"),
            Node("set", "Assign", "t", f32([1, 2])),
            Node("add", "AssignAdd", "set", f32([1, 2])),
            Node("end", "DestroyTemporaryVariable", "add", var_name="tmp"),
        ],
        [["end:0"], ["end:0"]],
    ),
    # counting
    Sequence(
        "count_up_to",
        [*ref(i32(0), "int32"), Node("c", "CountUpTo", "v", limit=2)],
        [["v_init:0"], ["c:0"], ["c:0"], ["c:0"], ["v:0"]],
    ),
    Sequence(
        "resource_count_up_to",
        [*res(np.int64(3), "int64"), Node("c", "ResourceCountUpTo", "v", limit=4, T="int64")],
        [["v_init"], ["c:0"], ["c:0"], ["read:0"]],
    ),
    # gathering
    on_ref("gather_of_a_ref", "Gather", i32([2, 0])),
    Sequence(
        "resource_gather",
        [
            *res(np.arange(24, dtype=np.float32).reshape(2, 3, 4)),
            Node("rows", "ResourceGather", "v", i32([[1, 0], [0, 0]]), dtype="float32"),
            Node("batch", "ResourceGather", "v", i32([[2, 0], [1, 1]]), dtype="float32", batch_dims=1),
            Node("bad", "ResourceGather", "v", i32([0, 2]), dtype="float32"),
            Node("nd", "ResourceGatherNd", "v", i32([[1, 2], [0, 0]]), dtype="float32"),
            Node("shape64", "VariableShape", "v", out_type="int64"),
        ],
        [["v_init"], ["rows:0"], ["batch:0"], ["bad:0"], ["nd:0"], ["shape64:0"]],
    ),
    # strided slices
    *[
        make(f"{kind}_strided_slice_{name}", op, i32(begin), i32(end), i32(strides), f32(value), **masks)
        for kind, make, op in (
            ("ref", on_ref, "StridedSliceAssign"),
            ("resource", on_res, "ResourceStridedSliceAssign"),
        )
        for name, begin, end, strides, value, masks in (
            ("rows", [0], [2], [1], [[7, 8], [9, 10]], {}),
            ("broadcast", [0, 0], [3, 2], [1, 1], 5, {}),
            ("row_broadcast", [0, 0], [3, 2], [2, 1], [5, 6], {}),
            ("element", [1, 1], [2, 2], [1, 1], 5, {"shrink_axis_mask": 3}),
            ("backwards", [-1, 0], [0, 2], [-1, 1], [[1, 1], [2, 2]], {"end_mask": 1, "begin_mask": 0}),
            ("refused", [0], [2], [1], [[7, 8], [9, 10], [11, 12]], {}),
            ("new_axis", [0, 0], [0, 2], [1, 1], [[[7, 8], [9, 10]]], {"new_axis_mask": 1}),
        )
        if name != "backwards"
    ],
]

# scatter
for kind in ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max"):
    for make, op in ((on_ref, f"Scatter{kind}"), (on_res, f"ResourceScatter{kind}")):
        SEQUENCES += [
            make(op, op, i32([2, 0, 2]), f32([[1, 2], [3, 4], [5, 6]])),
            make(f"{op}_matrix_of_indices", op, i32([[2], [1]]), f32([[[1, 2]], [[3, 4]]])),
            make(f"{op}_scalar_update", op, i32([2, 0]), f32(7)),
            make(f"{op}_scalar_index", op, i32(1), f32([7, 8])),
            make(f"{op}_nothing", op, i32([]), np.zeros((0, 2), np.float32)),
            make(f"{op}_int", op, np.int64([0, 1, 1]), i32([2, 3, 2]), value=i32([-7, 9, 4]), dtype="int32"),
        ]
    SEQUENCES += [
        refused(f"Scatter{kind}_out_of_range", f"Scatter{kind}", i32([2, 3]), f32([[1, 2], [3, 4]])),
        refused(f"Scatter{kind}_negative", f"Scatter{kind}", i32([-1]), f32([[1, 2]])),
        refused(f"Scatter{kind}_refused_shape", f"Scatter{kind}", i32([2, 0]), f32([[1, 2, 3]])),
        refused(f"ResourceScatter{kind}_out_of_range", f"ResourceScatter{kind}", i32([2, 3]), f32([[1, 2], [3, 4]])),
    ]
SEQUENCES.append(on_ref("scatter_into_a_scalar", "ScatterAdd", i32([0]), f32([1]), value=f32(3)))
for kind in ("Update", "Add", "Sub", "Min", "Max"):
    for make, op in ((on_ref, f"ScatterNd{kind}"), (on_res, f"ResourceScatterNd{kind}")):
        SEQUENCES += [
            make(op, op, i32([[2, 0], [1, 1]]), f32([9, -9])),
            make(f"{op}_rows", op, i32([[2], [0]]), f32([[9, -9], [7, 7]])),
            refused(f"{op}_out_of_range", op, i32([[0, 0], [3, 0]]), f32([1, 2])),
            make(f"{op}_refused_count", op, i32([[2], [0]]), f32([1])),
            make(f"{op}_refused_depth", op, i32([[2, 0, 1]]), f32([1])),
        ]
    SEQUENCES.append(on_ref(f"ScatterNd{kind}_repeated", f"ScatterNd{kind}", i32([[2, 0], [2, 0]]), f32([9, -9])))
