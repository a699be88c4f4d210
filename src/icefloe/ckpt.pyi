# Written by fixtures/make/public_names.py; do not edit.
from icefloe.checkpoint.checking.verify import verify as verify
