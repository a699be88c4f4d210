# Written by fixtures/make/public_names.py; do not edit.
from icefloe.saved_models.method_names import MethodNameUpdater as MethodNameUpdater
from icefloe.saved_models.signatures import build_signature_def as build_signature_def
from icefloe.saved_models.signatures import classification_signature_def as classification_signature_def
from icefloe.saved_models.signatures import is_valid_signature as is_valid_signature
from icefloe.saved_models.signatures import predict_signature_def as predict_signature_def
from icefloe.saved_models.signatures import regression_signature_def as regression_signature_def


__all__ = [
    "MethodNameUpdater",
    "build_signature_def",
    "classification_signature_def",
    "is_valid_signature",
    "predict_signature_def",
    "regression_signature_def",
]
