"""What saves that did not finish leave beside checkpoints: ours and TensorFlow's.

*.tmp-T, *.commit-T               ours; see `commit` and `single_file`
*.tempstate<number>               TensorFlow's, of a file being written
P_temp/part-*, P_temp_<hex>/part* shards of a sharded save that were not merged
"""

from __future__ import annotations

import os
import re

from icefloe.checkpoint import files, names

SINGLE = re.compile(r"(?P<base>.+)\.tmp-(?P<token>[0-9a-f]{16})", re.DOTALL)
TEMPSTATE = re.compile(r".+\.tempstate[0-9]+", re.DOTALL)
SHARD_FOLDER = re.compile(r"(?P<base>.+)_temp(?:_[0-9a-f]{32})?", re.DOTALL)
PART = re.compile(r"(?:\.?part)(?:-[0-9]{5,}-of-[0-9]{5,})?\..+", re.DOTALL)


def leftovers_of(prefix: str) -> list[str]:
    """Return in words what unfinished saves have left of the checkpoint `prefix`."""
    directory, base = names.split(prefix)
    out = []
    for name in files.list_directory(directory):
        if not name.startswith(base):
            continue
        path = os.path.join(directory, name)
        part = names.parse(name)
        if part is not None and part.prefix == base and part.kind == "commit":
            out.append(f"{path}: a save is complete, but its files are not all renamed: `ckpt clean` finishes that")
        elif part is not None and part.prefix == base and part.is_temporary:
            out.append(f"{path}: of a save that is under way or died: `ckpt clean` removes it if it died")
        elif TEMPSTATE.fullmatch(name):
            out.append(f"{path}: left behind by TensorFlow")
        elif (found := SHARD_FOLDER.fullmatch(name)) and found["base"] == base and files.is_directory(path):
            out.append(f"{path}: shards of a save that was not merged")
    return out
