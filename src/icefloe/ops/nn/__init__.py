"""Kernels and shape rules of neural networks: convolution, pooling, activations, normalization, losses."""
