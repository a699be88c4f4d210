"""Compressed sparse row matrices: made, taken apart, multiplied, transposed and factored."""

from __future__ import annotations

from typing import Any

import numpy as np

from ops.sequences import Node, Sequence

F32, F64, C64 = np.float32, np.float64, np.complex64


def const(name: str, value: Any, dtype: Any = F32) -> Node:
    array = np.array(value, dtype)
    return Node(name, "Const", value=("tensor", array), dtype=array.dtype.name)


def sparse(name: str, dense: Any, dtype: Any = F32) -> list[Node]:
    """Nodes that make matrix `name` of all elements of `dense` that are no zeros."""
    array = np.array(dense, dtype)
    where = np.argwhere(array)
    return [
        const(f"{name}_indices", where, np.int64),
        const(f"{name}_values", array[tuple(where.T)], dtype),
        const(f"{name}_shape", array.shape, np.int64),
        Node(name, "SparseTensorToCSRSparseMatrix", f"{name}_indices", f"{name}_values", f"{name}_shape"),
    ]


def dense(name: str, matrix: str, dtype: Any = F32) -> Node:
    return Node(name, "CSRSparseMatrixToDense", matrix, type=np.dtype(dtype).name)


def listed(name: str, matrix: str, dtype: Any = F32) -> Node:
    return Node(name, "CSRSparseMatrixToSparseTensor", matrix, type=np.dtype(dtype).name)


A = [[0, 1, 0, -2], [0, 0, 0, 0], [3, 0, 0.5, 0]]
B = [[1, 0], [0, 2], [4, 0], [0, 1]]
BATCH = [[[1, 0, 2], [0, 0, 3]], [[0, 0, 0], [0, 4, 0]], [[5, 0, 0], [6, 7, 0]]]
COMPLEX = [[1j, 0, 2 - 1j], [0, 3, 0]]
SPD = [[4, 1, 0, 0, 1], [1, 5, 2, 0, 0], [0, 2, 6, 1, 0], [0, 0, 1, 7, 0], [1, 0, 0, 0, 8]]
HERMITIAN = [[4, 1 - 1j, 0], [1 + 1j, 5, 2j], [0, -2j, 6]]
EVERYTHING = ["d:0", "s:0", "s:1", "s:2", "n:0"]


def taken_apart(name: str, value: Any, dtype: Any) -> Sequence:
    nodes = [*sparse("m", value, dtype), dense("d", "m", dtype), listed("s", "m", dtype)]
    return Sequence(name, [*nodes, Node("n", "SparseMatrixNNZ", "m")], [EVERYTHING])


def components(name: str, value: Any, index: int) -> Sequence:
    part = Node("c", "CSRSparseMatrixComponents", "m", "i", type="float32")
    return Sequence(name, [*sparse("m", value), const("i", index, np.int32), part], [["c:0", "c:1", "c:2"]])


def flags(**given: bool) -> dict[str, bool]:
    names = ("transpose_a", "transpose_b", "adjoint_a", "adjoint_b")
    return {n: given.get(n, False) for n in names}


def product(name: str, a: Any, b: Any, dtype: Any = F32, out: dict[str, bool] | None = None, **given: bool) -> Sequence:
    attrs = {**flags(**given), "transpose_output": False, "conjugate_output": False, **(out or {})}
    node = Node("y", "SparseMatrixMatMul", "m", "b", **attrs)
    return Sequence(name, [*sparse("m", a, dtype), const("b", b, dtype), node], [["y:0"]])


def sparse_product(name: str, a: Any, b: Any, dtype: Any = F32, **given: bool) -> Sequence:
    node = Node("y", "SparseMatrixSparseMatMul", "m", "b", type=np.dtype(dtype).name, **flags(**given))
    return Sequence(
        name,
        [*sparse("m", a, dtype), *sparse("b", b, dtype), node, listed("s", "y", dtype)],
        [["s:0", "s:1", "s:2"]],
    )


def transposed(name: str, value: Any, dtype: Any, conjugate: bool) -> Sequence:
    node = Node("t", "SparseMatrixTranspose", "m", conjugate=conjugate, type=np.dtype(dtype).name)
    return Sequence(name, [*sparse("m", value, dtype), node, listed("s", "t", dtype)], [["s:0", "s:1", "s:2"]])


def factor(name: str, value: Any, order: Any, dtype: Any = F32) -> Sequence:
    node = Node("f", "SparseMatrixSparseCholesky", "m", "p", type=np.dtype(dtype).name)
    nodes = [*sparse("m", value, dtype), const("p", order, np.int32), node, listed("s", "f", dtype)]
    return Sequence(name, nodes, [["s:0", "s:1", "s:2"]])


SEQUENCES = [
    taken_apart("float32", A, F32),
    taken_apart("float64 batch", BATCH, F64),
    taken_apart("complex64", COMPLEX, C64),
    taken_apart("complex128", COMPLEX, np.complex128),
    taken_apart("no entries", np.zeros((2, 3)), F32),
    taken_apart("no entries in a batch", np.zeros((2, 2, 3)), F32),
    Sequence(
        "from dense",
        [
            const("x", A),
            const("i", [[0, 1], [1, 2], [2, 0]], np.int64),
            Node("m", "DenseToCSRSparseMatrix", "x", "i"),
            listed("s", "m"),
        ],
        [["s:0", "s:1", "s:2"]],
    ),
    Sequence(
        "from dense, index too large",
        [
            const("x", A),
            Node("i", "Const", value=("tensor", np.array([[0, 9]], np.int64)), dtype="int64"),
            Node("m", "DenseToCSRSparseMatrix", "x", "i"),
            listed("s", "m"),
        ],
        [["s:0"]],
    ),
    Sequence(
        "row too large",
        [
            const("i", [[5, 0]], np.int64),
            const("v", [1.0]),
            const("n", [3, 2], np.int64),
            Node("m", "SparseTensorToCSRSparseMatrix", "i", "v", "n"),
            listed("s", "m"),
        ],
        [["s:0"]],
    ),
    components("components", A, 0),
    components("components of a batch", BATCH, 2),
    components("components out of range", BATCH, 3),
    Sequence("wrong dtype", [*sparse("m", A), dense("d", "m", F64)], [["d:0"]]),
    product("product", A, B),
    product("product float64", A, B, F64),
    product("product transpose_a", A, np.ones((3, 2)), transpose_a=True),
    product("product transpose_b", A, np.transpose(B), transpose_b=True),
    product("product adjoint complex", COMPLEX, [[1, 1j], [2, 3]], C64, adjoint_a=True),
    product("product adjoint_b complex", COMPLEX, [[1, 1j, 2]], C64, adjoint_b=True),
    product("product out", COMPLEX, [[1], [1j], [2]], C64, {"transpose_output": True, "conjugate_output": True}),
    product("product batch", BATCH, np.arange(18).reshape(3, 3, 2)),
    product("product batch transposed", BATCH, np.arange(12).reshape(3, 2, 2), transpose_a=True),
    sparse_product("sparse product", A, B),
    sparse_product("sparse product that cancels", [[1, 1], [0, 1]], [[2, 0], [-2, 3]]),
    sparse_product("sparse product transpose_a", A, [[1, 0], [0, 2], [4, 0]], transpose_a=True),
    sparse_product("sparse product adjoint", COMPLEX, COMPLEX, C64, adjoint_b=True),
    sparse_product("sparse product batch", BATCH, np.transpose(BATCH, (0, 2, 1)), F64),
    transposed("transposed", A, F32, False),
    transposed("transposed batch", BATCH, F64, True),
    transposed("transposed complex", COMPLEX, C64, True),
    factor("factor", SPD, np.arange(5)),
    factor("factor in another order", SPD, [4, 0, 3, 1, 2], F64),
    factor("factor complex", HERMITIAN, [0, 1, 2], C64),
    factor("factor of a batch", [SPD, SPD], [np.arange(5), [1, 0, 2, 4, 3]]),
    factor("factor of what is not positive", [[1, 2], [2, 1]], [0, 1]),
]
