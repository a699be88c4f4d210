"""Bytes to code points and back, in the encodings that ICU and Python both know. Registers nothing."""

from __future__ import annotations

import codecs
import threading
from collections.abc import Callable
from dataclasses import dataclass

from icefloe import errors

# No character of any decoded text: what stands where bytes were none.
_MARK = "\ud800"
_INVALID = ord(_MARK)

# ICU's names that Python spells otherwise.
_NAMES = {"ebcdic-cp-us": "cp037", "ibm-1047": "cp1047"}

# Encodings whose byte order a mark tells; without one ICU takes them for big-endian.
_MARKED = {
    "utf-16": ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")),
    "utf-32": ((codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be")),
}
_NO_CHARSETS = frozenset(
    "idna punycode raw-unicode-escape unicode-escape undefined utf-8-sig mbcs oem palmos".replace("-", "_").split()
)

_local = threading.local()


def _note_error(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    _local.lengths.append(error.end - error.start)
    return _MARK, error.end


codecs.register_error("icefloe_mark", _note_error)


@dataclass(frozen=True, slots=True)
class Decoder:
    """An input encoding: its Python codec and the number of bytes of a character, 0 where that varies."""

    codec: str
    width: int

    def decode(self, s: bytes) -> tuple[list[int | None], list[int]]:
        """Return the code points of `s`, None for each run of bytes that is no character, and where each begins."""
        codec, at = self.codec, 0
        if codec in _MARKED:
            mark, codec = next((pair for pair in _MARKED[codec] if s.startswith(pair[0])), (b"", f"{codec}-be"))
            at = len(mark)
        lengths: list[int] = []
        _local.lengths = lengths
        text = s[at:].decode(codec, "icefloe_mark")
        codes: list[int | None] = list(map(ord, text))
        size = _SIZES.get(codec)
        starts = []
        bad = iter(lengths)
        for i, code in enumerate(codes):
            starts.append(at)
            if code == _INVALID:
                codes[i] = None
                at += next(bad)
            elif size is not None:
                at += size(code or 0)
            else:
                at += self.width or len(text[i].encode(codec))
        if starts:
            starts[0] = 0  # a mark counts to the first character
        return codes, starts


def _utf8_size(code: int) -> int:
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


def _utf16_size(code: int) -> int:
    return 2 if code < 0x10000 else 4


_SIZES: dict[str, Callable[[int], int]] = {
    "utf-8": _utf8_size,
    "utf-16-be": _utf16_size,
    "utf-16-le": _utf16_size,
    "utf-32-be": lambda code: 4,
    "utf-32-le": lambda code: 4,
}


def decoder_of(name: str) -> Decoder:
    """Return the decoder of an encoding. Raises: InvalidArgumentError for a name that is none."""
    try:
        info = codecs.lookup(_NAMES.get(name.lower(), name))
        known = info._is_text_encoding and info.name.replace("-", "_") not in _NO_CHARSETS
    except (LookupError, ValueError):
        known = False
    if not known:
        raise errors.InvalidArgumentError(f"Could not create converter for input encoding: {name}")
    single_byte = info.name.startswith(("iso8859", "cp12", "cp437", "cp037", "koi8", "mac", "ascii", "latin"))
    return Decoder(info.name, 1 if single_byte else 0)


def is_character(code: int) -> bool:
    """Return whether `code` is a code point that can be encoded: in range, and no surrogate."""
    return 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF


def encode(codes: list[int], encoding: str) -> bytes:
    """Return code points in UTF-8, UTF-16-BE or UTF-32-BE."""
    return "".join(map(chr, codes)).encode(encoding)
