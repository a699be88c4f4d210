# Written by fixtures/make/public_names.py; do not edit.
from icefloe.saved_models.constants import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from icefloe.saved_models.constants import ASSETS_KEY as ASSETS_KEY
from icefloe.saved_models.assets import Asset as Asset
from icefloe.saved_models.builder import SavedModelBuilder as Builder
from icefloe.saved_models.constants import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from icefloe.saved_models.constants import CLASSIFY_METHOD_NAME as CLASSIFY_METHOD_NAME
from icefloe.saved_models.constants import CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES
from icefloe.saved_models.constants import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from icefloe.saved_models.constants import DEBUG_DIRECTORY as DEBUG_DIRECTORY
from icefloe.saved_models.constants import DEBUG_INFO_FILENAME_PB as DEBUG_INFO_FILENAME_PB
from icefloe.saved_models.constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY
from icefloe.saved_models.constants import GPU as GPU
from icefloe.saved_models.constants import LEGACY_INIT_OP_KEY as LEGACY_INIT_OP_KEY
from icefloe.saved_models.constants import MAIN_OP_KEY as MAIN_OP_KEY
from icefloe.saved_models.constants import PREDICT_INPUTS as PREDICT_INPUTS
from icefloe.saved_models.constants import PREDICT_METHOD_NAME as PREDICT_METHOD_NAME
from icefloe.saved_models.constants import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from icefloe.saved_models.constants import REGRESS_INPUTS as REGRESS_INPUTS
from icefloe.saved_models.constants import REGRESS_METHOD_NAME as REGRESS_METHOD_NAME
from icefloe.saved_models.constants import REGRESS_OUTPUTS as REGRESS_OUTPUTS
from icefloe.saved_models.constants import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from icefloe.saved_models.constants import SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT
from icefloe.saved_models.constants import SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION
from icefloe.saved_models.constants import SERVING as SERVING
from icefloe.saved_models.options import SaveOptions as SaveOptions
from icefloe.saved_models.constants import TPU as TPU
from icefloe.saved_models.constants import TRAINING as TRAINING
from icefloe.saved_models.constants import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from icefloe.saved_models.constants import VARIABLES_FILENAME as VARIABLES_FILENAME
from icefloe.saved_models.signatures import build_signature_def as build_signature_def
from icefloe.saved_models.signatures import build_tensor_info as build_tensor_info
from icefloe.saved_model import builder as builder
from icefloe.saved_models.signatures import classification_signature_def as classification_signature_def
from icefloe.saved_model import constants as constants
from icefloe.saved_models.loader import maybe_saved_model_directory as contains_saved_model
from icefloe.saved_models.signatures import get_tensor_from_tensor_info as get_tensor_from_tensor_info
from icefloe.saved_models.signatures import is_valid_signature as is_valid_signature
from icefloe.saved_models.loader import load as load
from icefloe.saved_models.options import load_v2 as load_v2
from icefloe.saved_model import loader as loader
from icefloe.saved_model import main_op as main_op
from icefloe.saved_models.main_op import main_op_with_restore as main_op_with_restore
from icefloe.saved_models.loader import maybe_saved_model_directory as maybe_saved_model_directory
from icefloe.saved_models.signatures import predict_signature_def as predict_signature_def
from icefloe.saved_models.signatures import regression_signature_def as regression_signature_def
from icefloe.saved_models.saving import save as save
from icefloe.saved_model import signature_constants as signature_constants
from icefloe.saved_model import signature_def_utils as signature_def_utils
from icefloe.saved_models.builder import simple_save as simple_save
from icefloe.saved_model import tag_constants as tag_constants
from icefloe.saved_model import utils as utils


__all__ = [
    "ASSETS_DIRECTORY",
    "ASSETS_KEY",
    "Asset",
    "Builder",
    "CLASSIFY_INPUTS",
    "CLASSIFY_METHOD_NAME",
    "CLASSIFY_OUTPUT_CLASSES",
    "CLASSIFY_OUTPUT_SCORES",
    "DEBUG_DIRECTORY",
    "DEBUG_INFO_FILENAME_PB",
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY",
    "GPU",
    "LEGACY_INIT_OP_KEY",
    "MAIN_OP_KEY",
    "PREDICT_INPUTS",
    "PREDICT_METHOD_NAME",
    "PREDICT_OUTPUTS",
    "REGRESS_INPUTS",
    "REGRESS_METHOD_NAME",
    "REGRESS_OUTPUTS",
    "SAVED_MODEL_FILENAME_PB",
    "SAVED_MODEL_FILENAME_PBTXT",
    "SAVED_MODEL_SCHEMA_VERSION",
    "SERVING",
    "SaveOptions",
    "TPU",
    "TRAINING",
    "VARIABLES_DIRECTORY",
    "VARIABLES_FILENAME",
    "build_signature_def",
    "build_tensor_info",
    "builder",
    "classification_signature_def",
    "constants",
    "contains_saved_model",
    "get_tensor_from_tensor_info",
    "is_valid_signature",
    "load",
    "load_v2",
    "loader",
    "main_op",
    "main_op_with_restore",
    "maybe_saved_model_directory",
    "predict_signature_def",
    "regression_signature_def",
    "save",
    "signature_constants",
    "signature_def_utils",
    "simple_save",
    "tag_constants",
    "utils",
]
