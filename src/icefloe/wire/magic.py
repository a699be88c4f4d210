"""What files of other kinds begin with, so that every reader can name what it was given instead."""

from __future__ import annotations

# prefix, a short word, what to call it after "this is"
MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"version https://git-lfs.github.com/spec/", "git_lfs", "a git-LFS pointer, not the file itself"),
    (b"\x89HDF\r\n\x1a\n", "hdf5", "an HDF5 file"),
    (b"\x93NUMPY", "npy", "a NumPy array (.npy)"),
    (b"PK\x03\x04", "zip", "a zip archive"),
    (b"\x1f\x8b", "gzip", "a gzip archive"),
    (b"BZh", "bzip2", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "xz", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "7z", "a 7-zip archive"),
    (b"Rar!\x1a\x07", "rar", "a RAR archive"),
    (b"\x28\xb5\x2f\xfd", "zstd", "a Zstandard archive"),
    (b"%PDF-", "pdf", "a PDF document"),
    (b"\x89PNG\r\n\x1a\n", "png", "a PNG image"),
    (b"\xff\xd8\xff", "jpeg", "a JPEG image"),
    (b"\x80\x02", "pickle", "a Python pickle"),
    (b"\x80\x03", "pickle", "a Python pickle"),
    (b"\x80\x04", "pickle", "a Python pickle"),
    (b"\x80\x05", "pickle", "a Python pickle"),
)

# The last eight bytes of an sstable, as a fixed64.
TABLE_MAGIC = 0xDB4775248B80FB57


def known_magic(head: bytes) -> tuple[str, str] | None:
    """Return `(word, description)` of the kind whose files begin as `head` does, or None."""
    for magic, kind, description in MAGIC:
        if head.startswith(magic):
            return kind, description
    return None


def markup(text: str) -> tuple[str, str] | None:
    """Return `(word, description)` if `text`, the start of a file, is that of an HTML page or XML document."""
    lower = text.lstrip()[:300].lower()
    if lower.startswith("<!doctype html") or "<html" in lower:
        return "html", "an HTML page"
    if lower.startswith(("<?xml", "<error")):
        return "xml", "an XML document"
    return None
