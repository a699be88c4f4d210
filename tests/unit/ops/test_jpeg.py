"""What is written as JPEG reads back as nearly the same picture, smaller for a lower quality."""

from __future__ import annotations

import numpy as np
import pytest

import icefloe as tf

Y, X = np.mgrid[0:24, 0:32]
PICTURE = np.stack([100 + 4 * X, 200 - 5 * Y, 80 + 2 * X + 2 * Y], -1).astype(np.uint8)


def run(fetch: tf.Tensor) -> object:
    with tf.Session(graph=fetch.graph) as sess:
        return sess.run(fetch)


@pytest.mark.parametrize("channels", [1, 3])
def test_pictures_come_back(channels: int) -> None:
    with tf.Graph().as_default():
        back = run(tf.raw_ops.DecodeJpeg(contents=tf.raw_ops.EncodeJpeg(image=PICTURE[:, :, :channels], quality=95)))
    assert back.shape == (24, 32, channels)
    assert np.abs(back.astype(int) - PICTURE[:, :, :channels]).max() <= 6


def test_quality_makes_the_size() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (40, 40, 3), dtype=np.uint8)
    with tf.Graph().as_default():
        sizes = [len(run(tf.raw_ops.EncodeJpegVariableQuality(images=noise, quality=q))) for q in (10, 50, 95)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[2] / 2


def test_shape_is_told_without_decoding() -> None:
    with tf.Graph().as_default():
        data = tf.raw_ops.EncodeJpeg(image=PICTURE)
        assert run(tf.raw_ops.ExtractJpegShape(contents=data)).tolist() == [24, 32, 3]
