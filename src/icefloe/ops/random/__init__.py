"""Kernels and shape rules of random ops: stateful ones draw on a stream of their node, stateless ones on their seed."""
