"""Connectionist temporal classification, recurrent cells, and convolutions of mirrored images."""

from __future__ import annotations

import numpy as np

from ops.case import Case

F = np.float32
rng = np.random.default_rng(11)
LENGTHS = np.array([5, 4], np.int32)
TARGETS = np.array([0, 1, 1], np.int32)
LABELS = np.int64([[0, 0], [0, 1], [1, 0]])


def normal(*shape: int, dtype: object = "float32") -> np.ndarray:
    return rng.normal(size=shape).astype(dtype)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def ctc_loss() -> list[Case]:
    x = normal(5, 2, 3)

    def case(
        scores: np.ndarray = x,
        at: np.ndarray = LABELS,
        labels: np.ndarray = TARGETS,
        lengths: np.ndarray = LENGTHS,
        **attrs: object,
    ) -> Case:
        return Case("CTCLoss", scores, at, labels, lengths, tol=2e-5, **attrs)

    many = np.stack([np.repeat(np.arange(4), 6), np.tile(np.arange(6), 4)], axis=1)
    return [
        case(),
        case(x.astype(np.float64)),
        case(labels=ints(1, 1, 0)),
        case(labels=ints(1, 1, 0), preprocess_collapse_repeated=True),
        case(labels=ints(1, 1, 0), ctc_merge_repeated=False),
        case(labels=ints(1, 1, 0), preprocess_collapse_repeated=True, ctc_merge_repeated=False),
        case(labels=ints(0, 2, 1)),
        case(lengths=ints(1, 4), ignore_longer_outputs_than_inputs=True),
        case(lengths=ints(0, 4), ignore_longer_outputs_than_inputs=True),
        case(labels=ints(1, 1, 0), lengths=ints(2, 4)),  # a repeated label needs a blank between
        case(np.where(np.arange(3) == 1, F(-200), x)),
        Case(
            "CTCLoss",
            normal(20, 4, 7) * 3,
            many.astype(np.int64),
            rng.integers(0, 6, 24).astype(np.int32),
            ints(20, 13, 16, 12),
            tol=5e-5,
        ),
        case(labels=ints(2, 0, 1)),
        case(labels=ints(0, -1, 1)),
        case(lengths=ints(1, 4)),
        case(lengths=ints(6, 4)),
        case(lengths=ints(-1, 4)),
        case(at=LABELS[::-1].copy()),
        case(at=np.int64([[0, 0], [0, 0], [1, 0]])),
        case(at=np.int64([[0, 0], [2, 0], [1, 0]])),
        case(at=np.int64([[0, 0], [0, 1], [0, 2]])),
        case(at=LABELS[:2]),
        case(at=LABELS[:0], labels=ints()),
        case(at=LABELS[:, :1]),
        case(lengths=ints(5)),
        case(lengths=ints(5, 5)[None]),
        case(x[0]),
        case(x[:0]),
        case(x[:, :0], lengths=ints()),
    ]


def decoders() -> list[Case]:
    x, lengths = normal(6, 3, 4), ints(6, 4, 0)
    likely = normal(30, 2, 6) * 4
    cases = [
        Case("CTCGreedyDecoder", x, lengths),
        Case("CTCGreedyDecoder", x.astype(np.float64), lengths, merge_repeated=True),
        Case("CTCGreedyDecoder", x, lengths, blank_index=1),
        Case("CTCGreedyDecoder", x, lengths, blank_index=-4),
        Case("CTCGreedyDecoder", np.zeros((3, 1, 2), F), ints(3)),
        Case("CTCGreedyDecoder", x, ints(-1, 6, 2)),
        Case("CTCGreedyDecoder", x, ints(0, 0, 0)),
        Case("CTCGreedyDecoder", x, lengths, blank_index=4),
        Case("CTCGreedyDecoder", x, lengths, blank_index=-5),
        Case("CTCBeamSearchDecoder", x, ints(6, 4, 2), beam_width=5, top_paths=2),
        Case("CTCBeamSearchDecoder", x, ints(6, 4, 2), beam_width=1, top_paths=1),
        Case("CTCBeamSearchDecoder", x.astype(np.float64), ints(6, 4, 3), beam_width=100, top_paths=10, tol=1e-6),
        Case("CTCBeamSearchDecoder", likely, ints(30, 21), beam_width=8, top_paths=3, tol=1e-5),
        Case("CTCBeamSearchDecoder", likely, ints(30, 21), beam_width=40, top_paths=3, merge_repeated=False, tol=1e-5),
        Case("CTCBeamSearchDecoder", x, lengths, beam_width=2, top_paths=1),
        Case("CTCBeamSearchDecoder", x, lengths, beam_width=4, top_paths=2),
        Case("CTCBeamSearchDecoder", x, lengths, beam_width=1, top_paths=2),
        Case("CTCBeamSearchDecoder", x[:, :, :1], lengths, beam_width=1, top_paths=1),
    ]
    for op, attrs in (("CTCGreedyDecoder", {}), ("CTCBeamSearchDecoder", {"beam_width": 2, "top_paths": 1})):
        cases += [
            Case(op, x, ints(7, 4, 0), **attrs),
            Case(op, x, ints(6, 4), **attrs),
            Case(op, x, ints(6, 4, 0)[None], **attrs),
            Case(op, x[0], lengths, **attrs),
            Case(op, x[:0], lengths, **attrs),
        ]
    return cases


def lstm() -> list[Case]:
    def weights(inputs: int, cells: int, dtype: object = "float32") -> list[np.ndarray]:
        sizes: list[tuple[int, ...]] = [(inputs + cells, 4 * cells), (cells,), (cells,), (cells,), (4 * cells,)]
        return [normal(*size, dtype=dtype) for size in sizes]

    x, states, w = normal(3, 2, 5), [normal(2, 4), normal(2, 4)], weights(5, 4)
    cases = []
    for attrs in ({}, {"use_peephole": True}, {"cell_clip": 0.5, "forget_bias": 0.25}, {"cell_clip": -1.0}):
        cases.append(Case("LSTMBlockCell", x[0], *states, *w, tol=1e-5, **attrs))
        cases.append(Case("BlockLSTM", np.int64(3), x, *states, *w, tol=1e-5, **attrs))
    cases += [
        Case("BlockLSTMV2", np.int64(3), x, *states, *w, tol=1e-5, **attrs)
        for attrs in ({}, {"use_peephole": True}, {"cell_clip": 0.5})
    ]
    for use in (False, True):
        gates = [normal(2, 4) for _ in range(8)]
        cases.append(Case("LSTMBlockCellGrad", x[0], *states, *w, *gates, use_peephole=use, tol=1e-5))
        gates = [normal(3, 2, 4) for _ in range(9)]
        cases += [
            Case(op, np.int64(length), x, *states, *w, *gates, use_peephole=use, tol=2e-4)
            for length, op in ((2, "BlockLSTMGrad"), (3, "BlockLSTMGradV2"), (0, "BlockLSTMGrad"))
        ]
    half = [v.astype(np.float16) for v in (x[0], *states, *w)]
    empty = [normal(0, 4), normal(0, 4)]
    return [
        *cases,
        Case("LSTMBlockCell", *half, use_peephole=True, tol=5e-3),
        Case("BlockLSTM", np.int64(0), x[:0], *states, *w),
        Case("BlockLSTM", np.int64(2), x[:, :0], *empty, *w),
        Case("LSTMBlockCell", x[0, :0], *empty, *w),
        Case("LSTMBlockCell", x[0], *states, *w[:4], w[4][1:]),
        Case("LSTMBlockCell", x[0], *states, w[0][1:], *w[1:]),
        Case("LSTMBlockCell", x[0], states[0], states[1][:1], *w),
        Case("LSTMBlockCell", x[0], states[0][:1], states[1], *w),
        Case("LSTMBlockCell", x[0], *states, w[0], *[v[:3] for v in w[1:4]], w[4]),
        Case("BlockLSTM", np.int64(2), x, *states, w[0], *[v[:3] for v in w[1:4]], w[4]),
        Case("BlockLSTM", np.int64(2), x[0], *states, *w),
        Case("BlockLSTM", np.int64(2), x, *states, *w[:4], w[4][1:]),
    ]


def gru() -> list[Case]:
    x, h = normal(2, 3), normal(2, 4)
    w = [normal(7, 8), normal(7, 4), normal(8), normal(4)]
    gates = [normal(2, 4) for _ in range(4)]
    return [
        Case("GRUBlockCell", x, h, *w, tol=1e-5),
        Case("GRUBlockCell", x[:0], h[:0], *w),
        Case("GRUBlockCellGrad", x, h, *w, *gates, tol=1e-5),
        Case("GRUBlockCell", x, h[:1], *w),
        Case("GRUBlockCell", x, h, w[0][1:], *w[1:]),
        Case("GRUBlockCell", x, h, w[0], w[1][:, 1:], *w[2:]),
        Case("GRUBlockCell", x, h, *w[:2], w[2][1:], w[3]),
        Case("GRUBlockCell", x, h, *w[:3], w[3][1:]),
        Case("GRUBlockCell", x[0], h, *w),
        Case("GRUBlockCellGrad", x, h, *w, *gates[:3], gates[3][:1]),
        Case("GRUBlockCellGrad", x, h, *w, gates[0][:, 1:], *gates[1:]),
    ]


def fused_convolution() -> list[Case]:
    x, w = normal(1, 5, 4, 3), normal(3, 2, 3, 4)  # one image: TensorFlow mixes up the rows of several

    def pads(*amounts: int) -> np.ndarray:
        return ints(0, 0, *amounts, 0, 0).reshape(4, 2)

    at = {"mode": "REFLECT", "strides": [1, 1, 1, 1], "padding": "SAME"}
    return [
        Case("FusedPadConv2D", x, pads(1, 2, 3, 0), w, tol=1e-5, **at),
        Case("FusedPadConv2D", x, pads(5, 2, 4, 0), w, tol=1e-5, **(at | {"mode": "SYMMETRIC"})),
        Case(
            "FusedPadConv2D", x, pads(1, 2, 3, 0), w, tol=1e-5, **(at | {"padding": "VALID", "strides": [1, 2, 1, 1]})
        ),
        Case("FusedPadConv2D", x.astype(np.float64), pads(1, 1, 1, 1), w.astype(np.float64), **at),
        Case("FusedResizeAndPadConv2D", x, ints(8, 3), pads(1, 2, 1, 0), w, tol=1e-5, **at),
        Case("FusedResizeAndPadConv2D", x, ints(8, 7), pads(0, 0, 0, 0), w, resize_align_corners=True, tol=1e-5, **at),
        Case("FusedResizeAndPadConv2D", x, ints(5, 4), pads(0, 1, 0, 1), w, tol=1e-5, **at),
        Case(
            "FusedResizeAndPadConv2D",
            x.astype(np.float64),
            ints(2, 3),
            pads(1, 1, 1, 1),
            w.astype(np.float64),
            tol=1e-6,
            **at,
        ),
        Case("FusedPadConv2D", x, pads(5, 0, 0, 0), w, **at),
        Case("FusedPadConv2D", x, pads(6, 0, 0, 0), w, **(at | {"mode": "SYMMETRIC"})),
        Case("FusedPadConv2D", x, pads(-1, 0, 0, 0), w, **at),
        Case("FusedPadConv2D", x, ints(1, 1, 0, 0, 0, 0, 0, 0).reshape(4, 2), w, **at),
        Case("FusedPadConv2D", x, ints(0, 0, 0, 0, 0, 0, 1, 1).reshape(4, 2), w, **at),
        Case("FusedPadConv2D", x, pads(0, 0, 0, 0)[:3], w, **at),
        Case("FusedPadConv2D", x, pads(0, 0, 0, 0), w[:, :, :2], **at),
        Case("FusedPadConv2D", x[:0], pads(0, 0, 0, 0), w, **at),
        Case("FusedPadConv2D", x, pads(0, 0, 0, 0), w, **(at | {"strides": [1, 1, 1, 2]})),
        Case("FusedPadConv2D", x[:, :2], pads(0, 0, 0, 0), w, **(at | {"padding": "VALID"})),
    ]


CASES = [*ctc_loss(), *decoders(), *lstm(), *gru(), *fused_convolution()]
