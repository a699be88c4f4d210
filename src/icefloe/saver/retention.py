"""Which checkpoints of a run are kept.

The newest `max_to_keep` stay. One that falls out is deleted, unless it was written later than the next point in time
at which one is to be kept for good: that point starts `every_hours` after the Saver was made and moves on in steps of
`every_hours`, each time one is kept, until it is behind that. A clock that is set back takes it along.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable

from icefloe.checkpoint import files


class Retention:
    """The list of recent checkpoints, oldest first, as pairs of path and time of writing in seconds.

    max_to_keep: 0 or less deletes nothing; then `paths` stays empty, as in TensorFlow, but `listed` holds all that were
    recorded. started: the time at which the hours begin to count.
    """

    def __init__(self, max_to_keep: int, every_hours: float, started: float) -> None:
        self.max_to_keep = max_to_keep
        self._interval = every_hours * 3600
        self._keep_after = started + self._interval
        self._newest = started
        self._recent: list[tuple[str, float]] = []
        self._fallen: list[tuple[str, float]] = []
        self._all: dict[str, None] = {}

    @property
    def listed(self) -> list[str]:
        """The checkpoints that a state file should list, oldest first."""
        return list(self._all) if self.keeps_all else self.paths

    @property
    def keeps_all(self) -> bool:
        return self.max_to_keep <= 0

    def know(self, paths: Iterable[str]) -> None:
        """Take in checkpoints of earlier runs, oldest first, where all are listed."""
        known = list(paths)
        for path in self._all:
            known = [*others_of(known, path), path]
        self._all = dict.fromkeys(known)

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self._recent]

    def set(self, checkpoints: Iterable[tuple[str, float]]) -> None:
        """Replace the list of recent checkpoints."""
        self._recent = [(path, time) for path, time in checkpoints]

    def record(self, path: str, time: float) -> None:
        """Add a checkpoint as the newest; one of the same path, also in another spelling, is replaced: it is not to be
        deleted as an older one.
        """
        if self.keeps_all:
            self._all = dict.fromkeys([*others_of(self._all, path), path])
            return
        if time < self._newest:
            back = self._newest - time
            self._keep_after -= back
            self._recent = [(path, written - back) for path, written in self._recent]
        self._newest = time
        others = set(others_of(self.paths, path))
        self._recent = [pair for pair in self._recent if pair[0] in others]
        self._recent.append((path, time))
        while len(self._recent) > self.max_to_keep:
            self._fallen.append(self._recent.pop(0))

    def to_delete(self) -> list[str]:
        """Return the paths of checkpoints that are no longer to be kept, each once."""
        out = []
        for path, time in self._fallen:
            if time > self._keep_after:
                self._keep_after += self._interval * self._steps(time)
            else:
                out.append(path)
        self._fallen.clear()
        return out

    def _steps(self, time: float) -> int:
        """Return how many intervals bring the next point in time behind `time`: after a pause no checkpoints are kept
        for the time that passed without any.
        """
        late = time - self._keep_after
        return math.ceil(late / self._interval) if self._interval > 0 and math.isfinite(late) else 1


def others_of(paths: Iterable[str], path: str) -> list[str]:
    """Return those of `paths` that are not other spellings of `path`."""
    real: dict[str, str] = {}  # most are in one directory, of which the system is asked once

    def place(spelled: str) -> str:
        if files.is_url(spelled):
            return spelled
        directory, name = os.path.split(spelled)
        if directory not in real:
            real[directory] = os.path.realpath(directory)
        return os.path.join(real[directory], name)

    own = place(path)
    return [other for other in paths if other != path and place(other) != own]
