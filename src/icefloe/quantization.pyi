# Written by fixtures/make/public_names.py; do not edit.
from typing import Any

from icefloe.lib.quantization import dequantize as dequantize
from icefloe.lib.quantization import quantize as quantize
from icefloe.lib.quantization import quantize_and_dequantize as quantize_and_dequantize
from icefloe.lib.quantization import quantize_and_dequantize_v2 as quantize_and_dequantize_v2

def fake_quant_with_min_max_args(inputs: Any, min: Any = -6.0, max: Any = 6.0, num_bits: Any = 8, narrow_range: Any = False, name: str | None = ...) -> Any: ...
def fake_quant_with_min_max_args_gradient(gradients: Any, inputs: Any, min: Any = -6.0, max: Any = 6.0, num_bits: Any = 8, narrow_range: Any = False, name: str | None = ...) -> Any: ...
def fake_quant_with_min_max_vars(inputs: Any, min: Any, max: Any, num_bits: Any = 8, narrow_range: Any = False, name: str | None = ...) -> Any: ...
def fake_quant_with_min_max_vars_gradient(gradients: Any, inputs: Any, min: Any, max: Any, num_bits: Any = 8, narrow_range: Any = False, name: str | None = ...) -> Any: ...
def fake_quant_with_min_max_vars_per_channel(inputs: Any, min: Any, max: Any, num_bits: Any = 8, narrow_range: Any = False, name: str | None = ...) -> Any: ...
def fake_quant_with_min_max_vars_per_channel_gradient(gradients: Any, inputs: Any, min: Any, max: Any, num_bits: Any = 8, narrow_range: Any = False, name: str | None = ...) -> Any: ...
def quantized_concat(concat_dim: Any, values: Any, input_mins: Any, input_maxes: Any, name: str | None = ...) -> Any: ...

__all__ = [
    "dequantize",
    "fake_quant_with_min_max_args",
    "fake_quant_with_min_max_args_gradient",
    "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_gradient",
    "fake_quant_with_min_max_vars_per_channel",
    "fake_quant_with_min_max_vars_per_channel_gradient",
    "quantize",
    "quantize_and_dequantize",
    "quantize_and_dequantize_v2",
    "quantized_concat",
]
