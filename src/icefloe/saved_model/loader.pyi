# Written by fixtures/make/public_names.py; do not edit.
from icefloe.saved_models.loader import load as load
from icefloe.saved_models.loader import maybe_saved_model_directory as maybe_saved_model_directory


__all__ = [
    "load",
    "maybe_saved_model_directory",
]
