"""Ops on sparse tensors: indices [n, rank], values [n] and a dense shape [rank]."""
