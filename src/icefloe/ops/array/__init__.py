"""Ops that make, pass on, cut, join and rearrange tensors of any dtype."""
