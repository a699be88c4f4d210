"""TensorFlow 1's training layer: servers, and what runs sessions."""
