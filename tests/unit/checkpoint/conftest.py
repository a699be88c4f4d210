"""`savers`: the folder of checkpoints and graphs that TensorFlow wrote."""

from cli.conftest import savers as savers
