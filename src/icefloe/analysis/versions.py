"""Which TensorFlow wrote a graph, by the producer version that a GraphDef carries.

Up to 29 the number rose with changes of ops; since 30, of 2019-05-09, it rises by one each day (source: the comments of
tensorflow/core/public/version.h). A release is cut from the main line some weeks before it appears.
"""

from __future__ import annotations

import bisect
import datetime

# The first producer number of each span, and who wrote it.
_EARLY = (
    (0, "before 0.7"),
    (7, "0.7 to 0.8"),
    (9, "0.8 to 0.9"),
    (10, "0.9 to 0.11"),
    (15, "0.11 to 0.12"),
    (19, "0.12"),
    (21, "1.0"),
    (22, "1.1 to 1.2"),
    (24, "1.2 to 1.4"),
    (26, "1.5 to 1.11"),
    (27, "1.12 to 1.13"),
    (29, "1.14"),
)
_FIRST_DATED, _FIRST_DATE = 30, datetime.date(2019, 5, 9)
_WEEKS_TO_RELEASE = datetime.timedelta(days=25)
_RELEASES = (
    ("2019-06-18", "1.14"),
    ("2019-09-30", "2.0 or 1.15"),
    ("2020-01-08", "2.1"),
    ("2020-05-06", "2.2"),
    ("2020-07-27", "2.3"),
    ("2020-12-14", "2.4"),
    ("2021-05-13", "2.5"),
    ("2021-08-11", "2.6"),
    ("2021-11-04", "2.7"),
    ("2022-02-02", "2.8"),
    ("2022-05-16", "2.9"),
    ("2022-09-06", "2.10"),
    ("2022-11-18", "2.11"),
    ("2023-03-23", "2.12"),
    ("2023-07-05", "2.13"),
    ("2023-09-26", "2.14"),
    ("2023-11-14", "2.15"),
    ("2024-03-07", "2.16"),
    ("2024-07-11", "2.17"),
    ("2024-10-24", "2.18"),
    ("2025-03-12", "2.19"),
    ("2025-08-13", "2.20"),
    ("2026-03-06", "2.21"),
)
_NO_DATE = 100_000  # no producer will be as large for two centuries


def written_by(producer: int) -> str:
    """Return in words which TensorFlow a producer version is of: `about 2.4 (main line of 2020-10-21)`.

    Empty where it says nothing: 0, as of other tools, or a number that no TensorFlow has.
    """
    if producer <= 0 or producer > _NO_DATE:
        return ""
    if producer < _FIRST_DATED:
        return _EARLY[bisect.bisect_right(_EARLY, (producer, "~")) - 1][1]
    date = _FIRST_DATE + datetime.timedelta(days=producer - _FIRST_DATED)
    due = (date + _WEEKS_TO_RELEASE).isoformat()
    at = bisect.bisect_left(_RELEASES, (due, ""))
    release = _RELEASES[at][1] if at < len(_RELEASES) else f"newer than {_RELEASES[-1][1]}"
    return f"about {release} (main line of {date.isoformat()})"
