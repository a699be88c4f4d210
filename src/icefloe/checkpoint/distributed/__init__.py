"""Checkpoints on Dask: lazy arrays, saving from workers, edits whose parts are done by several processes."""
