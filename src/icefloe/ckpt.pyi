# Written by fixtures/make/public_names.py; do not edit.
from icefloe.checkpoint.editing.averaging import AverageReport as AverageReport
from icefloe.checkpoint.editing.casting import CastReport as CastReport
from icefloe.checkpoint.editing.extracting import ExtractReport as ExtractReport
from icefloe.checkpoint.editing.merging import MergeReport as MergeReport
from icefloe.checkpoint.editing.renaming import RenameReport as RenameReport
from icefloe.checkpoint.editing.resharding import ReshardReport as ReshardReport
from icefloe.checkpoint.editing.resizing import ResizeReport as ResizeReport
from icefloe.checkpoint.editing.setting import SetReport as SetReport
from icefloe.checkpoint.editing.slimming import SlimReport as SlimReport
from icefloe.checkpoint.editing.averaging import average as average
from icefloe.checkpoint.editing.casting import cast as cast
from icefloe.checkpoint.listing import cat as cat
from icefloe.checkpoint.keeping.clean import clean as clean
from icefloe.checkpoint.converting.conversion import convert as convert
from icefloe.checkpoint.checking.diff import diff as diff
from icefloe.checkpoint.editing.extracting import extract as extract
from icefloe.checkpoint.listing import ls as ls
from icefloe.checkpoint.editing.merging import merge as merge
from icefloe.checkpoint.keeping.prune import prune as prune
from icefloe.checkpoint.listing import read_part as read_part
from icefloe.checkpoint.editing.setting import read_value as read_value
from icefloe.transforms.checkpoint_names import rename as rename
from icefloe.checkpoint.report import report as report
from icefloe.checkpoint.checking.rescue import rescue as rescue
from icefloe.checkpoint.editing.resharding import reshard as reshard
from icefloe.checkpoint.editing.resizing import resize as resize
from icefloe.checkpoint.distributed.saving import save_dask as save_dask
from icefloe.checkpoint.listing import scopes as scopes
from icefloe.checkpoint.editing.setting import set_values as set
from icefloe.checkpoint.editing.slimming import slim as slim
from icefloe.checkpoint.listing import split_index as split_index
from icefloe.checkpoint.keeping.state import state as state
from icefloe.checkpoint.checking.stats import stats as stats
from icefloe.checkpoint.listing import tree as tree
from icefloe.checkpoint.checking.verify import verify as verify


__all__ = [
    "AverageReport",
    "CastReport",
    "ExtractReport",
    "MergeReport",
    "RenameReport",
    "ReshardReport",
    "ResizeReport",
    "SetReport",
    "SlimReport",
    "average",
    "cast",
    "cat",
    "clean",
    "convert",
    "diff",
    "extract",
    "ls",
    "merge",
    "prune",
    "read_part",
    "read_value",
    "rename",
    "report",
    "rescue",
    "reshard",
    "resize",
    "save_dask",
    "scopes",
    "set",
    "slim",
    "split_index",
    "state",
    "stats",
    "tree",
    "verify",
]
