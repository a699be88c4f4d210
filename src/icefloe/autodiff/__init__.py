"""Reverse-mode differentiation: walks the graph back and adds the nodes that compute gradients."""
