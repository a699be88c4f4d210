"""RandomCrop with seeds."""

import numpy as np

from ops.case import Case

X = np.arange(7 * 9 * 2).reshape(7, 9, 2)


def size(*values: int) -> np.ndarray:
    return np.array(values)


CASES = [
    *[
        Case("RandomCrop", X.astype(t), size(3, 4), seed=3, seed2=s)
        for t, s in (("uint8", 1), ("float32", 2), ("int64", 3))
    ],
    *[Case("RandomCrop", X, size(*s), seed=11, seed2=5) for s in ((7, 9), (7, 4), (2, 9), (1, 1), (0, 3))],
    Case("RandomCrop", X, size(8, 4), seed=1),
    Case("RandomCrop", X, size(4, 10), seed=1),
    Case("RandomCrop", X, size(4), seed=1),
    Case("RandomCrop", X[0], size(4, 4), seed=1),
]
