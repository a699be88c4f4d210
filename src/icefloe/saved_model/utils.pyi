# Written by fixtures/make/public_names.py; do not edit.
from icefloe.saved_models.signatures import build_tensor_info as build_tensor_info
from icefloe.saved_models.signatures import get_tensor_from_tensor_info as get_tensor_from_tensor_info


__all__ = [
    "build_tensor_info",
    "get_tensor_from_tensor_info",
]
