"""The version of this distribution, read at build time."""

__version__ = "0.1.0"
