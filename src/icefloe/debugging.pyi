# Written by fixtures/make/public_names.py; do not edit.
from typing import Any

from icefloe.lib.checks import Assert as Assert
from icefloe.lib.control import verify_tensor_all_finite as assert_all_finite
from icefloe.lib.checks import assert_equal as assert_equal
from icefloe.lib.checks import assert_greater as assert_greater
from icefloe.lib.checks import assert_greater_equal as assert_greater_equal
from icefloe.lib.checks import assert_integer as assert_integer
from icefloe.lib.checks import assert_less as assert_less
from icefloe.lib.checks import assert_less_equal as assert_less_equal
from icefloe.lib.checks import assert_near as assert_near
from icefloe.lib.checks import assert_negative as assert_negative
from icefloe.lib.checks import assert_non_negative as assert_non_negative
from icefloe.lib.checks import assert_non_positive as assert_non_positive
from icefloe.lib.checks import assert_none_equal as assert_none_equal
from icefloe.lib.checks import assert_positive as assert_positive
from icefloe.lib.checks import assert_proper_iterable as assert_proper_iterable
from icefloe.lib.checks import assert_rank as assert_rank
from icefloe.lib.checks import assert_rank_at_least as assert_rank_at_least
from icefloe.lib.checks import assert_rank_in as assert_rank_in
from icefloe.lib.checks import assert_same_float_dtype as assert_same_float_dtype
from icefloe.lib.checks import assert_scalar as assert_scalar
from icefloe.lib.shape_checks import assert_shapes as assert_shapes
from icefloe.lib.checks import assert_type as assert_type
from icefloe.lib.debugging_options import disable_check_numerics as disable_check_numerics
from icefloe.lib.debugging_options import disable_traceback_filtering as disable_traceback_filtering
from icefloe.lib.debugging_options import enable_check_numerics as enable_check_numerics
from icefloe.lib.debugging_options import enable_traceback_filtering as enable_traceback_filtering
from icefloe.lib.debugging_options import get_log_device_placement as get_log_device_placement
from icefloe.lib.math_properties import is_non_decreasing as is_non_decreasing
from icefloe.lib.checks import is_numeric_tensor as is_numeric_tensor
from icefloe.lib.math_properties import is_strictly_increasing as is_strictly_increasing
from icefloe.lib.debugging_options import is_traceback_filtering_enabled as is_traceback_filtering_enabled
from icefloe.lib.debugging_options import set_log_device_placement as set_log_device_placement

def check_numerics(tensor: Any, message: Any, name: str | None = ...) -> Any: ...
def is_finite(x: Any, name: str | None = ...) -> Any: ...
def is_inf(x: Any, name: str | None = ...) -> Any: ...
def is_nan(x: Any, name: str | None = ...) -> Any: ...

__all__ = [
    "Assert",
    "assert_all_finite",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_proper_iterable",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_shapes",
    "assert_type",
    "check_numerics",
    "disable_check_numerics",
    "disable_traceback_filtering",
    "enable_check_numerics",
    "enable_traceback_filtering",
    "get_log_device_placement",
    "is_finite",
    "is_inf",
    "is_nan",
    "is_non_decreasing",
    "is_numeric_tensor",
    "is_strictly_increasing",
    "is_traceback_filtering_enabled",
    "set_log_device_placement",
]
