"""V1 checkpoints: the format before bundles, one string table of records."""
