# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.process_config import get_optimizer_experimental_options as get_experimental_options
from icefloe.lib.process_config import get_optimizer_jit as get_jit
from icefloe.lib.process_config import set_optimizer_experimental_options as set_experimental_options
from icefloe.lib.process_config import set_optimizer_jit as set_jit


__all__ = [
    "get_experimental_options",
    "get_jit",
    "set_experimental_options",
    "set_jit",
]
