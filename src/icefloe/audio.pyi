# Written by fixtures/make/public_names.py; do not edit.
from typing import Any


def decode_wav(contents: Any, desired_channels: Any = -1, desired_samples: Any = -1, name: str | None = ...) -> Any: ...
def encode_wav(audio: Any, sample_rate: Any, name: str | None = ...) -> Any: ...

__all__ = [
    "decode_wav",
    "encode_wav",
]
