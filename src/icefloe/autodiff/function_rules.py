"""Gradients of calls of functions, and of functions of the user's own."""
