"""Converting checkpoints between formats, and for other libraries: what is chosen, which layout, writing it."""
