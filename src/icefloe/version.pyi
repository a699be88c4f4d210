# Written by fixtures/make/public_names.py; do not edit.
from icefloe._version import COMPILER_VERSION as COMPILER_VERSION
from icefloe._version import GIT_VERSION as GIT_VERSION
from icefloe.graph.graph import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
from icefloe.graph.graph import GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER
from icefloe.graph.graph import GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER
from icefloe._version import VERSION as VERSION


__all__ = [
    "COMPILER_VERSION",
    "GIT_VERSION",
    "GRAPH_DEF_VERSION",
    "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER",
    "VERSION",
]
