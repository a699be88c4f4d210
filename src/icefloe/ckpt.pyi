# Written by fixtures/make/public_names.py; do not edit.
from icefloe.checkpoint.listing import cat as cat
from icefloe.checkpoint.keeping.clean import clean as clean
from icefloe.checkpoint.formats.conversion import convert as convert
from icefloe.checkpoint.checking.diff import diff as diff
from icefloe.checkpoint.listing import ls as ls
from icefloe.checkpoint.keeping.prune import prune as prune
from icefloe.checkpoint.listing import read_part as read_part
from icefloe.checkpoint.checking.rescue import rescue as rescue
from icefloe.checkpoint.listing import scopes as scopes
from icefloe.checkpoint.listing import split_index as split_index
from icefloe.checkpoint.keeping.state import state as state
from icefloe.checkpoint.checking.stats import stats as stats
from icefloe.checkpoint.listing import tree as tree
from icefloe.checkpoint.checking.verify import verify as verify


__all__ = [
    "cat",
    "clean",
    "convert",
    "diff",
    "ls",
    "prune",
    "read_part",
    "rescue",
    "scopes",
    "split_index",
    "state",
    "stats",
    "tree",
    "verify",
]
