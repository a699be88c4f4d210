# Written by fixtures/make/public_names.py; do not edit.
from typing import Any

from icefloe.lib.math_elementwise import abs as abs
from icefloe.lib.math_elementwise import accumulate_n as accumulate_n
from icefloe.lib.math_elementwise import acos as acos
from icefloe.lib.math_elementwise import add as add
from icefloe.lib.math_elementwise import add_n as add_n
from icefloe.lib.math_elementwise import angle as angle
from icefloe.lib.nn_top_k import approx_max_k as approx_max_k
from icefloe.lib.nn_top_k import approx_min_k as approx_min_k
from icefloe.lib.math_reduce import argmax as argmax
from icefloe.lib.math_reduce import argmin as argmin
from icefloe.lib.math_special import bessel_i0 as bessel_i0
from icefloe.lib.math_special import bessel_i0e as bessel_i0e
from icefloe.lib.math_special import bessel_i1 as bessel_i1
from icefloe.lib.math_special import bessel_i1e as bessel_i1e
from icefloe.lib.math_segment import bincount as bincount
from icefloe.lib.math_elementwise import ceil as ceil
from icefloe.lib.confusion import confusion_matrix as confusion_matrix
from icefloe.lib.math_elementwise import conj as conj
from icefloe.lib.math_reduce import count_nonzero as count_nonzero
from icefloe.lib.math_range import cumprod as cumprod
from icefloe.lib.math_range import cumsum as cumsum
from icefloe.lib.math_range import cumulative_logsumexp as cumulative_logsumexp
from icefloe.lib.math_elementwise import divide as divide
from icefloe.lib.math_elementwise import div_no_nan as divide_no_nan
from icefloe.lib.math_elementwise import equal as equal
from icefloe.lib.math_elementwise import erfcinv as erfcinv
from icefloe.lib.math_elementwise import erfinv as erfinv
from icefloe.lib.math_elementwise import exp as exp
from icefloe.lib.math_elementwise import floor as floor
from icefloe.lib.math_elementwise import floordiv as floordiv
from icefloe.lib.math_elementwise import imag as imag
from icefloe.lib.nn_top_k import in_top_k as in_top_k
from icefloe.lib.math_properties import is_non_decreasing as is_non_decreasing
from icefloe.lib.math_properties import is_strictly_increasing as is_strictly_increasing
from icefloe.lib.nn_normalization import l2_normalize as l2_normalize
from icefloe.lib.math_special import lbeta as lbeta
from icefloe.lib.math_elementwise import log_sigmoid as log_sigmoid
from icefloe.lib.nn_activations import log_softmax as log_softmax
from icefloe.lib.math_elementwise import logical_xor as logical_xor
from icefloe.lib.math_elementwise import multiply as multiply
from icefloe.lib.math_elementwise import multiply_no_nan as multiply_no_nan
from icefloe.lib.math_elementwise import ndtri as ndtri
from icefloe.lib.math_elementwise import not_equal as not_equal
from icefloe.lib.math_elementwise import polyval as polyval
from icefloe.lib.math_elementwise import pow as pow
from icefloe.lib.math_elementwise import real as real
from icefloe.lib.math_elementwise import reciprocal_no_nan as reciprocal_no_nan
from icefloe.lib.math_reduce import reduce_all as reduce_all
from icefloe.lib.math_reduce import reduce_any as reduce_any
from icefloe.lib.math_reduce import reduce_euclidean_norm as reduce_euclidean_norm
from icefloe.lib.math_reduce import reduce_logsumexp as reduce_logsumexp
from icefloe.lib.math_reduce import reduce_max as reduce_max
from icefloe.lib.math_reduce import reduce_mean as reduce_mean
from icefloe.lib.math_reduce import reduce_min as reduce_min
from icefloe.lib.math_reduce import reduce_prod as reduce_prod
from icefloe.lib.math_reduce import reduce_std as reduce_std
from icefloe.lib.math_reduce import reduce_sum as reduce_sum
from icefloe.lib.math_reduce import reduce_variance as reduce_variance
from icefloe.lib.math_elementwise import round as round
from icefloe.lib.math_elementwise import rsqrt as rsqrt
from icefloe.lib.math_elementwise import scalar_mul as scalar_mul
from icefloe.lib.math_elementwise import sigmoid as sigmoid
from icefloe.lib.math_elementwise import sign as sign
from icefloe.lib.math_range import sobol_sample as sobol_sample
from icefloe.lib.nn_activations import softmax as softmax
from icefloe.lib.nn_activations import softplus as softplus
from icefloe.math import special as special
from icefloe.lib.math_elementwise import sqrt as sqrt
from icefloe.lib.math_elementwise import subtract as subtract
from icefloe.lib.nn_top_k import top_k as top_k
from icefloe.lib.math_elementwise import truediv as truediv
from icefloe.lib.math_segment import unsorted_segment_mean as unsorted_segment_mean
from icefloe.lib.math_segment import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from icefloe.lib.math_elementwise import xdivy as xdivy
from icefloe.lib.math_elementwise import xlog1py as xlog1py
from icefloe.lib.math_properties import zero_fraction as zero_fraction

def acosh(x: Any, name: str | None = ...) -> Any: ...
def asin(x: Any, name: str | None = ...) -> Any: ...
def asinh(x: Any, name: str | None = ...) -> Any: ...
def atan(x: Any, name: str | None = ...) -> Any: ...
def atan2(y: Any, x: Any, name: str | None = ...) -> Any: ...
def atanh(x: Any, name: str | None = ...) -> Any: ...
def betainc(a: Any, b: Any, x: Any, name: str | None = ...) -> Any: ...
def cos(x: Any, name: str | None = ...) -> Any: ...
def cosh(x: Any, name: str | None = ...) -> Any: ...
def digamma(x: Any, name: str | None = ...) -> Any: ...
def erf(x: Any, name: str | None = ...) -> Any: ...
def erfc(x: Any, name: str | None = ...) -> Any: ...
def expm1(x: Any, name: str | None = ...) -> Any: ...
def floormod(x: Any, y: Any, name: str | None = ...) -> Any: ...
def greater(x: Any, y: Any, name: str | None = ...) -> Any: ...
def greater_equal(x: Any, y: Any, name: str | None = ...) -> Any: ...
def igamma(a: Any, x: Any, name: str | None = ...) -> Any: ...
def igammac(a: Any, x: Any, name: str | None = ...) -> Any: ...
def invert_permutation(x: Any, name: str | None = ...) -> Any: ...
def is_finite(x: Any, name: str | None = ...) -> Any: ...
def is_inf(x: Any, name: str | None = ...) -> Any: ...
def is_nan(x: Any, name: str | None = ...) -> Any: ...
def less(x: Any, y: Any, name: str | None = ...) -> Any: ...
def less_equal(x: Any, y: Any, name: str | None = ...) -> Any: ...
def lgamma(x: Any, name: str | None = ...) -> Any: ...
def log(x: Any, name: str | None = ...) -> Any: ...
def log1p(x: Any, name: str | None = ...) -> Any: ...
def logical_and(x: Any, y: Any, name: str | None = ...) -> Any: ...
def logical_not(x: Any, name: str | None = ...) -> Any: ...
def logical_or(x: Any, y: Any, name: str | None = ...) -> Any: ...
def maximum(x: Any, y: Any, name: str | None = ...) -> Any: ...
def minimum(x: Any, y: Any, name: str | None = ...) -> Any: ...
def mod(x: Any, y: Any, name: str | None = ...) -> Any: ...
def negative(x: Any, name: str | None = ...) -> Any: ...
def nextafter(x1: Any, x2: Any, name: str | None = ...) -> Any: ...
def polygamma(a: Any, x: Any, name: str | None = ...) -> Any: ...
def reciprocal(x: Any, name: str | None = ...) -> Any: ...
def rint(x: Any, name: str | None = ...) -> Any: ...
def segment_max(data: Any, segment_ids: Any, name: str | None = ...) -> Any: ...
def segment_mean(data: Any, segment_ids: Any, name: str | None = ...) -> Any: ...
def segment_min(data: Any, segment_ids: Any, name: str | None = ...) -> Any: ...
def segment_prod(data: Any, segment_ids: Any, name: str | None = ...) -> Any: ...
def segment_sum(data: Any, segment_ids: Any, name: str | None = ...) -> Any: ...
def sin(x: Any, name: str | None = ...) -> Any: ...
def sinh(x: Any, name: str | None = ...) -> Any: ...
def softsign(features: Any, name: str | None = ...) -> Any: ...
def square(x: Any, name: str | None = ...) -> Any: ...
def squared_difference(x: Any, y: Any, name: str | None = ...) -> Any: ...
def tan(x: Any, name: str | None = ...) -> Any: ...
def tanh(x: Any, name: str | None = ...) -> Any: ...
def unsorted_segment_max(data: Any, segment_ids: Any, num_segments: Any, name: str | None = ...) -> Any: ...
def unsorted_segment_min(data: Any, segment_ids: Any, num_segments: Any, name: str | None = ...) -> Any: ...
def unsorted_segment_prod(data: Any, segment_ids: Any, num_segments: Any, name: str | None = ...) -> Any: ...
def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = ...) -> Any: ...
def xlogy(x: Any, y: Any, name: str | None = ...) -> Any: ...
def zeta(x: Any, q: Any, name: str | None = ...) -> Any: ...

__all__ = [
    "abs",
    "accumulate_n",
    "acos",
    "acosh",
    "add",
    "add_n",
    "angle",
    "approx_max_k",
    "approx_min_k",
    "argmax",
    "argmin",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "betainc",
    "bincount",
    "ceil",
    "confusion_matrix",
    "conj",
    "cos",
    "cosh",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "cumulative_logsumexp",
    "digamma",
    "divide",
    "divide_no_nan",
    "equal",
    "erf",
    "erfc",
    "erfcinv",
    "erfinv",
    "exp",
    "expm1",
    "floor",
    "floordiv",
    "floormod",
    "greater",
    "greater_equal",
    "igamma",
    "igammac",
    "imag",
    "in_top_k",
    "invert_permutation",
    "is_finite",
    "is_inf",
    "is_nan",
    "is_non_decreasing",
    "is_strictly_increasing",
    "l2_normalize",
    "lbeta",
    "less",
    "less_equal",
    "lgamma",
    "log",
    "log1p",
    "log_sigmoid",
    "log_softmax",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "multiply_no_nan",
    "ndtri",
    "negative",
    "nextafter",
    "not_equal",
    "polygamma",
    "polyval",
    "pow",
    "real",
    "reciprocal",
    "reciprocal_no_nan",
    "reduce_all",
    "reduce_any",
    "reduce_euclidean_norm",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_std",
    "reduce_sum",
    "reduce_variance",
    "rint",
    "round",
    "rsqrt",
    "scalar_mul",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "sobol_sample",
    "softmax",
    "softplus",
    "softsign",
    "special",
    "sqrt",
    "square",
    "squared_difference",
    "subtract",
    "tan",
    "tanh",
    "top_k",
    "truediv",
    "unsorted_segment_max",
    "unsorted_segment_mean",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sqrt_n",
    "unsorted_segment_sum",
    "xdivy",
    "xlog1py",
    "xlogy",
    "zero_fraction",
    "zeta",
]
