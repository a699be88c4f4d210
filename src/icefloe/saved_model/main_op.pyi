# Written by fixtures/make/public_names.py; do not edit.
from icefloe.saved_models.main_op import main_op as main_op
from icefloe.saved_models.main_op import main_op_with_restore as main_op_with_restore


__all__ = [
    "main_op",
    "main_op_with_restore",
]
