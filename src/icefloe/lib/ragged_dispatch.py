"""Which of the public functions take RaggedTensors, and what they do then.

A function listed here is public in a form that looks at its arguments: if one of them, or of those in a list, is
ragged,
what this table says is called instead. Names are those of `icefloe._names`: the module and attribute that a public name
stands for, module "op" for functions that add one node.

    unary      elementwise in the first argument
    binary     elementwise in the first two
    otherwise  a function of this package with the same arguments

Source: tensorflow/python/ops/ragged/ragged_dispatch.py and the dispatched functions beside it.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

_UNARY = {
    "lib.math_elementwise": """
        abs acos angle ceil conj erfcinv erfinv exp floor imag log_sigmoid ndtri real reciprocal_no_nan round rsqrt
        sigmoid sign sqrt
    """,
    "lib.math_special": """
        bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e
        bessel_y0 bessel_y1 dawsn expint fresnel_cos fresnel_sin spence
    """,
    "lib.math_cast": """
        cast saturate_cast to_bfloat16 to_complex128 to_complex64 to_double to_float to_int32 to_int64
    """,
    "lib.math_clip": "clip_by_value",
    "lib.array_create": "ones_like zeros_like",
    "lib.nn_activations": "leaky_relu log_softmax relu6 softplus swish",
    "lib.image_color": "adjust_brightness adjust_gamma convert_image_dtype random_brightness",
    "lib.strings": """
        regex_full_match regex_replace string_length string_to_hash_bucket string_to_number substr substr_deprecated
    """,
    "op": """
        Acosh AsString Asin Asinh Atan Atanh CheckNumerics Cos Cosh DecodeBase64 DecodeCompressed Digamma Elu
        EncodeBase64
        Erf Erfc Expm1 Invert IsFinite IsInf IsNan Lgamma Log Log1p LogicalNot Neg NextAfter Reciprocal Relu Rint Selu
        Sin
        Sinh Softsign Square StringLower StringStrip StringToHashBucketFast StringToHashBucketStrong StringUpper Tan
        Tanh
        UnicodeScript UnicodeTranscode
    """,
}
_BINARY = {
    "lib.math_elementwise": """
        add complex div div_no_nan divide equal floordiv logical_xor multiply multiply_no_nan not_equal pow scalar_mul
        subtract truediv xdivy xlog1py
    """,
    "op": """
        Atan2 BitwiseAnd BitwiseOr BitwiseXor FloorDiv FloorMod Greater GreaterEqual LeftShift Less LessEqual
        LogicalAnd LogicalOr Maximum Minimum RealDiv RightShift SquaredDifference TruncateDiv TruncateMod Xlogy Zeta
    """,
}
# Those that take SparseTensors too, and work on their values.
_SPARSE_UNARY = frozenset(
    [("lib.math_elementwise", name) for name in ("abs", "sign", "sqrt")]
    + [("op", name) for name in ("Asin", "Asinh", "Atan", "Atanh", "Erf", "Neg", "Sin", "Square", "Tan", "Tanh")]
)
# module -> attribute -> where the function for ragged arguments is.
_OTHERS = {
    "lib.math_reduce": {
        **{
            f"reduce_{what}": f"ragged_reduce.reduce_{what}"
            for what in ("sum", "prod", "min", "max", "mean", "variance", "std", "all", "any", "logsumexp")
        },
    },
    "lib.math_segment": {
        "unsorted_segment_mean": "ragged_reduce.segment_mean",
        "unsorted_segment_sqrt_n": "ragged_reduce.segment_sqrt_n",
    },
    "lib.math_matrix": {"matmul": "ragged_math.matmul"},
    "lib.math_range": {"cumsum": "ragged_math.cumsum"},
    "lib.math_elementwise": {"add_n": "ragged_math.add_n"},
    "lib.array_join": {"concat": "ragged_concat.concat", "stack": "ragged_concat.stack"},
    "lib.array_select": {
        "gather": "ragged_gather.gather_as_v1",
        "gather_nd": "ragged_gather.gather_nd_as_v1",
        "where": "ragged_mask.where",
    },
    "lib.array_batch_gather": {"batch_gather": "ragged_gather.batch_gather"},
    "lib.array_shape": {
        "expand_dims": "ragged_layout.expand_dims",
        "squeeze": "ragged_layout.squeeze",
        "size": "ragged_layout.size",
        "rank": "ragged_layout.rank",
        "reshape": "ragged_layout.reshape",
    },
    "lib.array_create": {"one_hot": "ragged_layout.one_hot"},
    "lib.nn_activations": {"softmax": "ragged_math.softmax", "dropout": "ragged_math.dropout"},
    "lib.nn_embedding": {
        "embedding_lookup": "ragged_math.embedding_lookup",
        "embedding_lookup_sparse": "ragged_math.embedding_lookup_sparse",
    },
    "lib.strings": {
        "reduce_join": "ragged_math.reduce_join",
        "string_join": "ragged_math.string_join",
        "string_format": "ragged_math.string_format",
    },
    "lib.control": {"identity": "ragged_math.identity"},
    "op": {
        "Tile": "ragged_layout.tile",
        "ReverseV2": "ragged_layout.reverse",
        "DynamicPartition": "ragged_mask.dynamic_partition",
        "UnsortedSegmentSum": "ragged_reduce.segment_sum",
        "UnsortedSegmentProd": "ragged_reduce.segment_prod",
        "UnsortedSegmentMin": "ragged_reduce.segment_min",
        "UnsortedSegmentMax": "ragged_reduce.segment_max",
        "Bitcast": "ragged_math.bitcast",
    },
}

_TABLE: dict[tuple[str, str], str] = {
    **{(module, word): "unary" for module, words in _UNARY.items() for word in words.split()},
    **{(module, word): "binary" for module, words in _BINARY.items() for word in words.split()},
    **{(module, word): target for module, words in _OTHERS.items() for word, target in words.items()},
}


def _has_ragged(values: Any) -> bool:
    for value in values:
        if getattr(type(value), "is_ragged", False):
            return True
        if isinstance(value, (list, tuple)) and any(getattr(type(v), "is_ragged", False) for v in value):
            return True
    return False


def for_ragged(module: str, attribute: str, function: Any) -> Any:
    """Return the public form of a function: itself, or one that looks out for RaggedTensors."""
    target = _TABLE.get((module, attribute))
    if target is None:
        return function
    if (module, attribute) in _SPARSE_UNARY:
        function = _on_sparse(function)
    return _dispatching(function, target) if module == "op" else _dispatching_once(function, target)


@functools.cache
def _on_sparse(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that works on the values of a SparseTensor, if it is given one."""
    from icefloe.graph.sparse_tensor import SparseTensor

    first = next(iter(inspect.signature(function).parameters))

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        x = args[0] if args else kwargs.get(first)
        if not isinstance(x, SparseTensor):
            return function(*args, **kwargs)
        given = (x.values, *args[1:]) if args else ()
        made = function(*given, **kwargs) if args else function(**{**kwargs, first: x.values})
        return SparseTensor(x.indices, made, x.dense_shape)

    return call


def _dispatching(function: Callable[..., Any], target: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if _has_ragged(args) or (kwargs and _has_ragged(kwargs.values())):
            return _on_ragged(function, target, args, kwargs)
        return function(*args, **kwargs)

    return call


@functools.cache
def _dispatching_once(function: Callable[..., Any], target: str) -> Callable[..., Any]:
    return _dispatching(function, target)


def _on_ragged(function: Callable[..., Any], target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if target not in ("unary", "binary"):
        module, _, name = target.partition(".")
        return getattr(importlib.import_module(f"icefloe.lib.{module}"), name)(*args, **kwargs)
    from icefloe.graph.default_graph import name_scope
    from icefloe.lib.ragged_elementwise import binary, unary

    count = 1 if target == "unary" else 2
    names = list(inspect.signature(function).parameters)[:count]
    given = dict(kwargs)
    operands = [*args[:count], *(given.pop(name) for name in names[len(args) :])]
    rest = args[count:]
    apply = unary if count == 1 else binary
    scope = given.pop("name", None)
    place = list(inspect.signature(function).parameters).index("name")
    if scope is None and len(args) > place:
        scope, rest = args[place], rest[: place - count]
    if scope is None:
        return apply(lambda *values: function(*values, *rest, **given), *operands)
    with name_scope(scope, None, operands):
        return apply(lambda *values: function(*values, *rest, **given), *operands)
