"""Comparisons of arrays, tensors and messages that tests assert, as TensorFlow's test case has them."""

from __future__ import annotations

import unittest
from collections.abc import Mapping
from typing import Any

import numpy as np
from google.protobuf import text_format

import icefloe as tf


def graph_difference(actual: Any, expected: Any) -> str | None:
    """Return in words the first node in which two GraphDefs differ, or None."""
    ours, theirs = ({node.name: node for node in graph.node} for graph in (actual, expected))
    if set(ours) != set(theirs):
        return f"nodes are only in one graph: {sorted(set(ours) ^ set(theirs))}"
    for name, node in ours.items():
        if node != theirs[name]:
            return f"node {name!r} differs:\n{node}\nexpected:\n{theirs[name]}"
    return None


class ArrayComparisons(unittest.TestCase):
    """Assertions on numbers: arrays, what becomes one, tensors, and for some lists, tuples and dicts of these."""

    def evaluate(self, tensors: Any) -> Any:
        """Return the values of tensors."""
        raise NotImplementedError

    def _array(self, value: Any) -> np.ndarray:
        if isinstance(value, (tf.Tensor, tf.Variable)):
            value = self.evaluate(value)
        found = np.asarray(value)
        return found.astype(np.float32) if found.dtype.name == "bfloat16" else found

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """Demand equal structures and |a - b| <= atol + rtol * |b| everywhere; NaN is near NaN."""
        self._close(a, b, rtol, atol, "", msg)

    def _close(self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: str | None) -> None:
        if isinstance(a, Mapping) or isinstance(b, Mapping):
            if not (isinstance(a, Mapping) and isinstance(b, Mapping)) or set(a) != set(b):
                self.fail(self._formatMessage(msg, f"other keys{path and ' at '}{path}: {a!r} and {b!r}"))
            for key in a:
                self._close(a[key], b[key], rtol, atol, f"{path}[{key!r}]", msg)
            return
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and not self._is_array(a, b):
            if len(a) != len(b):
                self.fail(self._formatMessage(msg, f"other lengths at {path}: {len(a)} and {len(b)}"))
            for i, (x, y) in enumerate(zip(a, b)):
                self._close(x, y, rtol, atol, f"{path}[{i}]", msg)
            return
        x, y = self._array(a), self._array(b)
        self._same_shape(x, y, msg)
        rtol, atol = (
            max(tolerance, {"float16": 1e-3}.get(x.dtype.name, 0.0), {"float16": 1e-3}.get(y.dtype.name, 0.0))
            for tolerance in (rtol, atol)
        )
        if np.allclose(x, y, rtol=rtol, atol=atol, equal_nan=True):
            return
        bad = ~np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=True)
        at = [tuple(map(int, index)) for index in np.argwhere(bad)[:5]]
        worst = np.nanmax(np.abs(np.where(bad, x - y, 0)))
        text = (
            f"{int(bad.sum())} of {bad.size} values differ by more than {atol} + {rtol} * |b|{path and ' at '}{path}: "
            f"first at {at}, by up to {worst}\na: {x}\nb: {y}"
        )
        self.fail(self._formatMessage(msg, text))

    def _is_array(self, a: Any, b: Any) -> bool:
        """Whether both lists are the rows of arrays of numbers."""
        for value in (a, b):
            try:
                if any(isinstance(x, (tf.Tensor, tf.Variable, Mapping)) for x in value):
                    return False
                if np.asarray(value).dtype.hasobject:
                    return False
            except ValueError:  # rows of unequal lengths
                return False
        return True

    def _same_shape(self, a: np.ndarray, b: np.ndarray, msg: str | None) -> None:
        if a.shape != b.shape:
            self.fail(self._formatMessage(msg, f"Shape mismatch: expected {b.shape}, got {a.shape}."))

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """As assertAllClose, with the tolerance of the coarser dtype of the two."""
        given = {
            "float32": (float_rtol, float_atol),
            "complex64": (float_rtol, float_atol),
            "float16": (half_rtol, half_atol),
            "bfloat16": (bfloat16_rtol, bfloat16_atol),
        }
        values = [self.evaluate(v) if isinstance(v, (tf.Tensor, tf.Variable)) else v for v in (a, b)]
        for value in values:
            more = given.get(np.asarray(value).dtype.name, (0.0, 0.0))
            rtol, atol = max(rtol, more[0]), max(atol, more[1])
        self.assertAllClose(values[0], values[1], rtol=rtol, atol=atol, msg=msg)

    def assertNotAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """Demand that assertAllClose fails."""
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        self.fail(self._formatMessage(msg, f"The two values are close at all elements:\n{a}"))

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Demand equal shapes and elements; NaN equals NaN."""
        x, y = self._array(a), self._array(b)
        self._same_shape(x, y, msg)
        same = self._equal(x, y)
        if not np.all(same):
            at = [tuple(map(int, index)) for index in np.argwhere(~np.atleast_1d(same))[:5]]
            text = f"{int(np.sum(~np.atleast_1d(same)))} values differ, first at {at}\na: {x}\nb: {y}"
            self.fail(self._formatMessage(msg, text))

    def _equal(self, x: np.ndarray, y: np.ndarray) -> Any:
        if x.dtype.hasobject or y.dtype.hasobject or x.dtype.kind in "SU" or y.dtype.kind in "SU":
            x, y = self._bytes(x), self._bytes(y)
            return np.asarray(x == y)
        same = x == y
        if x.dtype.kind in "fc" and y.dtype.kind in "fc":
            same = same | (np.isnan(x) & np.isnan(y))
        return np.asarray(same)

    def _bytes(self, x: np.ndarray) -> np.ndarray:
        """Return an array with bytes in place of text."""
        out = np.empty(x.shape, object)
        for index in np.ndindex(x.shape):
            item: Any = x[index]
            out[index] = item.encode() if isinstance(item, str) else item
        return out

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Demand that assertAllEqual fails."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        self.fail(self._formatMessage(msg, f"The two values are equal at all elements:\n{a}"))

    def _all(self, holds: Any, value: np.ndarray, text: str) -> None:
        if not np.all(holds):
            self.fail(f"{text}\n{value}")

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Demand elements above a number."""
        value = self._array(a)
        self._all(value > comparison_target, value, f"not all values are > {comparison_target}:")

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Demand elements not below a number."""
        value = self._array(a)
        self._all(value >= comparison_target, value, f"not all values are >= {comparison_target}:")

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Demand elements below a number."""
        value = self._array(a)
        self._all(value < comparison_target, value, f"not all values are < {comparison_target}:")

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Demand elements not above a number."""
        value = self._array(a)
        self._all(value <= comparison_target, value, f"not all values are <= {comparison_target}:")

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Demand elements between two numbers, which count as inside unless the range is open there."""
        value = self._array(target)
        above = value > lower_bound if open_lower_bound else value >= lower_bound
        below = value < upper_bound if open_upper_bound else value <= upper_bound
        self._all(above & below, value, f"not all values are between {lower_bound} and {upper_bound}:")

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Demand elements of a set."""
        value = self._array(target)
        self._all(np.isin(value, list(expected_set)), value, f"not all values are in {expected_set}:")

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        """Demand two numbers that differ by no more than `err`."""
        if not (f1 == f2 or abs(f1 - f2) <= err):
            self.fail(self._formatMessage(msg, f"{f1} != {f2} +/- {err}"))

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: str | None = None) -> None:
        """Demand two lists of numbers that differ by no more than `err` anywhere."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None) -> None:
        """Demand two arrays whose distance, the root of the sum of squares, is below `err`."""
        x, y = self._array(ndarray1), self._array(ndarray2)
        self._same_shape(x, y, msg)
        self.assertTrue(bool(np.linalg.norm((x - y).reshape(-1)) < err), msg)

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """Demand equal shapes of two arrays or tensors."""
        shapes = [
            tuple(v.get_shape().as_list()) if isinstance(v, tf.Tensor) else np.shape(v) for v in (input_a, input_b)
        ]
        self.assertEqual(shapes[0], shapes[1], msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Demand an array or tensor of a dtype."""
        got = target.dtype if hasattr(target, "dtype") else self._array(target).dtype
        self.assertEqual(tf.as_dtype(got), tf.as_dtype(expected_dtype))

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: str | None = None) -> None:
        """Demand two devices, as text or DeviceSpec, that are the same."""
        texts = [
            tf.DeviceSpec.from_string(d).to_string() if isinstance(d, str) else d.to_string()
            for d in (device1, device2)
        ]
        self.assertEqual(texts[0], texts[1], msg)

    def assertStartsWith(self, actual: Any, expected_start: Any, msg: str | None = None) -> None:
        """Demand a text that begins with another."""
        if not actual.startswith(expected_start):
            self.fail(self._formatMessage(msg, f"{actual!r} does not start with {expected_start!r}"))

    def assertProtoEquals(
        self, expected_message_maybe_ascii: Any, message: Any, msg: str | None = None, relative_tolerance: Any = None
    ) -> None:
        """Demand a message equal to another, which may be given as text."""
        expected = expected_message_maybe_ascii
        if isinstance(expected, str):
            expected = text_format.Parse(expected, type(message)())
        self.assertMultiLineEqual(str(expected), str(message), msg)

    def assertProtoEqualsVersion(
        self, expected: str, actual: Any, producer: int | None = None, min_consumer: int | None = None, msg: Any = None
    ) -> None:
        """Demand a GraphDef equal to a text to which the versions are added, default those of this library."""
        producer = tf.version.GRAPH_DEF_VERSION if producer is None else producer
        least = tf.version.GRAPH_DEF_VERSION_MIN_CONSUMER if min_consumer is None else min_consumer
        versions = f"versions {{ producer: {producer}" + (f" min_consumer: {least}" if least else "") + " }"
        self.assertProtoEquals(f"{expected}\n{versions}", actual, msg)
