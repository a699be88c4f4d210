# Written by fixtures/make/public_names.py; do not edit.
from icefloe.saved_models.builder import SavedModelBuilder as SavedModelBuilder


__all__ = [
    "SavedModelBuilder",
]
