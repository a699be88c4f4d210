"""Ops on strings: arrays of bytes."""
