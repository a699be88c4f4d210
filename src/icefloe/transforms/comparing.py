"""Does a changed graph still give what the old one gave? Both are run on the same random feeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from icefloe import errors, opdefs
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import read_graph
from icefloe.graph.tensor import Tensor
from icefloe.proto import GraphDef
from icefloe.session import Session
from icefloe.transforms.node_edits import attr_of
from icefloe.transforms.reports import Check, first_line

# Two computations of the same in another order differ by rounding; relative to the largest element of an output.
TOLERANCE = {"float16": 2e-2, "bfloat16": 5e-2, "float32": 1e-4, "float64": 1e-9, "complex64": 1e-4}
_UNKNOWN_SIZES = (2, 1, 3, 4, 16, 80)
_LARGE = 8  # from here on sizes are of images: the batch stays small
_RANKS = (2, 4, 1, 0, 3)
_MOST_ELEMENTS = 1 << 24


def random_feed(tensor: Tensor, rng: np.random.Generator, unknown: int = 2, rank: int = 2) -> np.ndarray:
    """Return a random value for a tensor. unknown: the size of dimensions that are not known, a large one
    that of images; rank: where that is not known.

    Raises: InvalidArgumentError for a dtype that has no plain values, or a tensor of more than 16 million elements.
    """
    is_known = tensor.shape.rank is not None
    sizes: list[int | None] = tensor.shape.as_list() if is_known else [None] * rank
    if unknown >= _LARGE and sizes:
        sizes[0] = 2 if sizes[0] is None else sizes[0]
        if rank == 4 and not is_known:
            sizes[3] = 3
    shape = [unknown if n is None else n for n in sizes]
    if np.prod(shape, dtype=np.float64) > _MOST_ELEMENTS:
        raise errors.InvalidArgumentError(f"{tensor.name} of shape {shape} is too large for a random value")
    dtype = tensor.dtype.base_dtype
    if dtype.name == "string":
        words = np.empty(shape, object)
        for place in np.ndindex(words.shape):
            words[place] = bytes(rng.integers(97, 123, 3, np.uint8))
        return words
    if dtype.name in ("resource", "variant"):
        raise errors.InvalidArgumentError(f"{tensor.name} is of dtype {dtype.name}: there is no random value for it")
    if dtype.name == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.is_integer:
        return rng.integers(0, 2, shape).astype(dtype.as_numpy_dtype)
    values = rng.uniform(-1.0, 1.0, shape)
    return np.asarray(values).astype(dtype.as_numpy_dtype)


def compare_runs(
    before: Session,
    after: GraphDef | Graph,
    inputs: Sequence[str],
    outputs: Sequence[str],
    *,
    names: Mapping[str, str] | None = None,
    seed: int = 0,
    initialize: Sequence[str] = (),
    tolerance: float | None = None,
    prepare: Callable[[Session], object] | None = None,
) -> Check:
    """Run `outputs` before and after on random values of `inputs`.

    before: a session that is ready to run. names: tensors that have another name after. initialize: operations that the
    new graph runs first. tolerance: the largest difference, relative to the largest element. prepare: called with the
    session of the new graph.
    """
    graph = after if isinstance(after, Graph) else read_graph(after)
    drawn = _draws(before.graph, outputs)
    if drawn:
        return Check("not checked", f"the graph draws other numbers in each session: {drawn}")
    renamed = names or {}
    shapes = [before.graph.get_tensor_by_name(name).shape for name in inputs]
    unknown_sizes = _UNKNOWN_SIZES if any(not shape.is_fully_defined() for shape in shapes) else _UNKNOWN_SIZES[:1]
    rng = np.random.default_rng(seed)
    problem = "no feed suits the graph"
    for unknown in unknown_sizes:
        for rank in _RANKS:
            try:
                feeds = {
                    name: random_feed(before.graph.get_tensor_by_name(name), rng, unknown, rank) for name in inputs
                }
                expected = before.run(list(outputs), feeds)
            except (errors.OpError, ValueError, TypeError, KeyError) as error:
                problem = first_line(error)
                if not _has_unknown_rank(before.graph, inputs):
                    break
                continue
            return _compare(graph, feeds, outputs, expected, renamed, initialize, tolerance, prepare)
    return Check("not checked", f"the graph does not run on random values: {problem}")


def _draws(graph: Graph, outputs: Sequence[str]) -> str:
    """Return the name of a random op without seeds that outputs need, or ""."""
    waiting = [graph.get_tensor_by_name(name).op for name in outputs]
    seen = set(waiting)
    while waiting:
        op = waiting.pop()
        node = op.node_def
        definition = opdefs.find(op.type)
        if definition is not None and definition.is_stateful and any(a.name == "seed2" for a in definition.attr):
            if not attr_of(node, "seed").i and not attr_of(node, "seed2").i:
                return op.name
        for other in (*(tensor.op for tensor in op.inputs), *op.control_inputs):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return ""


def _has_unknown_rank(graph: Graph, inputs: Sequence[str]) -> bool:
    return any(graph.get_tensor_by_name(name).shape.rank is None for name in inputs)


def _compare(
    graph: Graph,
    feeds: Mapping[str, np.ndarray],
    outputs: Sequence[str],
    expected: Sequence[Any],
    names: Mapping[str, str],
    initialize: Sequence[str],
    tolerance: float | None,
    prepare: Callable[[Session], object] | None,
) -> Check:
    with Session(graph=graph) as session:
        try:
            if prepare is not None:
                prepare(session)
            if initialize:
                session.run([graph.get_operation_by_name(name) for name in initialize])
            given = {names.get(name, name): value for name, value in feeds.items()}
            given = {name: value for name, value in given.items() if name.partition(":")[0] in graph._by_name}
            found = session.run([names.get(name, name) for name in outputs], given)
        except (errors.OpError, ValueError, TypeError, KeyError) as error:
            return Check("different", f"the new graph does not run: {first_line(error)}")
    return compare_arrays(outputs, expected, found, tolerance)


def compare_arrays(
    names: Sequence[str], expected: Sequence[Any], found: Sequence[Any], tolerance: float | None
) -> Check:
    """Return whether values are those that were expected, up to rounding or `tolerance`."""
    largest = 0.0
    for name, old, new in zip(names, expected, found):
        problem, difference = _differs(np.asarray(old), np.asarray(new), tolerance)
        largest = max(largest, difference)
        if problem:
            return Check("different", f"{name}: {problem}", largest)
    return Check("equal", f"{len(names)} outputs on random feeds", largest)


def _differs(old: np.ndarray, new: np.ndarray, tolerance: float | None) -> tuple[str, float]:
    """Return what is wrong, or "", and the largest difference."""
    if old.shape != new.shape:
        return f"shape {list(new.shape)}, was {list(old.shape)}", 0.0
    if old.dtype == object and not all(isinstance(item, (bytes, str)) for item in old.ravel().tolist()):
        return "", 0.0  # handles and the like are of one session
    if old.dtype.kind in "OSUbV" or new.dtype.kind in "OSUbV":
        return ("" if old.tolist() == new.tolist() else "other values"), 0.0
    allowed = tolerance if tolerance is not None else TOLERANCE.get(new.dtype.name, 0.0)
    kind = np.complex128 if old.dtype.kind == "c" else np.float64
    a, b = old.astype(kind), new.astype(kind)
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return "NaN in other places", 0.0
    with np.errstate(invalid="ignore"):
        gaps = np.abs(a - b)
    gaps = np.where((a == b) | np.isnan(a), 0.0, gaps)
    largest = float(gaps.max(initial=0.0))
    scale = float(np.abs(a[np.isfinite(a)]).max(initial=0.0))
    return ("" if largest <= allowed * max(scale, 1.0) else f"differs by {largest:.3g}"), largest
