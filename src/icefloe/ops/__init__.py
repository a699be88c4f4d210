"""Kernels, shape rules and gradient rules, one module per topic; `icefloe.graph.registry` says what they register."""
