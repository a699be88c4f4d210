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
    (b"GIF8", "gif", "a GIF image"),
    (b"RIFF", "riff", "a sound, film or image file (RIFF)"),
    (b"GGUF", "gguf", "a GGUF model"),
    (b"MATLAB 5.0 MAT-file", "matlab", "a MATLAB file (.mat)"),
    (b"PAR1", "parquet", "a Parquet file"),
    (b"SQLite format 3\0", "sqlite", "an SQLite database"),
    (b"\x7fELF", "program", "a program or library of Linux (ELF)"),
    (b"MZ\x90\0", "program", "a program or library of Windows"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "office", "an Office document"),
    (b"\x00\x05\x16\x07", "appledouble", "what macOS keeps beside a file (AppleDouble), not the file itself"),
    (b"\x00\x05\x16\x00", "appledouble", "what macOS keeps beside a file (AppleDouble), not the file itself"),
    (b"\x04\x22\x4d\x18", "lz4", "an LZ4 archive"),
    (b"\x1f\x9d", "compress", "a compressed file (.Z)"),
    (b"\xff\x06\0\0sNaPpY", "snappy", "a Snappy archive"),
    (b"PK\x05\x06", "empty_zip", "a zip archive without files"),
    # What `torch.save` of before 1.6 pickles first is this number.
    (b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", "pytorch", "a PyTorch file"),
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
