"""Kernels and shape rules of images: resizing, cropping, colour, boxes, transforms."""
