"""Datasets and their iterators: pipelines of elements, as values of variant and resource tensors."""
