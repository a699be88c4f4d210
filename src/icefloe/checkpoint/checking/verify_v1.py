"""Verifies a V1 checkpoint: all blocks of its files with their checksums, the lists of what is stored, each record."""

from __future__ import annotations

from collections.abc import Sequence

from icefloe import errors
from icefloe.checkpoint import names
from icefloe.checkpoint.checking.diagnosis import describe_failure, diagnose_index
from icefloe.checkpoint.checking.findings import FileCheck, Problem, Verification
from icefloe.checkpoint.checking.index_scan import IndexScan, metaindex_damage, walk
from icefloe.checkpoint.checking.leftovers import leftovers_of
from icefloe.checkpoint.checking.sums import Progress
from icefloe.checkpoint.files import Source, read_head
from icefloe.checkpoint.locating.sniff import begins_as_v1
from icefloe.checkpoint.v1.large_blocks import check_block, is_streamed
from icefloe.checkpoint.v1.reader import Records, V1Reader
from icefloe.wire.sstable import FOOTER_SIZE, BlockHandle, Table

_MAX_WALKED = 4 << 30


def walked(source: Source) -> IndexScan:
    """Return the records in the whole blocks of a file whose footer or list of blocks is lost.

    Raises: ResourceExhaustedError if the file is too large to be held.
    """
    if source.size > _MAX_WALKED:
        raise errors.ResourceExhaustedError(f"a damaged file of {source.size} bytes is not searched", path=source.path)
    scan = IndexScan()
    walk(source.read(0, source.size), scan)
    return scan


class LenientV1Reader(V1Reader):
    """A V1 checkpoint whose files may have lost their ends: what is in whole blocks can be read."""

    def _table(self, source: Source) -> Table | Records:
        try:
            return super()._table(source)
        except errors.DataLossError:
            records = walked(source).records
            if b"" not in records:
                raise
            return records


def looks_like_v1(path: str) -> bool:
    """Whether a file begins as a V1 checkpoint does."""
    return begins_as_v1(read_head(path, 64))


def verify_v1(prefix: str, paths: Sequence[str], *, progress: Progress | None = None) -> Verification:
    """Return what holds of the V1 checkpoint in `paths`, and what does not; see `verify`."""
    out = Verification(prefix, "V1")
    readable = [path for path in paths if _check_blocks(path, out, progress)]
    out.problems += [Problem("missing", f"{path} is missing", path=path) for path in names.missing_v1_shards(paths)]
    if readable:
        _check_records(prefix, readable, out)
    out.notes += leftovers_of(prefix)
    return out


def _check_blocks(path: str, out: Verification, progress: Progress | None) -> bool:
    """Check the blocks of one file; return whether its first record, the list of tensors, can be read."""
    source = Source(path)
    try:
        out.files.append(FileCheck(path, source.size, None, 0))
        damage: list[tuple[int | None, str]] = []
        whole = True
        try:
            table = Table(source.read, source.size)
        except errors.DataLossError as e:
            damage.append((e.offset, e.message))
            scan = walked(source)
            out.blocks += scan.blocks
            whole = b"" in scan.records
        else:
            out.blocks += len(table.handles)
            for i, handle in enumerate(table.handles):
                try:
                    _check_block(source, table, handle)
                except errors.DataLossError as e:
                    damage.append((handle.offset, e.message))
                    whole = whole and i > 0
                if progress is not None:
                    progress(handle.size)
                out.bytes_checked += handle.size
            lost = metaindex_damage(source.read(source.size - FOOTER_SIZE, FOOTER_SIZE), table)
            damage += [] if lost is None else [(lost.offset, lost.reason)]
        for offset, reason in damage:
            where = "" if offset is None else f" at byte {offset}:"
            out.problems.append(Problem("index", f"{path}:{where} {reason}", path=path, offset=offset))
        if damage:
            out.diagnoses += diagnose_index(True, source, False)
        return whole
    finally:
        source.close()


def _check_block(source: Source, table: Table, handle: BlockHandle) -> None:
    if is_streamed(source, handle):
        table.check_place(handle)
        check_block(source, handle)
    else:
        table.read_block(handle)


def _check_records(prefix: str, paths: Sequence[str], out: Verification) -> None:
    """Decode each tensor that the readable files list."""
    try:
        reader = LenientV1Reader(prefix, paths)
    except errors.OpError as e:
        out.problems.append(Problem("index", describe_failure(e), path=e.path, offset=e.offset))
        return
    with reader:
        for name in reader.entries:
            try:
                reader.read(name)
            except errors.OpError as e:
                out.damaged.append(name)
                out.problems.append(Problem("content", e.message, name, e.path, e.offset))
            else:
                out.intact.append(name)
