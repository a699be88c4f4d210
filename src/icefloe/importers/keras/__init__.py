"""Keras models, `.h5` and `.keras`, as graphs: Sequential and Functional models of the standard layers."""
