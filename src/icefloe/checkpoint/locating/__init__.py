"""From a path to a checkpoint: what a file is, which checkpoint is meant, whether all of it is there."""
