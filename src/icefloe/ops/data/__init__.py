"""Ops that make datasets, and those that draw from them through iterators."""
