"""Kernels, shape rules and gradient rules, one module per topic; see `icefloe.graph.registry` for what they register."""
