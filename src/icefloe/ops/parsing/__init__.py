"""Ops that read tensors from strings: raw bytes, CSV, JSON, serialized tensors and examples."""
