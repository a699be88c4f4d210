"""Checksums of many regions at once are those of each."""

from __future__ import annotations

import numpy as np
import pytest

from icefloe import errors
from icefloe.checkpoint.checking import sums
from icefloe.checkpoint.files import Source
from icefloe.wire.crc import crc32c


@pytest.mark.parametrize("window", [64, 1000, 1 << 20])
@pytest.mark.parametrize("processors", [1, 3])
def test_regions_of_two_files(tmp_path, monkeypatch, window, processors):
    """Small ones that lie close, one in many windows, overlapping ones, gaps, empty ones, one past the end."""
    monkeypatch.setattr(sums, "WINDOW", window)
    monkeypatch.setattr(sums.os, "cpu_count", lambda: processors)
    data = [np.random.default_rng(i).bytes(5000) for i in range(2)]
    sources = []
    for i, content in enumerate(data):
        (tmp_path / str(i)).write_bytes(content)
        sources.append(Source(str(tmp_path / str(i))))
    places = [
        (0, 0, 10),
        (0, 10, 7),
        (0, 17, 0),
        (1, 0, 5000),
        (0, 4000, 1000),
        (0, 12, 900),
        (1, 4990, 11),
        (0, 2000, 1),
    ]
    done = []
    found = sums.sums([sums.Region(sources[f], offset, size) for f, offset, size in places], done.append)
    for (file, offset, size), crc in zip(places, found, strict=True):
        if offset + size > 5000:
            assert isinstance(crc, errors.OutOfRangeError)
        else:
            assert crc == crc32c(data[file][offset : offset + size])
    assert sum(done) >= 6000
    assert sums.sums([]) == []
    for source in sources:
        source.close()
