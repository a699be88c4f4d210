"""Activations, softmax and its losses, biases, top-k, data formats."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from ops.case import Case

F = np.float32
I = np.int32
bfloat16 = np.dtype(ml_dtypes.bfloat16)
rng = np.random.default_rng(2)
X = np.array([[-7, -1, -0.25, 0], [0.5, 3, 6, 9]], F)
G = np.array([[1, -2, 0.5, 3], [4, -1, 2, 0.25]], F)
WIDE = np.array([-100, -20, -1e-6, 1e-6, 20, 100, np.inf, -np.inf, np.nan], F)
FLOATS = [np.dtype(np.float16), bfloat16, np.dtype(np.float32), np.dtype(np.float64)]


def ints(*values: int) -> np.ndarray:
    return np.array(values, I)


def activations() -> list[Case]:
    cases = []
    for op in ("Relu", "Relu6", "LeakyRelu", "Elu", "Selu", "Softplus", "Softsign"):
        cases += [Case(op, X.astype(d)) for d in FLOATS]
        cases += [Case(op, WIDE), Case(op, F(-2)), Case(op, np.zeros((0, 3), F))]
    for op in ("ReluGrad", "Relu6Grad", "LeakyReluGrad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad"):
        cases += [Case(op, G.astype(d), X.astype(d)) for d in FLOATS]
        cases += [Case(op, F([np.inf, 1, np.nan, np.inf]), F([-1, np.nan, -1, 0]))]
        cases += [Case(op, G, X[:1]), Case(op, np.zeros((0, 3), F), np.zeros((0, 3), F))]
    cases += [Case(op, np.array([-3, 0, 7], d)) for op in ("Relu", "Relu6") for d in ("int8", "int32", "int64")]
    cases += [
        Case("Relu", np.array([0, 255], np.uint8)),
        Case("LeakyRelu", X, alpha=0.01),
        Case("LeakyRelu", X, alpha=2.0),
        Case("LeakyReluGrad", G, X, alpha=-0.5),
    ]
    return cases


def losses() -> list[Case]:
    logits = rng.normal(size=(3, 5)).astype(F) * 4
    labels = np.abs(rng.normal(size=(3, 5))).astype(F)
    labels /= labels.sum(axis=1, keepdims=True)
    cases = []
    for d in FLOATS:
        wide = {"tol": 2e-2} if d.itemsize == 2 else {}
        cases += [
            Case("Softmax", logits.astype(d), **wide),
            Case("LogSoftmax", logits.astype(d), **wide),
            Case("SoftmaxCrossEntropyWithLogits", logits.astype(d), labels.astype(d), **wide),
            Case("SparseSoftmaxCrossEntropyWithLogits", logits.astype(d), ints(4, 0, 2), **wide),
        ]
    cases += [
        Case("Softmax", logits[0]),
        Case("Softmax", F([[1000, 1001], [-1000, -1001]])),
        Case("Softmax", rng.normal(size=(2, 3, 4)).astype(F)),
        Case("Softmax", np.zeros((2, 0), F)),
        Case("Softmax", np.zeros((0, 2), F)),
        Case("LogSoftmax", rng.normal(size=(2, 3, 4)).astype(F)),
        Case("LogSoftmax", F([[1000, -1000, 0]])),
        Case("LogSoftmax", np.zeros((2, 0), F)),
        Case("SoftmaxCrossEntropyWithLogits", logits, labels[:1]),
        Case("SoftmaxCrossEntropyWithLogits", logits[:, :1], labels),
        Case("SoftmaxCrossEntropyWithLogits", logits, labels[:2]),
        Case("SoftmaxCrossEntropyWithLogits", logits[0], labels[0]),
        Case("SoftmaxCrossEntropyWithLogits", np.zeros((2, 0), F), np.zeros((2, 0), F)),
        Case("SoftmaxCrossEntropyWithLogits", np.zeros((0, 2), F), np.zeros((0, 2), F)),
        Case("SoftmaxCrossEntropyWithLogits", F([[0, -np.inf]]), F([[1, 0]])),
        Case("SparseSoftmaxCrossEntropyWithLogits", logits, np.array([4, 0, 2], np.int64)),
        Case("SparseSoftmaxCrossEntropyWithLogits", logits, ints(4, 0, 5)),
        Case("SparseSoftmaxCrossEntropyWithLogits", logits, ints(-1, 0, 4)),
        Case("SparseSoftmaxCrossEntropyWithLogits", logits, ints(1, 2)),
        Case("SparseSoftmaxCrossEntropyWithLogits", logits[0], ints(1, 2)),
        Case("SparseSoftmaxCrossEntropyWithLogits", logits[:, :0], ints(0, 0, 0)),
        Case("SparseSoftmaxCrossEntropyWithLogits", logits[:0], np.zeros(0, I)),
    ]
    return cases


def biases() -> list[Case]:
    cases = []
    for d in [*FLOATS, np.dtype(np.int32), np.dtype(np.complex64)]:
        x = (rng.integers(-8, 8, (2, 3, 4, 5)) / (1 if d.kind == "i" else 4)).astype(d)
        cases += [
            Case("BiasAdd", x, np.arange(5).astype(d)),
            Case("BiasAdd", x, np.arange(3).astype(d), data_format="NCHW"),
            Case("BiasAddGrad", x),
            Case("BiasAddGrad", x, data_format="NCHW"),
        ]
    x = rng.normal(size=(2, 3, 4)).astype(F)
    cases += [
        Case("BiasAdd", x, np.arange(4, dtype=F)),
        Case("BiasAdd", x, np.arange(3, dtype=F), data_format="NCHW"),
        Case("BiasAdd", x[0], np.arange(4, dtype=F), data_format="NCHW"),
        Case("BiasAdd", x[:0], np.arange(4, dtype=F)),
        Case("BiasAdd", x[0, 0], np.arange(4, dtype=F)),
        Case("BiasAdd", x, np.arange(3, dtype=F)),
        Case("BiasAdd", x, np.ones((4, 1), F)),
        Case("BiasAddV1", x, np.arange(4, dtype=F)),
        Case("BiasAddGrad", x),
        Case("BiasAddGrad", x, data_format="NCHW"),
        Case("BiasAddGrad", x[:0]),
        Case("BiasAddGrad", x[0, 0]),
        *(Case("L2Loss", x.astype(d)) for d in FLOATS),
        Case("L2Loss", x[:0]),
        Case("L2Loss", F(3)),
    ]
    return cases


def top_k() -> list[Case]:
    x = np.array([[1, 5, 5, -2, 0, 5], [0, 0, 0, 0, 0, 1]], F)
    long = rng.permutation(5000).astype(F)
    integers = map(np.dtype, ("int8", "uint8", "int16", "uint16", "int32", "int64", "uint32", "uint64"))
    cases = [Case("TopKV2", np.abs(x).astype(d), I(4)) for d in [*FLOATS, *integers]]
    cases += [
        Case("TopKV2", x, I(6)),
        Case("TopKV2", x, I(1)),
        Case("TopKV2", x, I(0)),
        Case("TopKV2", x, I(3), index_type="int64"),
        Case("TopKV2", x, np.int64(2)),
        Case("TopKV2", x[0], I(2)),
        Case("TopKV2", np.array([[-(2**31), 2**31 - 1, 0]], I), I(2)),
        Case("TopKV2", rng.integers(0, 9, (2, 3, 40)).astype(F), I(30)),
        Case("TopKV2", long, I(20)),
        Case("TopKV2", (long // 600).reshape(2, 2500), I(100)),
        Case("TopKV2", (long.astype(I) % 50), I(120)),
        Case("TopKV2", F([np.inf, 1, -np.inf, 2]), I(3)),
        Case("TopKV2", x[:0], I(2)),
        Case("TopKV2", x, I(7)),
        Case("TopKV2", x, I(-1)),
        Case("TopKV2", F(1), I(1)),
        Case("TopKV2", x, ints(2)),
        Case("ApproxTopK", long.reshape(2, 2500), k=5),
        Case("ApproxTopK", x.astype(np.float16), k=2),
        Case("ApproxTopK", x.astype(bfloat16), k=1),
        Case("ApproxTopK", x, k=7),
        Case("InTopKV2", F([[1, 2, 3], [3, 3, 1]]), ints(0, 1), I(2)),
        Case("InTopKV2", F([[1, 2, 3], [3, np.nan, 1], [np.inf, 1, 2], [1, 2, 3]]), ints(5, 1, 0, -1), I(2)),
        Case("InTopKV2", F([[1, 2, 3], [3, 3, 1]]), np.array([2, 0], np.int64), np.int64(1)),
        Case("InTopKV2", F([[1, 2, 3], [3, 3, 1]]), ints(2, 0), I(0)),
        Case("InTopKV2", F([[1, 2, 3], [3, 3, 1]]), ints(2, 0, 1), I(1)),
        Case("InTopK", F([[1, 2, 3], [3, 3, 1]]), ints(0, 1), k=2),
    ]
    return cases


def formats() -> list[Case]:
    return [
        Case("DataFormatDimMap", ints(0, 1, 2, 3, -1, -4)),
        Case("DataFormatDimMap", I(3)),
        Case("DataFormatDimMap", np.array([[1, -2]], np.int64), src_format="NHWC", dst_format="HWNC"),
        Case("DataFormatDimMap", ints(0, 4, -1), src_format="NDHWC", dst_format="NCDHW"),
        Case("DataFormatVecPermute", ints(7, 4, 9, 3)),
        Case("DataFormatVecPermute", ints(7, 4)),
        Case("DataFormatVecPermute", ints(7, 4), src_format="NHWC", dst_format="WHCN"),
        Case("DataFormatVecPermute", np.arange(8, dtype=np.int64).reshape(4, 2)),
        Case("DataFormatVecPermute", np.arange(4, dtype=I).reshape(2, 2), src_format="NCHW", dst_format="NHWC"),
        Case("DataFormatVecPermute", ints(1, 2, 3, 4, 5), src_format="NDHWC", dst_format="NCDHW"),
        Case("DataFormatVecPermute", ints(1, 2, 3), src_format="NDHWC", dst_format="NCDHW"),
        Case("DataFormatVecPermute", ints(1, 2, 3)),
        Case("DataFormatVecPermute", I(1)),
        Case("DataFormatVecPermute", ints(1, 2, 3, 4), src_format="NHWC", dst_format="NCHX"),
    ]


def clustering() -> list[Case]:
    points = np.random.default_rng(8).normal(size=(60, 3)).astype(np.float32)
    points[30:] += 2
    op = "KmeansPlusPlusInitialization"

    def start(wanted: int, seed: int, retries: int, x: np.ndarray = points) -> Case:
        return Case(op, x, np.int64(wanted), np.int64(seed), np.int64(retries))

    distances = np.abs(points[:, 0])
    centers = points[::9] + np.float32(0.25)
    return [
        start(1, 0, 0),
        start(5, 0, 0),
        start(5, 12345678901, 3),
        start(10, 7, -1),
        start(60, 1, 0),
        start(3, 1, 0, points[:3]),
        start(2, 1, 0, points[:0]),
        start(0, 1, 0),
        start(61, 1, 0),
        start(1, 1, 0, points[0]),
        Case("KMC2ChainInitialization", distances, np.int64(0)),
        Case("KMC2ChainInitialization", distances, np.int64(-5)),
        Case("KMC2ChainInitialization", distances[:1], np.int64(3)),
        Case("KMC2ChainInitialization", distances[:0], np.int64(3)),
        Case("KMC2ChainInitialization", points, np.int64(3)),
        Case("NearestNeighbors", points, centers, np.int64(1), tol=1e-4),
        Case("NearestNeighbors", points, centers, np.int64(3), tol=1e-4),
        Case("NearestNeighbors", points, centers, np.int64(99), tol=1e-4),
        Case("NearestNeighbors", points, centers, np.int64(0)),
        Case("NearestNeighbors", points, centers[:0], np.int64(2)),
        Case("NearestNeighbors", points[:0], centers, np.int64(2)),
        Case("NearestNeighbors", points, centers[:, :2], np.int64(2)),
        Case("NearestNeighbors", points[0], centers, np.int64(2)),
    ]


CASES = [*activations(), *losses(), *biases(), *top_k(), *formats(), *clustering()]
