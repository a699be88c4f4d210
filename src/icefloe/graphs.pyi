# Written by fixtures/make/public_names.py; do not edit.
from icefloe.analysis.graph_diff import Change as Change
from icefloe.analysis.graph_costs import GraphCosts as GraphCosts
from icefloe.analysis.graph_diff import GraphDiff as GraphDiff
from icefloe.analysis.graph_io import GraphIO as GraphIO
from icefloe.analysis.graph_io import GraphInput as GraphInput
from icefloe.analysis.graph_match import GraphMatch as GraphMatch
from icefloe.analysis.graph_ops import GraphOps as GraphOps
from icefloe.analysis.graph_io import GraphOutput as GraphOutput
from icefloe.analysis.graph_ops import MissingNode as MissingNode
from icefloe.analysis.graph_ops import OpCount as OpCount
from icefloe.analysis.graph_costs import ScopeCost as ScopeCost
from icefloe.analysis.graph_costs import graph_costs as costs
from icefloe.analysis.graph_diff import graph_diff as diff
from icefloe.analysis.graph_dot import graph_dot as dot
from icefloe.analysis.graph_io import graph_io as io
from icefloe.analysis.graph_match import graph_match as match
from icefloe.analysis.graph_ops import graph_ops as ops
