"""Models of other tools, read as graphs."""
