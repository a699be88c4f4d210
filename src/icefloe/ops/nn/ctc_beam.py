"""Beam search over the label sequences of connectionist temporal classification. Registers nothing.

A sequence of classes, one per time step, stands for the labels that are left when runs of one class are made one and
blanks, the last class, are dropped. `BeamSearch` follows the `width` likeliest label sequences through time.

Where the scores of two sequences are equal, the one that entered the beam first stays and comes first.
Source: tensorflow/core/util/ctc/ctc_beam_search.h.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

_NEVER = -math.inf


def _added(a: float, b: float) -> float:
    """Return the logarithm of the sum of two probabilities given as logarithms."""
    if a < b:
        a, b = b, a
    return a if b == _NEVER else a + math.log1p(math.exp(b - a))


class _Entry:
    """A label sequence: that of its parent and one label more. Probabilities are logarithms.

    total, blank, label: of all ways to have read it by now, of those that end in a blank, in the label.
    old_total, old_blank: the same one time step earlier.
    """

    __slots__ = ("blank", "children", "label", "last", "old_blank", "old_total", "parent", "total")

    def __init__(self, parent: _Entry | None, last: int) -> None:
        self.parent, self.last = parent, last
        self.children: dict[int, _Entry] = {}
        self.total = self.blank = self.label = self.old_total = self.old_blank = _NEVER

    def leave(self) -> None:
        """Leave the beam; the entry stays what its children continue."""
        self.total = self.blank = self.label = _NEVER

    def labels(self, merge_repeated: bool) -> list[int]:
        """Return the labels from the first to the last, with `merge_repeated` runs of one label as one."""
        found: list[int] = []
        entry, following = self, -1
        while entry.parent is not None:
            if not merge_repeated or entry.last != following:
                found.append(entry.last)
            following, entry = entry.last, entry.parent
        return found[::-1]


class BeamSearch:
    """The `width` likeliest label sequences for the steps taken so far."""

    def __init__(self, width: int) -> None:
        self._width = width
        root = _Entry(None, -1)
        root.total = root.blank = 0.0
        self._beam = [root]

    def step(self, scores: Any) -> None:
        """Read one time step. scores: [classes], the last one for the blank; any constant may be added to them."""
        scores = scores.astype(np.float64)
        scores -= np.logaddexp.reduce(scores)
        labels, blank = scores[:-1], float(scores[-1])
        for entry in self._beam:
            entry.old_total, entry.old_blank = entry.total, entry.blank
        for entry in self._beam:
            if entry.parent is not None:
                if entry.parent.total != _NEVER:
                    entry.label = _added(entry.label, _before(entry.parent, entry.last))
                entry.label += float(labels[entry.last])
            entry.blank = entry.old_total + blank
            entry.total = _added(entry.blank, entry.label)
        self._extend(labels)

    def _extend(self, labels: Any) -> None:
        """Add to the beam the entries with one more label that are likelier than the least likely ones in it.

        An entry that was pushed out of the beam before its turn still adds to it, unless its parent, whose turn came
        between, passed over it.
        """
        heap = [(entry.total, -i, entry) for i, entry in enumerate(self._beam)]
        heapq.heapify(heap)
        arrivals = len(heap)
        for entry in self._beam:
            if not self._takes(entry.old_total, heap):
                continue
            likely = labels + entry.old_total
            if 0 <= entry.last < len(labels):
                likely[entry.last] = labels[entry.last] + entry.old_blank
            worth = likely > (heap[0][0] if len(heap) == self._width else _NEVER)
            worth[list(entry.children)] = True
            for label in np.flatnonzero(worth).tolist():
                child = entry.children.get(label)
                if child is not None and child.total != _NEVER:
                    continue
                total = float(likely[label])
                if not self._takes(total, heap):
                    if child is not None:
                        child.old_total = child.old_blank = _NEVER
                    continue
                if child is None:
                    child = entry.children[label] = _Entry(entry, label)
                child.total, child.label, child.blank = total, total, _NEVER
                item = (total, -arrivals, child)
                arrivals += 1
                if len(heap) < self._width:
                    heapq.heappush(heap, item)
                else:
                    heapq.heapreplace(heap, item)[2].leave()
        self._beam = [entry for *_, entry in sorted(heap, reverse=True)]

    def _takes(self, total: float, heap: Sequence[tuple[float, int, _Entry]]) -> bool:
        return total > _NEVER and (len(heap) < self._width or total > heap[0][0])

    def best(self) -> list[_Entry]:
        """Return the entries of the beam, likeliest first."""
        return self._beam


def _before(parent: _Entry, label: int) -> float:
    """Return how likely `parent` was a step ago in the ways that `label` can follow; a label again needs a blank."""
    return parent.old_blank if label == parent.last else parent.old_total
