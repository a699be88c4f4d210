"""The file names of a checkpoint with prefix P.

    P.index                      the index of a V2 checkpoint
    P.data-SSSSS-of-NNNNN        bytes of its shard S of N
    P.meta                       the graph that a Saver wrote beside it
    P, or P-SSSSS-of-NNNNN       a V1 checkpoint: one file, or shard S of N
    P.index.tmp-T, P.data-SSSSS-of-NNNNN.tmp-T   being written by save T
    P.index.commit-T             save T is complete, its files are being renamed (see `commit`)

Numbers have at least five digits. T is 16 hexadecimal digits.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

_MAX_SHARDS = 99999  # of a V1 checkpoint, that are looked for
Kind = Literal["index", "data", "commit", "meta"]

_FORM = re.compile(
    r"(?P<prefix>.*)\."
    r"(?:(?P<index>index)|(?P<meta>meta)|data-(?P<shard>[0-9]{5,})-of-(?P<count>[0-9]{5,}))"
    r"(?:\.(?P<state>tmp|commit)-(?P<token>[0-9a-f]{16}))?",
    re.DOTALL,
)
_V1_SHARD = re.compile(r"(?P<prefix>.*)-(?P<shard>[0-9]{5,}|\?{5,})-of-(?P<count>[0-9]{5,}|\?{5,})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Part:
    """What a file name says: `kind` "commit" is an index that is committed but not yet renamed; `token` marks a
    temporary file.
    """

    prefix: str
    kind: Kind
    shard: int = 0
    count: int = 0
    token: str | None = None

    @property
    def is_temporary(self) -> bool:
        """Whether it is a file that a save is writing, or was when it died."""
        return self.token is not None and self.kind != "commit"


def with_suffix(path: str, suffix: str) -> str:
    """Return a path with a suffix, which goes before the query of a web address."""
    if path.startswith(("http://", "https://")) and "?" in path:
        place, mark, query = path.partition("?")
        return f"{place}{suffix}{mark}{query}"
    return path + suffix


def parse(name: str) -> Part | None:
    """Return what a V2 file name or path says, or None if it is none."""
    if name.startswith(("http://", "https://")) and "?" in name:
        place, _, query = name.partition("?")
        part = parse(place)
        return None if part is None else replace(part, prefix=f"{part.prefix}?{query}")
    match = _FORM.fullmatch(name)
    if match is None:
        return None
    prefix, token, state = match["prefix"], match["token"], match["state"]
    if match["index"]:
        return Part(prefix, "commit" if state == "commit" else "index", token=token)
    if match["meta"]:
        return None if token else Part(prefix, "meta")
    if state == "commit":
        return None
    return Part(prefix, "data", int(match["shard"]), int(match["count"]), token)


def parse_v1_shard(name: str) -> tuple[str, int | None, int | None] | None:
    """Return `(prefix, shard, count)` for the name of a V1 shard; a part that is question marks, as in a pattern, is
    None.
    """
    match = _V1_SHARD.fullmatch(name)
    if match is None:
        return None
    shard, count = match["shard"], match["count"]
    return match["prefix"], None if shard[0] == "?" else int(shard), None if count[0] == "?" else int(count)


def missing_v1_shards(paths: Sequence[str]) -> list[str]:
    """Return the paths of the shards of a V1 checkpoint that are not among `paths`, which are some of them."""
    found = [shard for path in paths if (shard := parse_v1_shard(path)) is not None]
    count = found[0][2] if found else None
    if count is None:
        return []
    there = {shard for _, shard, _ in found}
    return [v1_shard(found[0][0], i, count) for i in range(min(count, _MAX_SHARDS)) if i not in there]


def index_file(prefix: str) -> str:
    """Return the path of the index of a V2 checkpoint."""
    return with_suffix(prefix, ".index")


def data_file(prefix: str, shard: int, count: int) -> str:
    """Return the path of data file `shard` of `count` of a V2 checkpoint."""
    return with_suffix(prefix, f".data-{shard:05d}-of-{count:05d}")


def meta_file(prefix: str) -> str:
    """Return the path of the graph that a Saver writes beside a checkpoint."""
    return with_suffix(prefix, ".meta")


def v1_shard(prefix: str, shard: int, count: int) -> str:
    """Return the path of shard `shard` of `count` of a V1 checkpoint."""
    return f"{prefix}-{shard:05d}-of-{count:05d}"


def temporary(path: str, token: str) -> str:
    """Return the name that a file has while save `token` writes it."""
    return f"{path}.tmp-{token}"


def commit_file(prefix: str, token: str) -> str:
    """Return the name that the index has once save `token` is complete; see `commit`."""
    return f"{prefix}.index.commit-{token}"


def new_token() -> str:
    """Return a token that no other save has."""
    return os.urandom(8).hex()  # as `secrets` would make it, whose import brings hashes and random numbers


def split(prefix: str) -> tuple[str, str]:
    """Return `(directory, base name)` of a prefix; the directory of a bare name is ""."""
    return os.path.split(prefix)
