# Written by fixtures/make/public_names.py; do not edit.
from icefloe.saved_models.constants import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from icefloe.saved_models.constants import ASSETS_KEY as ASSETS_KEY
from icefloe.saved_models.constants import DEBUG_DIRECTORY as DEBUG_DIRECTORY
from icefloe.saved_models.constants import DEBUG_INFO_FILENAME_PB as DEBUG_INFO_FILENAME_PB
from icefloe.saved_models.constants import LEGACY_INIT_OP_KEY as LEGACY_INIT_OP_KEY
from icefloe.saved_models.constants import MAIN_OP_KEY as MAIN_OP_KEY
from icefloe.saved_models.constants import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from icefloe.saved_models.constants import SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT
from icefloe.saved_models.constants import SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION
from icefloe.saved_models.constants import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from icefloe.saved_models.constants import VARIABLES_FILENAME as VARIABLES_FILENAME


__all__ = [
    "ASSETS_DIRECTORY",
    "ASSETS_KEY",
    "DEBUG_DIRECTORY",
    "DEBUG_INFO_FILENAME_PB",
    "LEGACY_INIT_OP_KEY",
    "MAIN_OP_KEY",
    "SAVED_MODEL_FILENAME_PB",
    "SAVED_MODEL_FILENAME_PBTXT",
    "SAVED_MODEL_SCHEMA_VERSION",
    "VARIABLES_DIRECTORY",
    "VARIABLES_FILENAME",
]
