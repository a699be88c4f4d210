"""Optimizers: gradients and the ops that apply them to variables. They add nodes only."""
