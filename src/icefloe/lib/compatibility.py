"""`tf.compat`: tuples of Python's and numpy's number types, and the date up to which old readers are thought of.

Source: tensorflow/python/util/compat.py, tensorflow/python/compat/compat.py (of 2.21.0).
"""

from __future__ import annotations

import contextlib
import datetime
import logging
import numbers
import os
from collections.abc import Iterator

import numpy as np

integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)
bytes_or_text_types = (bytes, str)

# The day of TensorFlow 2.21.0; the environment may put it off by some days.
_HORIZON = datetime.date(2026, 1, 16)
_DELAY = "TF_FORWARD_COMPATIBILITY_DELTA_DAYS"


class _Now:
    """The date that holds now."""

    date = _HORIZON

    @classmethod
    def set(cls, date: datetime.date | None = None) -> None:
        date = date or _HORIZON + datetime.timedelta(days=int(os.environ.get(_DELAY) or 0))
        if date < _HORIZON:
            text = "Trying to set the forward compatibility date to the past date %s: it stays."
            logging.getLogger("icefloe").warning(text, date)
        else:
            cls.date = date


_Now.set()


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether programs that read the graph may be taken to know all that TensorFlow had on a day.

    True before 2026-01-16, the date of TensorFlow 2.21.0, or the date of `forward_compatibility_horizon`.
    """
    now = _Now.date
    return (now.year, now.month, now.day) > (year, month, day)


@contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Let a later date hold in the block; afterwards that of TensorFlow 2.21.0 does again.

    An earlier date is left alone, with a warning. Raises: ValueError for a date that does not exist.
    """
    try:
        _Now.set(datetime.date(year, month, day))
        yield
    finally:
        _Now.set()
