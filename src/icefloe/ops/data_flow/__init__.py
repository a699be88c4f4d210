"""Ops on structures of tensors: arrays, lists, maps, stacks, optionals, and other variants."""
