# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.files import GFile as GFile
from icefloe.lib.files import copy as copy
from icefloe.lib.files import exists as exists
from icefloe.lib.files import get_registered_schemes as get_registered_schemes
from icefloe.lib.files import glob as glob
from icefloe.lib.files import isdir as isdir
from icefloe.lib.files import join as join
from icefloe.lib.files import listdir as listdir
from icefloe.lib.files import makedirs as makedirs
from icefloe.lib.files import mkdir as mkdir
from icefloe.lib.files import remove as remove
from icefloe.lib.files import rename as rename
from icefloe.lib.files import rmtree as rmtree
from icefloe.lib.files import stat as stat
from icefloe.lib.files import walk as walk


__all__ = [
    "GFile",
    "copy",
    "exists",
    "get_registered_schemes",
    "glob",
    "isdir",
    "join",
    "listdir",
    "makedirs",
    "mkdir",
    "remove",
    "rename",
    "rmtree",
    "stat",
    "walk",
]
