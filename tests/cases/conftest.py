"""`cli(*args)` runs the command as a user does."""

from cli.conftest import cli as cli
