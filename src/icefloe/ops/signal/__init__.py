"""Kernels and shape rules of Fourier transforms."""
