"""Spectrograms and cepstral coefficients."""

import numpy as np

from ops.case import Case

X = np.sin(np.arange(80) * 0.7 + np.arange(80) ** 2 * 0.01).astype(np.float32).reshape(40, 2)
S = (np.square(np.sin(np.arange(2 * 3 * 129) * 0.37)) * 5).reshape(2, 3, 129).astype(np.float32)
RATE = np.int32(16000)
CASES = [
    *(
        Case("AudioSpectrogram", X, window_size=w, stride=s, tol=1e-5)
        for w, s in ((8, 4), (6, 3), (2, 1), (16, 20), (40, 1))
    ),
    Case("AudioSpectrogram", X, window_size=8, stride=4, magnitude_squared=True, tol=1e-5),
    Case("AudioSpectrogram", X, window_size=50, stride=4),
    Case("AudioSpectrogram", X[:, :0], window_size=8, stride=4),
    Case("AudioSpectrogram", X[:, 0], window_size=8, stride=4),
    Case("AudioSpectrogram", X, window_size=1, stride=4),
    Case("AudioSpectrogram", X, window_size=8, stride=0),
    Case("Mfcc", S, RATE, tol=1e-5),
    Case(
        "Mfcc",
        S,
        np.int32(8000),
        filterbank_channel_count=20,
        dct_coefficient_count=20,
        lower_frequency_limit=0.0,
        tol=1e-5,
    ),
    Case("Mfcc", S, RATE, upper_frequency_limit=7600.0, filterbank_channel_count=3, dct_coefficient_count=2, tol=1e-5),
    Case("Mfcc", S * 0, RATE, tol=1e-5),
    Case("Mfcc", S[:, :0], RATE),
    Case("Mfcc", S, np.int32(4000)),
    Case("Mfcc", S, np.int32(0)),
    Case("Mfcc", S[0], RATE),
    Case("Mfcc", S, np.array([16000], np.int32)),
    Case("Mfcc", S[:, :, :1], RATE),
    Case("Mfcc", S, RATE, lower_frequency_limit=-1.0),
    Case("Mfcc", S, RATE, upper_frequency_limit=10.0),
    Case("Mfcc", S, RATE, dct_coefficient_count=50),
]
