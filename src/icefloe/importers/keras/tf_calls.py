"""Calls of TensorFlow's functions among the layers of a Keras 2 model.

TFOpLambda          "function": "math.reduce_mean", its arguments where other layers have their inputs
SlicingOpLambda     "function": "__operators__.getitem"
TensorFlowOpLayer   "node_def": the node as JSON, "constants": those of its inputs that are no layers
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from google.protobuf import json_format

from icefloe import errors, opdefs
from icefloe.datatypes import as_dtype
from icefloe.graph import attributes
from icefloe.graph.build import apply_op
from icefloe.graph.tensor import Tensor
from icefloe.importers.keras.activations import gelu, softmax
from icefloe.importers.keras.registry import LayerContext, layer
from icefloe.lib import array_create, array_join, array_shape, math_matrix, math_reduce
from icefloe.proto import POOL, NodeDef

Function = Callable[..., Any]


def _op(name: str, *inputs: Any, **attrs: Any) -> Any:
    return apply_op(name, *inputs, **attrs)


def _unary(op: str) -> Function:
    return lambda x, name=None: _op(op, x)


def _binary(op: str) -> Function:
    def build(x: Any, y: Any, name: Any = None) -> Any:
        dtype = next(v.dtype for v in (x, y) if isinstance(v, Tensor))
        x, y = (v if isinstance(v, Tensor) else np.asarray(v, dtype.as_numpy_dtype) for v in (x, y))
        return _op(op, x, y)

    return build


def _reduction(reduce: Function) -> Function:
    return lambda input_tensor, axis=None, keepdims=False, name=None: reduce(input_tensor, axis, keepdims=keepdims)


def _cast(x: Tensor, dtype: Any, name: Any = None) -> Any:
    return x if x.dtype.name == str(dtype) else _op("Cast", x, DstT=dtype)


def _clip(t: Tensor, clip_value_min: Any, clip_value_max: Any, name: Any = None) -> Any:
    real = t.dtype.as_numpy_dtype
    low, high = (v if isinstance(v, Tensor) else np.asarray(v, real) for v in (clip_value_min, clip_value_max))
    return _op("ClipByValue", t, low, high)


def _matmul(a: Tensor, b: Tensor, transpose_a: bool = False, transpose_b: bool = False, **more: Any) -> Any:
    return math_matrix.matmul(a, b, transpose_a=transpose_a, transpose_b=transpose_b)


def _resize(images: Tensor, size: Any, method: str = "bilinear", **more: Any) -> Any:
    op = {"bilinear": "ResizeBilinear", "nearest": "ResizeNearestNeighbor", "bicubic": "ResizeBicubic"}.get(str(method))
    if op is None or more.get("antialias") or more.get("preserve_aspect_ratio"):
        raise errors.UnimplementedError(f"image.resize by {method!r}, {more}")
    return _op(op, images, size if isinstance(size, Tensor) else np.asarray(size, np.int32), half_pixel_centers=True)


def _normalized(x: Tensor, axis: Any = None, epsilon: float = 1e-12, **more: Any) -> Any:
    total = math_reduce.reduce_sum(_op("Square", x), axis, keepdims=True)
    return x * _op("Rsqrt", _op("Maximum", total, np.asarray(epsilon, x.dtype.as_numpy_dtype)))


def _pad(tensor: Tensor, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, **more: Any) -> Any:
    if str(mode).upper() != "CONSTANT":
        return _op("MirrorPad", tensor, np.asarray(paddings, np.int32), mode=str(mode).upper())
    return _op(
        "PadV2", tensor, np.asarray(paddings, np.int32), np.asarray(constant_values, tensor.dtype.as_numpy_dtype)
    )


def _squeeze(input: Tensor, axis: Any = None, **more: Any) -> Any:
    return _op("Squeeze", input, squeeze_dims=[] if axis is None else [axis] if isinstance(axis, int) else list(axis))


def _choose(condition: Tensor, x: Any = None, y: Any = None, name: Any = None) -> Any:
    if x is None:
        raise errors.UnimplementedError("where without values gives places")
    dtype = next(v.dtype for v in (x, y) if isinstance(v, Tensor)).as_numpy_dtype
    x, y = (v if isinstance(v, Tensor) else np.asarray(v, dtype) for v in (x, y))
    return _op("SelectV2", condition, x, y)


_UNARY = {
    "abs": "Abs",
    "exp": "Exp",
    "log": "Log",
    "log1p": "Log1p",
    "sqrt": "Sqrt",
    "rsqrt": "Rsqrt",
    "square": "Square",
    "sin": "Sin",
    "cos": "Cos",
    "tanh": "Tanh",
    "sigmoid": "Sigmoid",
    "negative": "Neg",
    "sign": "Sign",
    "floor": "Floor",
    "ceil": "Ceil",
    "round": "Round",
    "erf": "Erf",
    "reciprocal": "Reciprocal",
    "softplus": "Softplus",
    "logical_not": "LogicalNot",
    "is_nan": "IsNan",
}
_BINARY = {
    "add": "AddV2",
    "subtract": "Sub",
    "multiply": "Mul",
    "divide": "RealDiv",
    "truediv": "RealDiv",
    "floordiv": "FloorDiv",
    "floormod": "FloorMod",
    "pow": "Pow",
    "maximum": "Maximum",
    "minimum": "Minimum",
    "squared_difference": "SquaredDifference",
    "greater": "Greater",
    "greater_equal": "GreaterEqual",
    "less": "Less",
    "less_equal": "LessEqual",
    "equal": "Equal",
    "not_equal": "NotEqual",
    "logical_and": "LogicalAnd",
    "logical_or": "LogicalOr",
}
FUNCTIONS: dict[str, Function] = {
    **{f"math.{name}": _unary(op) for name, op in _UNARY.items()},
    **{f"math.{name}": _binary(op) for name, op in _BINARY.items()},
    **{f"__operators__.{name}": _binary(_BINARY[name]) for name in ("add", "subtract", "multiply", "truediv", "pow")},
    "__operators__.eq": _binary("Equal"),
    "__operators__.ne": _binary("NotEqual"),
    **{
        f"math.reduce_{name}": _reduction(getattr(math_reduce, f"reduce_{name}"))
        for name in ("sum", "mean", "max", "min", "prod", "any", "all", "std", "variance", "logsumexp")
        if hasattr(math_reduce, f"reduce_{name}")
    },
    "math.argmax": lambda input, axis=0, output_type=np.int64, name=None: _op(
        "ArgMax", input, axis, output_type=output_type
    ),
    "math.l2_normalize": _normalized,
    "nn.l2_normalize": _normalized,
    "linalg.l2_normalize": _normalized,
    "nn.relu": _unary("Relu"),
    "nn.relu6": _unary("Relu6"),
    "nn.elu": _unary("Elu"),
    "nn.selu": _unary("Selu"),
    "nn.softsign": _unary("Softsign"),
    "nn.silu": lambda features, beta=1.0: features * _op("Sigmoid", beta * features),
    "nn.gelu": lambda features, approximate=False, name=None: gelu(features, approximate=bool(approximate)),
    "nn.leaky_relu": lambda features, alpha=0.2, name=None: _op("LeakyRelu", features, alpha=float(alpha)),
    "nn.softmax": lambda logits, axis=-1, name=None: softmax(logits, -1 if axis is None else int(axis)),
    "nn.bias_add": lambda value, bias, **more: _op("BiasAdd", value, bias),
    "identity": _unary("Identity"),
    "stop_gradient": _unary("Identity"),
    "cast": _cast,
    "clip_by_value": _clip,
    "concat": lambda values, axis, name=None: array_join.concat(values, axis),
    "stack": lambda values, axis=0, name=None: array_join.stack(values, axis),
    "unstack": lambda value, num=None, axis=0, name=None: array_join.unstack(value, num, axis),
    "split": lambda value, num_or_size_splits, axis=0, num=None, name=None: array_join.split(
        value, num_or_size_splits, axis
    ),
    "math.add_n": lambda inputs, name=None: _op("AddN", inputs),
    "reshape": lambda tensor, shape, name=None: array_shape.reshape(tensor, shape),
    "transpose": lambda a, perm=None, **more: array_shape.transpose(a, perm),
    "expand_dims": lambda input, axis, name=None: _op("ExpandDims", input, axis),
    "squeeze": _squeeze,
    "compat.v1.squeeze": _squeeze,
    "tile": lambda input, multiples, name=None: _op("Tile", input, multiples),
    "pad": _pad,
    "compat.v1.pad": _pad,
    "gather": lambda params, indices, axis=0, batch_dims=0, **more: _op(
        "GatherV2", params, indices, axis or 0, batch_dims=batch_dims
    ),
    "compat.v1.gather": lambda params, indices, axis=0, batch_dims=0, **more: _op(
        "GatherV2", params, indices, axis or 0, batch_dims=batch_dims
    ),
    "one_hot": lambda indices, depth, on_value=1.0, off_value=0.0, axis=-1, dtype="float32", **more: _op(
        "OneHot", indices, depth, np.asarray(on_value or 1, dtype), np.asarray(off_value or 0, dtype), axis=axis or -1
    ),
    "shape": lambda input, **more: array_shape.shape(input),
    "compat.v1.shape": lambda input, **more: array_shape.shape(input),
    "zeros_like": lambda input, **more: _op("ZerosLike", input),
    "ones_like": lambda input, **more: _op("OnesLike", input),
    "fill": lambda dims, value, name=None: array_create.fill(dims, value),
    "where": _choose,
    "linalg.matmul": _matmul,
    "einsum": lambda equation, *inputs, **more: math_matrix.einsum(equation, *inputs),
    "image.resize": _resize,
    "math.cumsum": lambda x, axis=0, exclusive=False, reverse=False, name=None: _op(
        "Cumsum", x, axis, exclusive=exclusive, reverse=reverse
    ),
    "convert_to_tensor": lambda value, **more: value,
}
# They take a list as their first argument.
_LISTS = frozenset(("concat", "stack", "math.add_n"))


@layer("TFOpLambda")
def called_function(c: LayerContext, *inputs: Any) -> Any:
    """Call a function of TensorFlow."""
    name = str(c.get("function", ""))
    function = FUNCTIONS.get(name)
    if function is None:
        raise c.refuse(f"the function tf.{name} is not known")
    kwargs = {key: value for key, value in c.kwargs.items() if key != "name"}
    try:
        return function(list(inputs), **kwargs) if name in _LISTS else function(*inputs, **kwargs)
    except TypeError as error:
        raise c.refuse(f"tf.{name} with these arguments: {error}") from None


@layer("SlicingOpLambda")
def sliced(c: LayerContext, x: Tensor) -> Tensor:
    """Take a part of a tensor."""
    spec = c.kwargs.get("slice_spec")
    items = spec if isinstance(spec, list) else [spec]
    return x[tuple(_index(c, item) for item in items)]


def _index(c: LayerContext, item: Any) -> Any:
    if isinstance(item, dict):
        if item.get("class_name") == "__ellipsis__":
            return Ellipsis
        return slice(item.get("start"), item.get("stop"), item.get("step"))
    if item is None or isinstance(item, (int, Tensor)):
        return item
    raise c.refuse(f"a part {item!r} of a tensor")


@layer("TensorFlowOpLayer")
def called_op(c: LayerContext, *inputs: Any) -> Any:
    """Add a node as it is described."""
    described = c.get("node_def")
    try:
        if isinstance(described, str):
            described = json.loads(described)
        node = json_format.ParseDict(described, NodeDef(), ignore_unknown_fields=True, descriptor_pool=POOL)
    except (ValueError, TypeError, RecursionError, json_format.ParseError) as error:
        raise errors.DataLossError(f"layer {c.name!r}: its node_def is none: {str(error)[:200]}") from None
    signature = opdefs.signature(node.op)
    values = list(inputs)
    constants = c.get("constants", {})
    for place in sorted(constants, key=int):
        values.insert(int(place), constants[place])
    attrs = {}
    inferred = {attr for arg in signature.inputs for attr in (arg.type_attr, arg.number_attr, arg.type_list_attr)}
    for name, value in node.attr.items():
        if name in signature.attrs and name not in inferred and value.WhichOneof("value") is not None:
            attrs[name] = attributes.decode_for_kernel(value, signature.attrs[name].type)
    given: list[Any] = []
    for i, arg in enumerate(signature.inputs):
        number = _type_of(node, signature, arg)
        if arg.is_list:
            count = len(values) - (len(signature.inputs) - i - 1)
            given.append([_array(values.pop(0), number) for _ in range(count)])
        else:
            given.append(_array(values.pop(0), number))
    return _op(node.op, *given, **attrs)


def _type_of(node: NodeDef, signature: opdefs.Signature, arg: opdefs.Arg) -> int:
    """Return the DataType number of an argument, 0 where nothing tells it."""
    if arg.dtype or not arg.type_attr:
        return arg.dtype
    if arg.type_attr in node.attr:
        return node.attr[arg.type_attr].type
    default = signature.attrs[arg.type_attr].default
    return 0 if default is None else default.type


def _array(value: Any, number: int) -> Any:
    if isinstance(value, Tensor):
        return value
    return np.asarray(value, as_dtype(number).as_numpy_dtype if number else None)
