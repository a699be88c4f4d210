# Written by fixtures/make/public_names.py; do not edit.
from icefloe.scripts.flags import ArgumentParser as ArgumentParser
from icefloe.scripts.flags import ArgumentSerializer as ArgumentSerializer
from icefloe.scripts.flags import BaseListParser as BaseListParser
from icefloe.scripts.flags import BooleanFlag as BooleanFlag
from icefloe.scripts.flags import BooleanParser as BooleanParser
from icefloe.scripts.flags import CantOpenFlagFileError as CantOpenFlagFileError
from icefloe.scripts.flags import CsvListSerializer as CsvListSerializer
from icefloe.scripts.flags import DEFINE as DEFINE
from icefloe.scripts.flags import DEFINE_alias as DEFINE_alias
from icefloe.scripts.flags import DEFINE_bool as DEFINE_bool
from icefloe.scripts.flags import DEFINE_boolean as DEFINE_boolean
from icefloe.scripts.flags import DEFINE_enum as DEFINE_enum
from icefloe.scripts.flags import DEFINE_enum_class as DEFINE_enum_class
from icefloe.scripts.flags import DEFINE_flag as DEFINE_flag
from icefloe.scripts.flags import DEFINE_float as DEFINE_float
from icefloe.scripts.flags import DEFINE_integer as DEFINE_integer
from icefloe.scripts.flags import DEFINE_list as DEFINE_list
from icefloe.scripts.flags import DEFINE_multi as DEFINE_multi
from icefloe.scripts.flags import DEFINE_multi_enum as DEFINE_multi_enum
from icefloe.scripts.flags import DEFINE_multi_enum_class as DEFINE_multi_enum_class
from icefloe.scripts.flags import DEFINE_multi_float as DEFINE_multi_float
from icefloe.scripts.flags import DEFINE_multi_integer as DEFINE_multi_integer
from icefloe.scripts.flags import DEFINE_multi_string as DEFINE_multi_string
from icefloe.scripts.flags import DEFINE_spaceseplist as DEFINE_spaceseplist
from icefloe.scripts.flags import DEFINE_string as DEFINE_string
from icefloe.scripts.flags import DuplicateFlagError as DuplicateFlagError
from icefloe.scripts.flags import EnumClassFlag as EnumClassFlag
from icefloe.scripts.flags import EnumClassListSerializer as EnumClassListSerializer
from icefloe.scripts.flags import EnumClassParser as EnumClassParser
from icefloe.scripts.flags import EnumClassSerializer as EnumClassSerializer
from icefloe.scripts.flags import EnumFlag as EnumFlag
from icefloe.scripts.flags import EnumParser as EnumParser
from icefloe.scripts.flags import Error as Error
from icefloe.scripts.flags import FLAGS as FLAGS
from icefloe.scripts.flags import Flag as Flag
from icefloe.scripts.flags import FlagHolder as FlagHolder
from icefloe.scripts.flags import FlagNameConflictsWithMethodError as FlagNameConflictsWithMethodError
from icefloe.scripts.flags import FlagValues as FlagValues
from icefloe.scripts.flags import FloatParser as FloatParser
from icefloe.scripts.flags import IllegalFlagValueError as IllegalFlagValueError
from icefloe.scripts.flags import IntegerParser as IntegerParser
from icefloe.scripts.flags import ListParser as ListParser
from icefloe.scripts.flags import ListSerializer as ListSerializer
from icefloe.scripts.flags import MultiEnumClassFlag as MultiEnumClassFlag
from icefloe.scripts.flags import MultiFlag as MultiFlag
from icefloe.scripts.flags import UnparsedFlagAccessError as UnparsedFlagAccessError
from icefloe.scripts.flags import UnrecognizedFlagError as UnrecognizedFlagError
from icefloe.scripts.flags import ValidationError as ValidationError
from icefloe.scripts.flags import WhitespaceSeparatedListParser as WhitespaceSeparatedListParser
from icefloe.scripts.flags import adopt_module_key_flags as adopt_module_key_flags
from icefloe.scripts.flags import declare_key_flag as declare_key_flag
from icefloe.scripts.flags import disclaim_key_flags as disclaim_key_flags
from icefloe.scripts.flags import doc_to_help as doc_to_help
from icefloe.scripts.flags import flag_dict_to_args as flag_dict_to_args
from icefloe.scripts.flags import get_help_width as get_help_width
from icefloe.scripts.flags import mark_bool_flags_as_mutual_exclusive as mark_bool_flags_as_mutual_exclusive
from icefloe.scripts.flags import mark_flag_as_required as mark_flag_as_required
from icefloe.scripts.flags import mark_flags_as_mutual_exclusive as mark_flags_as_mutual_exclusive
from icefloe.scripts.flags import mark_flags_as_required as mark_flags_as_required
from icefloe.scripts.flags import multi_flags_validator as multi_flags_validator
from icefloe.scripts.flags import override_value as override_value
from icefloe.scripts.flags import register_multi_flags_validator as register_multi_flags_validator
from icefloe.scripts.flags import register_validator as register_validator
from icefloe.scripts.flags import set_default as set_default
from icefloe.scripts.flags import text_wrap as text_wrap
from icefloe.scripts.flags import validator as validator


__all__ = [
    "ArgumentParser",
    "ArgumentSerializer",
    "BaseListParser",
    "BooleanFlag",
    "BooleanParser",
    "CantOpenFlagFileError",
    "CsvListSerializer",
    "DEFINE",
    "DEFINE_alias",
    "DEFINE_bool",
    "DEFINE_boolean",
    "DEFINE_enum",
    "DEFINE_enum_class",
    "DEFINE_flag",
    "DEFINE_float",
    "DEFINE_integer",
    "DEFINE_list",
    "DEFINE_multi",
    "DEFINE_multi_enum",
    "DEFINE_multi_enum_class",
    "DEFINE_multi_float",
    "DEFINE_multi_integer",
    "DEFINE_multi_string",
    "DEFINE_spaceseplist",
    "DEFINE_string",
    "DuplicateFlagError",
    "EnumClassFlag",
    "EnumClassListSerializer",
    "EnumClassParser",
    "EnumClassSerializer",
    "EnumFlag",
    "EnumParser",
    "Error",
    "FLAGS",
    "Flag",
    "FlagHolder",
    "FlagNameConflictsWithMethodError",
    "FlagValues",
    "FloatParser",
    "IllegalFlagValueError",
    "IntegerParser",
    "ListParser",
    "ListSerializer",
    "MultiEnumClassFlag",
    "MultiFlag",
    "UnparsedFlagAccessError",
    "UnrecognizedFlagError",
    "ValidationError",
    "WhitespaceSeparatedListParser",
    "adopt_module_key_flags",
    "declare_key_flag",
    "disclaim_key_flags",
    "doc_to_help",
    "flag_dict_to_args",
    "get_help_width",
    "mark_bool_flags_as_mutual_exclusive",
    "mark_flag_as_required",
    "mark_flags_as_mutual_exclusive",
    "mark_flags_as_required",
    "multi_flags_validator",
    "override_value",
    "register_multi_flags_validator",
    "register_validator",
    "set_default",
    "text_wrap",
    "validator",
]
