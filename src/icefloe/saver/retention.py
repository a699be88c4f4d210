"""Which checkpoints of a run are kept.

The newest `max_to_keep` stay. One that falls out is deleted, unless it was written later than the next point in time
at which one is to be kept for good: that point starts `every_hours` after the Saver was made and moves on by
`every_hours` each time one is kept.
"""

from __future__ import annotations

from collections.abc import Iterable


class Retention:
    """The list of recent checkpoints, oldest first, as pairs of path and time of writing in seconds.

    max_to_keep: 0 deletes nothing; then `paths` stays empty, as in TensorFlow, but `listed` holds all that were
    recorded. started: the time at which the hours begin to count.
    """

    def __init__(self, max_to_keep: int, every_hours: float, started: float) -> None:
        self.max_to_keep = max_to_keep
        self._interval = every_hours * 3600
        self._keep_after = started + self._interval
        self._recent: list[tuple[str, float]] = []
        self._fallen: list[tuple[str, float]] = []
        self._all: dict[str, None] = {}

    @property
    def listed(self) -> list[str]:
        """The checkpoints that a state file should list, oldest first."""
        return self.paths if self.max_to_keep else list(self._all)

    def know(self, paths: Iterable[str]) -> None:
        """Take in checkpoints of earlier runs, oldest first, where all are listed."""
        self._all = dict.fromkeys([*paths, *self._all])

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self._recent]

    def set(self, checkpoints: Iterable[tuple[str, float]]) -> None:
        """Replace the list of recent checkpoints."""
        self._recent = [(path, time) for path, time in checkpoints]

    def record(self, path: str, time: float) -> None:
        """Add a checkpoint as the newest; one of the same path is replaced."""
        if not self.max_to_keep:
            self._all.pop(path, None)
            self._all[path] = None
            return
        self._recent = [pair for pair in self._recent if pair[0] != path]
        self._recent.append((path, time))
        if len(self._recent) > self.max_to_keep:
            self._fallen.append(self._recent.pop(0))

    def next_to_delete(self) -> str | None:
        """Return the path of a checkpoint that is no longer to be kept, once for each; None where there is none."""
        if not self._fallen:
            return None
        path, time = self._fallen.pop(0)
        if time > self._keep_after:
            self._keep_after += self._interval
            return None
        return path
