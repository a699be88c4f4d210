"""`cli(*args)` runs the command as a user does; `no_waiting_for_the_disk` makes saves fast."""

import os

import pytest

from cli.conftest import cli as cli


@pytest.fixture
def no_waiting_for_the_disk(monkeypatch):
    """The order of the calls is what is tested; that their data are on the disk cannot be."""
    monkeypatch.setattr(os, "fsync", lambda fd: None)
