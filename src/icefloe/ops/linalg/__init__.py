"""Kernels and shape rules of matrix decompositions, solvers and functions of matrices."""
