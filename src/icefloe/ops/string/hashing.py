"""Strings to bucket numbers: StringToHashBucket, -Fast, -Strong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.graph.registry import kernel, shape
from icefloe.graph.shape_inference import unchanged
from icefloe.ops.string.elements import Array, flat
from icefloe.ops.string.fingerprints import fingerprint64, hash64, strong_hash64


def _buckets(x: Any, function: Callable[[bytes], int], count: int) -> Array:
    return np.array([function(s) % count for s in flat(x)], np.int64).reshape(np.shape(x))


@kernel("StringToHashBucket")
def string_to_hash_bucket(x: Any, *, num_buckets: int) -> Array:
    """A bucket by TensorFlow's own 64-bit hash."""
    return _buckets(x, hash64, num_buckets)


@kernel("StringToHashBucketFast")
def string_to_hash_bucket_fast(x: Any, *, num_buckets: int) -> Array:
    """A bucket by FarmHash's fingerprint: the same on every platform and in every release."""
    return _buckets(x, fingerprint64, num_buckets)


@kernel("StringToHashBucketStrong")
def string_to_hash_bucket_strong(x: Any, *, num_buckets: int, key: tuple[int, ...]) -> Array:
    """A bucket by SipHash with a key of two numbers: nobody who does not know it can aim at a bucket."""
    if len(key) != 2:
        raise errors.InvalidArgumentError("Key must have 2 elements")
    words = (key[0], key[1])
    return _buckets(x, lambda s: strong_hash64(words, s), num_buckets)


shape("StringToHashBucket", "StringToHashBucketFast", "StringToHashBucketStrong")(unchanged)
