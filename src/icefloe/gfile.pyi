# Written by fixtures/make/public_names.py; do not edit.
from icefloe.lib.files import Copy as Copy
from icefloe.lib.files import DeleteRecursively as DeleteRecursively
from icefloe.lib.files import Exists as Exists
from icefloe.lib.files import FastGFile as FastGFile
from icefloe.lib.files import GFile as GFile
from icefloe.lib.files import Glob as Glob
from icefloe.lib.files import IsDirectory as IsDirectory
from icefloe.lib.files import ListDirectory as ListDirectory
from icefloe.lib.files import MakeDirs as MakeDirs
from icefloe.lib.files import MkDir as MkDir
from icefloe.lib.files import GFile as Open
from icefloe.lib.files import Remove as Remove
from icefloe.lib.files import Rename as Rename
from icefloe.lib.files import Stat as Stat
from icefloe.lib.files import Walk as Walk


__all__ = [
    "Copy",
    "DeleteRecursively",
    "Exists",
    "FastGFile",
    "GFile",
    "Glob",
    "IsDirectory",
    "ListDirectory",
    "MakeDirs",
    "MkDir",
    "Open",
    "Remove",
    "Rename",
    "Stat",
    "Walk",
]
