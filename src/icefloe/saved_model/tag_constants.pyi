# Written by fixtures/make/public_names.py; do not edit.
from icefloe.saved_models.constants import GPU as GPU
from icefloe.saved_models.constants import SERVING as SERVING
from icefloe.saved_models.constants import TPU as TPU
from icefloe.saved_models.constants import TRAINING as TRAINING


__all__ = [
    "GPU",
    "SERVING",
    "TPU",
    "TRAINING",
]
