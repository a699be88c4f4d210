# Written by fixtures/make/public_names.py; do not edit.
from icefloe.runtime.chrome_trace import Timeline as Timeline


__all__ = [
    "Timeline",
]
