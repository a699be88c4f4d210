"""WAV files: written, read, damaged."""

import struct

import numpy as np

from ops.case import Case

TONES = np.array([[0.0, 0.5], [-1.0, 1.0], [0.25, -2.0], [3e-5, 2.0], [1.5e-5, -1.5e-5], [np.nan, np.inf]], np.float32)
RATE = np.array(44100, np.int32)


def riff(*chunks: bytes) -> np.ndarray:
    body = b"WAVE" + b"".join(chunks)
    return np.array(b"RIFF" + struct.pack("<I", len(body)) + body, object)


def chunk(name: bytes, content: bytes) -> bytes:
    return name + struct.pack("<I", len(content)) + content


def fmt(coding: int = 1, channels: int = 2, rate: int = 8000, bits: int = 16, more: bytes = b"", off: int = 0) -> bytes:
    frame = channels * bits // 8
    return chunk(b"fmt ", struct.pack("<HHIIHH", coding, channels, rate, frame * rate + off, frame, bits) + more)


SAMPLES = np.array([[0, 1], [-32768, 32767], [100, -100]], "<i2").tobytes()
DATA = chunk(b"data", SAMPLES)
PLAIN = riff(fmt(), DATA)


def cut(size: int) -> np.ndarray:
    return np.array(PLAIN.item()[:size], object)


CASES = [
    Case("EncodeWav", TONES, RATE),
    Case("EncodeWav", TONES[:, :1], np.array(8000, np.int32)),
    Case("EncodeWav", TONES[:0], RATE),
    Case("EncodeWav", TONES[:, :0], RATE),
    Case("EncodeWav", TONES[0], RATE),
    Case("EncodeWav", TONES, np.array(0, np.int32)),
    Case("EncodeWav", TONES, np.array([44100], np.int32)),
    Case("DecodeWav", PLAIN),
    *[Case("DecodeWav", PLAIN, desired_channels=n) for n in (1, 2, 3)],
    *[Case("DecodeWav", PLAIN, desired_samples=n) for n in (0, 2, 5)],
    Case("DecodeWav", PLAIN, desired_samples=-2),
    Case("DecodeWav", riff(fmt(channels=1), DATA), desired_channels=2, desired_samples=8),
    Case("DecodeWav", riff(chunk(b"JUNK", b"1234"), chunk(b"bext", b""), fmt(), DATA)),
    Case("DecodeWav", riff(fmt(more=b"\0\0"), chunk(b"LIST", b"abcd"), DATA)),
    Case("DecodeWav", riff(fmt(), DATA, chunk(b"LIST", b"abcd"))),
    Case("DecodeWav", riff(chunk(b"what", b"1234"), fmt(), DATA)),
    Case("DecodeWav", riff(fmt(more=b"\0\0\0\0"), DATA)),
    Case("DecodeWav", riff(fmt(coding=3), DATA)),
    Case("DecodeWav", riff(fmt(channels=0), DATA)),
    Case("DecodeWav", riff(fmt(bits=8), DATA)),
    Case("DecodeWav", riff(fmt(off=1), DATA)),
    Case("DecodeWav", riff(fmt(), DATA, DATA)),
    Case("DecodeWav", riff(fmt())),
    Case("DecodeWav", riff(fmt(), b"data" + struct.pack("<I", 0xFFFFFFFF))),
    Case("DecodeWav", np.array([PLAIN.item()], object)),
    Case("DecodeWav", np.array(b"RIFX" + PLAIN.item()[4:], object)),
    *[Case("DecodeWav", cut(n)) for n in (0, 3, 11, 20, 40, 44, 50)],
]
