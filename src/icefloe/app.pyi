# Written by fixtures/make/public_names.py; do not edit.
from icefloe.scripts.app import flags as flags
from icefloe.scripts.app import run as run


__all__ = [
    "flags",
    "run",
]
