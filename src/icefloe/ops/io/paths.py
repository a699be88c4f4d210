"""Which paths match a pattern, as TensorFlow's file systems tell. Registers nothing.

Source: tensorflow/core/platform/file_system_helper.cc (GetMatchingPaths).
"""

from __future__ import annotations

import fnmatch
import os
import re

_WILD = re.compile(r"[*?[\\]")


def matching_paths(pattern: str) -> list[str]:
    """Return the local paths that match a pattern of `*`, `?` and `[...]`, sorted.

    `*` does not match a `/` but matches a leading dot. Paths that begin with a wildcard get `./`.
    """
    if not _WILD.search(pattern):
        return [pattern] if pattern and os.path.lexists(pattern) else []
    found = ["/"] if pattern.startswith("/") else ["."]
    for depth, part in enumerate(pattern.strip("/").split("/")):
        wild = _WILD.search(part)
        matcher = re.compile(fnmatch.translate(part.replace("[^", "[!")))
        reached = []
        for folder in found:
            if not wild:
                path = part if folder == "." and depth == 0 else os.path.join(folder, part)
                reached += [path] if os.path.lexists(path) else []
            elif os.path.isdir(folder):
                reached += [os.path.join(folder, name) for name in os.listdir(folder) if matcher.match(name)]
        found = reached
    return sorted(found)
