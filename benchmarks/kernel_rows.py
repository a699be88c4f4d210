"""The rows of `kernels.py`: frequent ops with inputs of middling size."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

DRAW = np.random.default_rng(0)


@dataclass
class Row:
    """A call of `raw_ops.<op>`. inputs: arrays are fed, lists of them too. attrs: the other arguments."""

    op: str
    inputs: dict[str, Any]
    attrs: dict[str, Any] = field(default_factory=dict)
    note: str = ""

    @dataclass
    class Variable:
        """A variable that begins with `value`."""

        value: Any
        is_resource: bool = True

    @dataclass
    class Constant:
        """An input that does not change, such as a shape."""

        value: Any

    @property
    def label(self) -> str:
        return f"{self.op} {self.note}".strip()


C, V = Row.Constant, Row.Variable


def real(*shape: int) -> np.ndarray:
    return DRAW.standard_normal(shape).astype(np.float32)


def positive(*shape: int) -> np.ndarray:
    return DRAW.random(shape, np.float32) + np.float32(0.1)


def unit(*shape: int) -> np.ndarray:
    return (DRAW.random(shape, np.float32) - np.float32(0.5)) * np.float32(1.9)


def whole(high: int, *shape: int, dtype: Any = np.int32) -> np.ndarray:
    return DRAW.integers(0, high, shape).astype(dtype)


def texts(count: int, high: int = 10_000) -> np.ndarray:
    return np.array([b"word number %d" % n for n in DRAW.integers(0, high, count)], object)


def ints(*values: int) -> Row.Constant:
    return C(np.array(values, np.int32))


BIG = (512, 512)

CWISE = [
    *[
        Row(op, {"x": real(*BIG)})
        for op in [
            "Abs",
            "Neg",
            "Square",
            "Sign",
            "Exp",
            "Expm1",
            "Sigmoid",
            "Tanh",
            "Sin",
            "Cos",
            "Tan",
            "Erf",
            "Erfc",
        ]
    ],
    *[
        Row(op, {"x": real(*BIG)})
        for op in ["Floor", "Ceil", "Round", "Rint", "Atan", "Sinh", "Cosh", "Asinh", "IsNan", "IsFinite"]
    ],
    *[Row(op, {"x": positive(*BIG)}) for op in ["Sqrt", "Rsqrt", "Log", "Log1p", "Reciprocal", "Lgamma", "Digamma"]],
    *[Row(op, {"x": unit(*BIG)}) for op in ["Asin", "Acos", "Atanh"]],
    Row("Erfinv", {"x": unit(*BIG)}),
    *[
        Row(op, {"x": real(*BIG), "y": positive(*BIG)})
        for op in [
            "AddV2",
            "Sub",
            "Mul",
            "RealDiv",
            "DivNoNan",
            "Maximum",
            "Minimum",
            "SquaredDifference",
            "FloorDiv",
            "FloorMod",
            "Atan2",
        ]
    ],
    Row("Pow", {"x": positive(*BIG), "y": real(*BIG)}),
    Row("Xdivy", {"x": real(*BIG), "y": positive(*BIG)}),
    Row("AddV2", {"x": real(512, 512), "y": real(512)}, note="row"),
    Row("Mul", {"x": real(64, 64, 32), "y": real(32)}, note="short rows"),
    Row("AddV2", {"x": real(512, 512), "y": real(512, 1)}, note="column"),
    Row("AddV2", {"x": whole(99, *BIG), "y": whole(99, *BIG)}, note="int32"),
    Row("FloorDiv", {"x": whole(99, *BIG), "y": whole(9, *BIG) + 1}, note="int32"),
    Row("FloorMod", {"x": whole(99, *BIG), "y": whole(9, *BIG) + 1}, note="int32"),
    *[Row(op, {"x": real(*BIG), "y": real(*BIG)}) for op in ["Less", "GreaterEqual", "Equal", "NotEqual"]],
    Row("LogicalAnd", {"x": real(*BIG) > 0, "y": real(*BIG) > 0}),
    Row("BitwiseAnd", {"x": whole(99, *BIG), "y": whole(99, *BIG)}),
    Row("SelectV2", {"condition": real(*BIG) > 0, "t": real(*BIG), "e": real(*BIG)}),
    Row("ClipByValue", {"t": real(*BIG), "clip_value_min": np.float32(-1), "clip_value_max": np.float32(1)}),
    Row("AddN", {"inputs": [real(*BIG) for _ in range(4)]}),
    Row("Cast", {"x": real(*BIG)}, {"DstT": "int32"}, "to int32"),
    Row("Cast", {"x": real(*BIG)}, {"DstT": "bfloat16"}, "to bfloat16"),
    Row("Cast", {"x": whole(255, *BIG, dtype=np.uint8)}, {"DstT": "float32"}, "from uint8"),
    Row("ComplexAbs", {"x": (real(*BIG) + 1j * real(*BIG)).astype(np.complex64)}),
    Row("Betainc", {"a": positive(64, 64), "b": positive(64, 64), "x": DRAW.random((64, 64), np.float32)}),
    Row("Igamma", {"a": positive(64, 64), "x": positive(64, 64)}),
    Row("SigmoidGrad", {"y": DRAW.random(BIG, np.float32), "dy": real(*BIG)}),
    Row("TanhGrad", {"y": unit(*BIG), "dy": real(*BIG)}),
]

REDUCTIONS = [
    *[Row(op, {"input": real(*BIG), "axis": ints(0)}, note="axis 0") for op in ["Sum", "Mean", "Max", "Prod"]],
    *[Row(op, {"input": real(*BIG), "axis": ints(1)}, note="axis 1") for op in ["Sum", "Mean", "Max", "Min"]],
    Row("Sum", {"input": real(*BIG), "axis": ints(0, 1)}, note="all"),
    Row("Sum", {"input": real(32, 28, 28, 32), "axis": ints(0, 1, 2)}, note="to channels"),
    Row("Sum", {"input": whole(99, *BIG), "axis": ints(1)}, note="int32"),
    Row("All", {"input": real(*BIG) > -9, "axis": ints(1)}),
    Row("ArgMax", {"input": real(*BIG), "dimension": C(np.int32(1))}),
    Row("ArgMax", {"input": real(*BIG), "dimension": C(np.int32(0))}, note="axis 0"),
    Row("Cumsum", {"x": real(*BIG), "axis": C(np.int32(1))}),
    Row("Cumprod", {"x": real(*BIG), "axis": C(np.int32(0))}),
    Row("EuclideanNorm", {"input": real(*BIG), "axis": ints(1)}),
    Row("L2Loss", {"t": real(*BIG)}),
    Row("SegmentSum", {"data": real(4096, 64), "segment_ids": np.sort(whole(500, 4096))}),
    Row(
        "UnsortedSegmentSum",
        {"data": real(4096, 64), "segment_ids": whole(500, 4096), "num_segments": C(np.int32(500))},
    ),
    Row(
        "UnsortedSegmentMax",
        {"data": real(4096, 64), "segment_ids": whole(500, 4096), "num_segments": C(np.int32(500))},
    ),
    Row(
        "SparseSegmentMean",
        {"data": real(5000, 64), "indices": whole(5000, 4096), "segment_ids": np.sort(whole(500, 4096))},
    ),
    Row("Bincount", {"arr": whole(1000, 100_000), "size": C(np.int32(1000)), "weights": C(np.zeros(0, np.float32))}),
    Row("UniqueV2", {"x": whole(5000, 100_000), "axis": C(np.zeros(0, np.int64))}),
    Row("TopKV2", {"input": real(512, 1000), "k": C(np.int32(10))}),
    Row("InTopKV2", {"predictions": real(512, 1000), "targets": whole(1000, 512), "k": C(np.int32(5))}),
    Row("LowerBound", {"sorted_inputs": np.sort(real(64, 1000), axis=1), "values": real(64, 1000)}),
    Row(
        "HistogramFixedWidth",
        {"values": real(100_000), "value_range": C(np.array([-2, 2], np.float32)), "nbins": C(np.int32(100))},
    ),
]

PRODUCTS = [
    Row("MatMul", {"a": real(256, 512), "b": real(512, 256)}),
    Row("MatMul", {"a": real(1, 512), "b": real(512, 512)}, note="one row"),
    Row("MatMul", {"a": real(32, 1024), "b": real(512, 1024)}, {"transpose_b": True}, "transposed"),
    Row("MatMul", {"a": whole(9, 128, 128), "b": whole(9, 128, 128)}, note="int32"),
    Row("BatchMatMulV2", {"x": real(16, 64, 64), "y": real(16, 64, 64)}),
    Row("BatchMatMulV2", {"x": real(256, 16, 16), "y": real(256, 16, 16)}, note="small"),
    Row("Einsum", {"inputs": [real(8, 64, 128), real(128, 4, 32)]}, {"equation": "abc,cde->abde"}),
    Row("Cholesky", {"input": np.eye(128, dtype=np.float32) * 200 + 1}),
    Row("MatrixInverse", {"input": np.eye(128, dtype=np.float32) * 200 + real(128, 128)}),
    Row("MatrixSolve", {"matrix": np.eye(128, dtype=np.float32) * 200 + real(128, 128), "rhs": real(128, 16)}),
    Row("MatrixTriangularSolve", {"matrix": np.eye(128, dtype=np.float32) * 200 + 1, "rhs": real(128, 16)}),
    Row("MatrixDeterminant", {"input": real(16, 32, 32)}),
    Row("Qr", {"input": real(128, 64)}),
    Row("Svd", {"input": real(64, 64)}),
    Row("SelfAdjointEigV2", {"input": np.eye(64, dtype=np.float32) + 1}),
    Row(
        "MatrixDiagV3",
        {
            "diagonal": real(64, 64),
            "k": C(np.int32(0)),
            "num_rows": C(np.int32(-1)),
            "num_cols": C(np.int32(-1)),
            "padding_value": C(np.float32(0)),
        },
    ),
    Row("MatrixBandPart", {"input": real(16, 128, 128), "num_lower": C(np.int64(2)), "num_upper": C(np.int64(2))}),
    Row("FFT", {"input": (real(64, 512) + 1j * real(64, 512)).astype(np.complex64)}),
    Row("RFFT2D", {"input": real(16, 64, 64), "fft_length": ints(64, 64)}),
]

IMAGES = real(8, 32, 32, 32)
CONVOLUTIONS = [
    Row("Conv2D", {"input": IMAGES, "filter": real(3, 3, 32, 64)}, {"strides": [1, 1, 1, 1], "padding": "SAME"}),
    Row("Conv2D", {"input": IMAGES, "filter": real(1, 1, 32, 64)}, {"strides": [1, 1, 1, 1], "padding": "SAME"}, "1x1"),
    Row(
        "Conv2D",
        {"input": real(4, 112, 112, 3), "filter": real(7, 7, 3, 32)},
        {"strides": [1, 2, 2, 1], "padding": "SAME"},
        "7x7",
    ),
    Row(
        "Conv2D",
        {"input": IMAGES, "filter": real(3, 3, 32, 32)},
        {"strides": [1, 1, 1, 1], "padding": "SAME", "dilations": [1, 2, 2, 1]},
        "dilated",
    ),
    Row(
        "Conv2DBackpropInput",
        {"input_sizes": ints(8, 32, 32, 32), "filter": real(3, 3, 32, 64), "out_backprop": real(8, 32, 32, 64)},
        {"strides": [1, 1, 1, 1], "padding": "SAME"},
    ),
    Row(
        "Conv2DBackpropInput",
        {"input_sizes": ints(8, 32, 32, 32), "filter": real(3, 3, 32, 64), "out_backprop": real(8, 16, 16, 64)},
        {"strides": [1, 2, 2, 1], "padding": "SAME"},
        "stride 2",
    ),
    Row(
        "Conv2DBackpropFilter",
        {"input": IMAGES, "filter_sizes": ints(3, 3, 32, 64), "out_backprop": real(8, 32, 32, 64)},
        {"strides": [1, 1, 1, 1], "padding": "SAME"},
    ),
    Row(
        "Conv3D",
        {"input": real(2, 8, 16, 16, 16), "filter": real(3, 3, 3, 16, 16)},
        {"strides": [1, 1, 1, 1, 1], "padding": "SAME"},
    ),
    Row(
        "DepthwiseConv2dNative",
        {"input": IMAGES, "filter": real(3, 3, 32, 1)},
        {"strides": [1, 1, 1, 1], "padding": "SAME"},
    ),
    Row(
        "DepthwiseConv2dNative",
        {"input": IMAGES, "filter": real(3, 3, 32, 1)},
        {"strides": [1, 2, 2, 1], "padding": "SAME"},
        "stride 2",
    ),
    Row(
        "DepthwiseConv2dNativeBackpropInput",
        {"input_sizes": ints(8, 32, 32, 32), "filter": real(3, 3, 32, 1), "out_backprop": IMAGES},
        {"strides": [1, 1, 1, 1], "padding": "SAME"},
    ),
    Row(
        "DepthwiseConv2dNativeBackpropFilter",
        {"input": IMAGES, "filter_sizes": ints(3, 3, 32, 1), "out_backprop": IMAGES},
        {"strides": [1, 1, 1, 1], "padding": "SAME"},
    ),
    *[
        Row(
            op,
            {"input" if op == "MaxPool" else "value": IMAGES},
            {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"},
        )
        for op in ("MaxPool", "AvgPool")
    ],
    Row("MaxPool", {"input": IMAGES}, {"ksize": [1, 3, 3, 1], "strides": [1, 1, 1, 1], "padding": "SAME"}, "3x3"),
    Row("AvgPool", {"value": IMAGES}, {"ksize": [1, 3, 3, 1], "strides": [1, 1, 1, 1], "padding": "SAME"}, "3x3"),
    Row(
        "MaxPoolGrad",
        {"orig_input": IMAGES, "orig_output": IMAGES[:, ::2, ::2].copy(), "grad": real(8, 16, 16, 32)},
        {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"},
    ),
    Row(
        "AvgPoolGrad",
        {"orig_input_shape": ints(8, 32, 32, 32), "grad": real(8, 16, 16, 32)},
        {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"},
    ),
    Row("MaxPoolWithArgmax", {"input": IMAGES}, {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}),
    Row(
        "MaxPool3D",
        {"input": real(2, 16, 16, 16, 16)},
        {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "SAME"},
    ),
    Row(
        "Dilation2D",
        {"input": real(2, 32, 32, 16), "filter": real(3, 3, 16)},
        {"strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "SAME"},
    ),
    Row("LRN", {"input": real(4, 32, 32, 32)}),
    Row("BiasAdd", {"value": IMAGES, "bias": real(32)}),
    Row("BiasAddGrad", {"out_backprop": IMAGES}),
    Row(
        "FusedBatchNormV3",
        {"x": IMAGES, "scale": positive(32), "offset": real(32), "mean": real(32), "variance": positive(32)},
        {"is_training": False},
    ),
    Row(
        "FusedBatchNormV3",
        {"x": IMAGES, "scale": positive(32), "offset": real(32), "mean": real(0), "variance": real(0)},
        {"is_training": True},
        "training",
    ),
    Row(
        "FusedBatchNormGradV3",
        {
            "y_backprop": IMAGES,
            "x": IMAGES,
            "scale": positive(32),
            "reserve_space_1": real(32),
            "reserve_space_2": positive(32),
            "reserve_space_3": real(0),
        },
        {"is_training": True},
    ),
    *[Row(op, {"features": IMAGES}) for op in ["Relu", "Relu6", "Elu", "Selu", "Softplus", "Softsign", "LeakyRelu"]],
    Row("ReluGrad", {"gradients": IMAGES, "features": IMAGES}),
    Row("EluGrad", {"gradients": IMAGES, "outputs": IMAGES}),
    Row("Softmax", {"logits": real(512, 512)}),
    Row("LogSoftmax", {"logits": real(512, 512)}),
    Row("SoftmaxCrossEntropyWithLogits", {"features": real(512, 512), "labels": positive(512, 512)}),
    Row("SparseSoftmaxCrossEntropyWithLogits", {"features": real(512, 512), "labels": whole(512, 512)}),
]

SHAPES = [
    Row("GatherV2", {"params": real(5000, 64), "indices": whole(5000, 4096), "axis": C(np.int32(0))}),
    Row("GatherV2", {"params": real(64, 5000), "indices": whole(5000, 4096), "axis": C(np.int32(1))}, note="axis 1"),
    Row("GatherNd", {"params": real(100, 100, 32), "indices": whole(100, 4096, 2)}),
    Row("ScatterNd", {"indices": whole(5000, 4096, 1), "updates": real(4096, 64), "shape": ints(5000, 64)}),
    Row("TensorScatterUpdate", {"tensor": real(5000, 64), "indices": whole(5000, 1000, 1), "updates": real(1000, 64)}),
    Row("TensorScatterAdd", {"tensor": real(5000, 64), "indices": whole(5000, 1000, 1), "updates": real(1000, 64)}),
    Row(
        "StridedSlice",
        {"input": real(64, 64, 64), "begin": ints(0, 1, 2), "end": ints(64, 63, 60), "strides": ints(1, 2, 1)},
    ),
    Row("Slice", {"input": real(64, 64, 64), "begin": ints(1, 1, 1), "size": ints(60, 60, 60)}),
    Row("ConcatV2", {"values": [real(64, 32, 32) for _ in range(4)], "axis": C(np.int32(1))}),
    Row("ConcatV2", {"values": [real(64, 32, 32) for _ in range(4)], "axis": C(np.int32(2))}, note="last axis"),
    Row("Pack", {"values": [real(64, 64) for _ in range(16)]}, {"axis": 0}),
    Row("Unpack", {"value": real(16, 64, 64)}, {"num": 16, "axis": 0}),
    Row("Split", {"axis": C(np.int32(1)), "value": real(256, 1024)}, {"num_split": 4}),
    Row("Transpose", {"x": real(64, 64, 64), "perm": ints(2, 1, 0)}),
    Row("Transpose", {"x": real(8, 32, 32, 32), "perm": ints(0, 3, 1, 2)}, note="to channels first"),
    Row("Tile", {"input": real(64, 64), "multiples": ints(8, 8)}),
    Row("Pad", {"input": real(8, 32, 32, 32), "paddings": C(np.array([[0, 0], [1, 1], [1, 1], [0, 0]], np.int32))}),
    Row(
        "MirrorPad",
        {"input": real(8, 32, 32, 32), "paddings": C(np.array([[0, 0], [1, 1], [1, 1], [0, 0]], np.int32))},
        {"mode": "REFLECT"},
    ),
    Row("ReverseV2", {"tensor": real(64, 64, 64), "axis": ints(1)}),
    Row("ReverseSequence", {"input": real(64, 64, 64), "seq_lengths": whole(64, 64) + 1}, {"seq_dim": 1}),
    Row("BroadcastTo", {"input": real(1, 512), "shape": ints(512, 512)}),
    Row(
        "OneHot",
        {
            "indices": whole(100, 4096),
            "depth": C(np.int32(100)),
            "on_value": C(np.float32(1)),
            "off_value": C(np.float32(0)),
        },
    ),
    Row("Where", {"condition": real(*BIG) > 0}),
    Row("Range", {"start": np.int32(0), "limit": np.int32(100_000), "delta": np.int32(1)}),
    Row("Fill", {"dims": ints(512, 512), "value": np.float32(3)}),
    Row("DynamicPartition", {"data": real(4096, 64), "partitions": whole(4, 4096)}, {"num_partitions": 4}),
    Row(
        "DynamicStitch",
        {
            "indices": [np.arange(0, 4096, 2, dtype=np.int32), np.arange(1, 4096, 2, dtype=np.int32)],
            "data": [real(2048, 64), real(2048, 64)],
        },
    ),
    Row("SpaceToDepth", {"input": IMAGES}, {"block_size": 2}),
    Row("DepthToSpace", {"input": IMAGES}, {"block_size": 2}),
    Row("SpaceToBatchND", {"input": IMAGES, "block_shape": ints(2, 2), "paddings": C(np.zeros((2, 2), np.int32))}),
    Row(
        "ExtractImagePatches",
        {"images": IMAGES},
        {"ksizes": [1, 3, 3, 1], "strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "SAME"},
    ),
    Row("InvertPermutation", {"x": DRAW.permutation(10_000).astype(np.int32)}),
    Row("ListDiff", {"x": whole(10_000, 10_000), "y": whole(10_000, 5000)}),
    Row(
        "SparseToDense",
        {
            "sparse_indices": np.unique(whole(10_000, 4096, dtype=np.int64))[:, None],
            "output_shape": C(np.array([10_000])),
            "sparse_values": np.float32(1),
            "default_value": C(np.float32(0)),
        },
    ),
    Row("FakeQuantWithMinMaxArgs", {"inputs": real(*BIG)}),
    Row(
        "QuantizeAndDequantizeV2",
        {"input": real(*BIG), "input_min": C(np.float32(-3)), "input_max": C(np.float32(3))},
        {"range_given": True},
    ),
]

ENTRIES = np.unique(whole(1000, 5000, 2, dtype=np.int64), axis=0)
SPARSE = [
    Row(
        "SparseTensorDenseMatMul",
        {
            "a_indices": ENTRIES,
            "a_values": real(len(ENTRIES)),
            "a_shape": C(np.array([1000, 1000])),
            "b": real(1000, 64),
        },
    ),
    Row(
        "SparseReduceSum",
        {
            "input_indices": ENTRIES,
            "input_values": real(len(ENTRIES)),
            "input_shape": C(np.array([1000, 1000])),
            "reduction_axes": ints(1),
        },
    ),
    Row(
        "SparseReorder",
        {
            "input_indices": ENTRIES[::-1].copy(),
            "input_values": real(len(ENTRIES)),
            "input_shape": C(np.array([1000, 1000])),
        },
    ),
    Row(
        "SparseAdd",
        {
            "a_indices": ENTRIES,
            "a_values": real(len(ENTRIES)),
            "a_shape": C(np.array([1000, 1000])),
            "b_indices": ENTRIES,
            "b_values": real(len(ENTRIES)),
            "b_shape": C(np.array([1000, 1000])),
            "thresh": C(np.float32(0)),
        },
    ),
    Row(
        "SparseSoftmax", {"sp_indices": ENTRIES, "sp_values": real(len(ENTRIES)), "sp_shape": C(np.array([1000, 1000]))}
    ),
    Row(
        "SparseFillEmptyRows",
        {
            "indices": ENTRIES,
            "values": real(len(ENTRIES)),
            "dense_shape": C(np.array([1000, 1000])),
            "default_value": C(np.float32(0)),
        },
    ),
]

WORDS = texts(5000)
STRINGS = [
    Row("StringJoin", {"inputs": [WORDS, WORDS]}),
    Row("StringLength", {"input": WORDS}),
    Row("StringLower", {"input": WORDS}),
    Row("StringStrip", {"input": WORDS}),
    Row("Substr", {"input": WORDS, "pos": C(np.int32(2)), "len": C(np.int32(4))}),
    Row("StringSplitV2", {"input": WORDS, "sep": C(np.array(b" ", object))}),
    Row(
        "RegexReplace",
        {"input": WORDS, "pattern": C(np.array(b"[0-9]+", object)), "rewrite": C(np.array(b"#", object))},
    ),
    Row("StringToHashBucketFast", {"input": WORDS}, {"num_buckets": 1000}),
    Row("StringToHashBucketStrong", {"input": WORDS}, {"num_buckets": 1000, "key": [1, 2]}),
    Row("StringToNumber", {"string_tensor": np.array([b"%.3f" % n for n in real(5000)], object)}),
    Row("AsString", {"input": real(5000)}),
    Row("EncodeBase64", {"input": WORDS}),
    Row("DecodeRaw", {"bytes": np.array([bytes(4096)] * 16, object)}, {"out_type": "float32"}),
    Row("ReduceJoin", {"inputs": WORDS.reshape(50, 100), "reduction_indices": ints(1)}),
    Row("Equal", {"x": WORDS, "y": WORDS}, note="strings"),
    Row("UnicodeDecode", {"input": WORDS}, {"input_encoding": "UTF-8"}),
    Row(
        "DecodeCSV",
        {
            "records": np.array([b"%d,%.2f,abc" % (i, i) for i in range(2000)], object),
            "record_defaults": [C(np.zeros(1, np.int32)), C(np.zeros(1, np.float32)), C(np.array([b""], object))],
        },
    ),
]

PHOTOS = DRAW.random((4, 128, 128, 3), np.float32)
PICTURES = [
    Row("ResizeBilinear", {"images": PHOTOS, "size": ints(200, 200)}, {"half_pixel_centers": True}),
    Row("ResizeBilinear", {"images": PHOTOS, "size": ints(64, 64)}, {"half_pixel_centers": True}, "down"),
    Row("ResizeNearestNeighbor", {"images": PHOTOS, "size": ints(200, 200)}, {"half_pixel_centers": True}),
    Row("ResizeBicubic", {"images": PHOTOS, "size": ints(200, 200)}, {"half_pixel_centers": True}),
    Row("ResizeArea", {"images": PHOTOS, "size": ints(64, 64)}),
    Row(
        "ResizeBilinearGrad",
        {"grads": DRAW.random((4, 200, 200, 3), np.float32), "original_image": PHOTOS},
        {"half_pixel_centers": True},
    ),
    Row(
        "CropAndResize",
        {
            "image": PHOTOS,
            "boxes": np.sort(DRAW.random((32, 2, 2), np.float32), axis=1).reshape(32, 4),
            "box_ind": whole(4, 32),
            "crop_size": ints(32, 32),
        },
    ),
    Row("RGBToHSV", {"images": PHOTOS}),
    Row("HSVToRGB", {"images": PHOTOS}),
    Row("AdjustContrastv2", {"images": PHOTOS, "contrast_factor": C(np.float32(1.5))}),
    Row("AdjustHue", {"images": PHOTOS, "delta": C(np.float32(0.1))}),
    Row("AdjustSaturation", {"images": PHOTOS, "scale": C(np.float32(0.5))}),
    Row(
        "NonMaxSuppressionV3",
        {
            "boxes": np.sort(DRAW.random((1000, 2, 2), np.float32), axis=1).reshape(1000, 4),
            "scores": DRAW.random(1000, np.float32),
            "max_output_size": C(np.int32(100)),
            "iou_threshold": C(np.float32(0.5)),
            "score_threshold": C(np.float32(0)),
        },
    ),
    Row("EncodePng", {"image": whole(255, 128, 128, 3, dtype=np.uint8)}),
    Row(
        "ImageProjectiveTransformV2",
        {
            "images": PHOTOS,
            "transforms": np.array([[1, 0.1, 0, 0, 1, 0, 0, 0]], np.float32),
            "output_shape": ints(128, 128),
        },
        {"interpolation": "BILINEAR"},
    ),
]

SHAPE = ints(512, 512)
RANDOM = [
    *[
        Row(op, {"shape": SHAPE}, {"dtype": "float32"})
        for op in ["RandomUniform", "RandomStandardNormal", "TruncatedNormal"]
    ],
    Row("RandomUniformInt", {"shape": SHAPE, "minval": C(np.int32(0)), "maxval": C(np.int32(100))}),
    Row("StatelessRandomUniform", {"shape": SHAPE, "seed": ints(1, 2)}),
    Row("StatelessRandomNormal", {"shape": SHAPE, "seed": ints(1, 2)}),
    Row("RandomShuffle", {"value": real(4096, 16)}),
    Row("Multinomial", {"logits": real(64, 100), "num_samples": C(np.int32(100))}),
    Row("RandomGamma", {"shape": ints(100), "alpha": positive(100)}),
    Row("RandomPoissonV2", {"shape": ints(100), "rate": positive(100)}),
]


def variable(resource: bool = True) -> Row.Variable:
    return V(real(512, 512), resource)


def zeros(resource: bool = True) -> Row.Variable:
    return V(positive(512, 512), resource)


def scalar(value: float = 0.1) -> Row.Constant:
    return C(np.float32(value))


G = real(512, 512)
ADAM = {
    "beta1_power": scalar(0.9),
    "beta2_power": scalar(0.99),
    "lr": scalar(),
    "beta1": scalar(0.9),
    "beta2": scalar(0.99),
    "epsilon": scalar(1e-6),
}
UPDATES = [
    Row("ResourceApplyGradientDescent", {"var": variable(), "alpha": scalar(), "delta": G}),
    Row("ApplyGradientDescent", {"var": variable(False), "alpha": scalar(), "delta": G}),
    Row(
        "ResourceApplyMomentum",
        {"var": variable(), "accum": zeros(), "lr": scalar(), "grad": G, "momentum": scalar(0.9)},
    ),
    Row("ResourceApplyAdam", {"var": variable(), "m": zeros(), "v": zeros(), **ADAM, "grad": G}),
    Row("ApplyAdam", {"var": variable(False), "m": zeros(False), "v": zeros(False), **ADAM, "grad": G}),
    Row("ResourceApplyAdagrad", {"var": variable(), "accum": zeros(), "lr": scalar(), "grad": G}),
    Row(
        "ResourceApplyRMSProp",
        {
            "var": variable(),
            "ms": zeros(),
            "mom": zeros(),
            "lr": scalar(),
            "rho": scalar(0.9),
            "momentum": scalar(),
            "epsilon": scalar(1e-6),
            "grad": G,
        },
    ),
    Row(
        "ResourceApplyFtrl",
        {
            "var": variable(),
            "accum": zeros(),
            "linear": zeros(),
            "grad": G,
            "lr": scalar(),
            "l1": scalar(),
            "l2": scalar(),
            "lr_power": scalar(-0.5),
        },
    ),
    Row(
        "ResourceSparseApplyAdagrad",
        {"var": variable(), "accum": zeros(), "lr": scalar(), "grad": G[:128], "indices": whole(512, 128)},
    ),
    Row("AssignAddVariableOp", {"resource": variable(), "value": G}),
    Row("ResourceScatterAdd", {"resource": variable(), "indices": whole(512, 128), "updates": G[:128]}),
    Row("ResourceGather", {"resource": variable(), "indices": whole(512, 1024)}, {"dtype": "float32"}),
]

ROWS: list[Row] = [
    row
    for rows in (CWISE, REDUCTIONS, PRODUCTS, CONVOLUTIONS, SHAPES, SPARSE, STRINGS, PICTURES, RANDOM, UPDATES)
    for row in rows
]
