"""Checkpoints at URLs: what `checkpoint.files`, `commit` and `file_errors` are for paths, module for module."""
