"""Kernels and shape rules of elementwise arithmetic, reductions, products, segments and sets."""
