"""Attention: of queries to keys, by dot products, by sums, by several heads."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from icefloe.graph.build import apply_op
from icefloe.graph.tensor import Tensor
from icefloe.importers.keras.registry import LayerContext, layer
from icefloe.lib.math_matrix import einsum
from icefloe.lib.math_reduce import reduce_sum


def _op(name: str, *inputs: Any, **attrs: Any) -> Tensor:
    tensor: Tensor = apply_op(name, *inputs, **attrs)
    return tensor


def _attended(scores: Tensor, value: Tensor, *, causal: bool) -> Tensor:
    """Return the values [n, m, d] mixed by the softmax of scores [n, k, m]."""
    if causal:
        ones = _op("OnesLike", scores)
        seen = _op("MatrixBandPart", ones, -1, 0)
        scores = scores - 1e9 * (1.0 - seen)
    return _op("BatchMatMulV2", _op("Softmax", scores), value)


def _parts(c: LayerContext, inputs: tuple[Tensor, ...]) -> tuple[Tensor, Tensor, Tensor, bool]:
    """Return query, value, key and whether a query sees only what is before it."""
    query, value, *key = inputs
    causal = bool(c.get("causal", False)) or bool(c.kwargs.get("use_causal_mask", False))
    return query, value, key[0] if key else value, causal


@layer("Attention")
def attention(c: LayerContext, *inputs: Tensor) -> Tensor:
    """Mix values by the dot products of queries and keys."""
    query, value, key, causal = _parts(c, inputs)
    mode = c.get("score_mode", "dot")
    if mode == "concat":
        (weight,) = c.weights.take(1) if not c.get("use_scale", False) else c.weights.take(2)[-1:]
        scores = c.weight(np.asarray(weight), "concat_score_weight") * _sums(query, key)
    else:
        scores = _op("BatchMatMulV2", query, key, adj_y=True)
        if c.get("use_scale", False):
            scores = scores * c.weight(c.weights.take(1)[0], "scale")
    return _attended(scores, value, causal=causal)


def _sums(query: Tensor, key: Tensor) -> Tensor:
    """Return the sum of tanh(query + key) for each pair."""
    pairs = _op("ExpandDims", query, 2) + _op("ExpandDims", key, 1)
    return reduce_sum(_op("Tanh", pairs), -1)


@layer("AdditiveAttention")
def additive_attention(c: LayerContext, *inputs: Tensor) -> Tensor:
    """Mix values by sums of queries and keys."""
    query, value, key, causal = _parts(c, inputs)
    pairs = _op("Tanh", _op("ExpandDims", query, 2) + _op("ExpandDims", key, 1))
    if c.get("use_scale", True):
        pairs = pairs * c.weight(c.weights.take(1)[0], "scale")
    return _attended(reduce_sum(pairs, -1), value, causal=causal)


@layer("MultiHeadAttention")
def multi_head_attention(c: LayerContext, *inputs: Tensor) -> Tensor:
    """Mix values by several heads, each with projections of its own; inputs are [batch, steps, features]."""
    given = {"query": inputs[0], "value": inputs[1] if len(inputs) > 1 else c.kwargs.get("value", inputs[0])}
    given["key"] = inputs[2] if len(inputs) > 2 else c.kwargs.get("key") or given["value"]
    axes = c.get("attention_axes")
    if axes not in (None, [1], (1,)):
        raise c.refuse(f"attention_axes {axes}")
    count = 2 if c.get("use_bias", True) else 1

    def projection(word: str) -> list[np.ndarray]:
        found = c.weights.having(word) if len(c.weights.having(word)) else c.weights.part(f"{word}_dense")
        if not len(found):
            found = c.weights.having(f"{word}_dense")
        return found.take(count)

    made: dict[str, Tensor] = {}
    for word in ("query", "key", "value"):
        kernel, *bias = projection(word)
        y = einsum("abc,cde->abde", given[word], c.weight(kernel, f"{word}/kernel"))
        made[word] = y + c.weight(bias[0], f"{word}/bias") if bias else y
    size = float(c.get("key_dim"))
    query = made["query"] * np.float32(1.0 / math.sqrt(size))
    scores = einsum("aecd,abcd->acbe", made["key"], query)
    if c.kwargs.get("use_causal_mask"):
        seen = _op("MatrixBandPart", _op("OnesLike", scores), -1, 0)
        scores = scores - 1e9 * (1.0 - seen)
    mixed = einsum("acbe,aecd->abcd", _op("Softmax", scores), made["value"])
    word = "output" if len(c.weights.having("output")) or len(c.weights.having("output_dense")) else "attention_output"
    kernel, *bias = projection(word)
    y = einsum("abcd,cde->abe", mixed, c.weight(kernel, "output/kernel"))
    return y + c.weight(bias[0], "output/bias") if bias else y
