"""Scripts written for TensorFlow 1: its names on import, and running them unchanged."""
