"""Keeping a directory of checkpoints in order: its state file, which checkpoints stay, what dead saves left."""
