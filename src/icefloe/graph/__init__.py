"""Graphs, operations and tensors; how ops are built, named, typed and shaped; graph files; the registries of rules."""

# Whoever holds a tensor can compute with it.
from icefloe.graph import operators as operators
