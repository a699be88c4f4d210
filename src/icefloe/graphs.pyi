# Written by fixtures/make/public_names.py; do not edit.
from icefloe.analysis.graph_diff import Change as Change
from icefloe.transforms.reports import Check as Check
from icefloe.analysis.op_coverage import Coverage as Coverage
from icefloe.analysis.op_coverage import FamilyCoverage as FamilyCoverage
from icefloe.graph_conversion import GraphConversion as GraphConversion
from icefloe.analysis.graph_costs import GraphCosts as GraphCosts
from icefloe.analysis.graph_diff import GraphDiff as GraphDiff
from icefloe.analysis.graph_io import GraphIO as GraphIO
from icefloe.analysis.graph_io import GraphInput as GraphInput
from icefloe.analysis.graph_match import GraphMatch as GraphMatch
from icefloe.analysis.graph_ops import GraphOps as GraphOps
from icefloe.analysis.graph_io import GraphOutput as GraphOutput
from icefloe.analysis.graph_overview import GraphOverview as GraphOverview
from icefloe.analysis.graph_ops import MissingNode as MissingNode
from icefloe.analysis.oldest_version import OldestVersion as OldestVersion
from icefloe.analysis.graph_ops import OpCount as OpCount
from icefloe.transforms.reports import PassReport as PassReport
from icefloe.analysis.graph_costs import ScopeCost as ScopeCost
from icefloe.analysis.graph_overview import SignatureRow as SignatureRow
from icefloe.analysis.graph_overview import TensorRow as TensorRow
from icefloe.transforms.reports import Transformed as Transformed
from icefloe.analysis.oldest_version import VersionReason as VersionReason
from icefloe.transforms.casting import cast_constants as cast
from icefloe.graph_conversion import convert as convert
from icefloe.analysis.graph_costs import graph_costs as costs
from icefloe.analysis.op_coverage import coverage as coverage
from icefloe.analysis.graph_diff import graph_diff as diff
from icefloe.analysis.graph_dot import graph_dot as dot
from icefloe.transforms.downgrading import downgrade as downgrade
from icefloe.transforms.stripping import extract as extract
from icefloe.transforms.fixing import fix as fix
from icefloe.transforms.freezing import freeze as freeze
from icefloe.analysis.graph_io import graph_io as io
from icefloe.analysis.graph_match import graph_match as match
from icefloe.analysis.oldest_version import oldest_version as oldest_version
from icefloe.analysis.graph_ops import graph_ops as ops
from icefloe.transforms.optimizing import optimize as optimize
from icefloe.analysis.graph_overview import graph_overview as overview
from icefloe.transforms.renaming import rename as rename
from icefloe.transforms.renaming import stitch as stitch
from icefloe.transforms.stripping import strip as strip
from icefloe.transforms.external_constants import unconst as unconst


__all__ = [
    "Change",
    "Check",
    "Coverage",
    "FamilyCoverage",
    "GraphConversion",
    "GraphCosts",
    "GraphDiff",
    "GraphIO",
    "GraphInput",
    "GraphMatch",
    "GraphOps",
    "GraphOutput",
    "GraphOverview",
    "MissingNode",
    "OldestVersion",
    "OpCount",
    "PassReport",
    "ScopeCost",
    "SignatureRow",
    "TensorRow",
    "Transformed",
    "VersionReason",
    "cast",
    "convert",
    "costs",
    "coverage",
    "diff",
    "dot",
    "downgrade",
    "extract",
    "fix",
    "freeze",
    "io",
    "match",
    "oldest_version",
    "ops",
    "optimize",
    "overview",
    "rename",
    "stitch",
    "strip",
    "unconst",
]
