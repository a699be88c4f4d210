"""Does a changed graph still give what the old one gave? Both are run on the same random feeds."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from icefloe import errors, opdefs
from icefloe.graph.graph import Graph
from icefloe.graph.graph_file import read_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.proto import GraphDef, RunOptions
from icefloe.session import Session
from icefloe.transforms.node_edits import attr_of, node_of
from icefloe.transforms.reports import Check, first_line

# Two computations of the same in another order differ by rounding; relative to the largest element of an output.
TOLERANCE = {"float16": 2e-2, "bfloat16": 5e-2, "float32": 1e-4, "float64": 1e-9, "complex64": 1e-4}
_UNKNOWN_SIZES = (2, 1, 3, 4, 16, 80)
_LARGE = 8  # from here on sizes are of images: the batch stays small
_RANKS = (2, 4, 1, 0, 3)
_MOST_ELEMENTS = 1 << 24
# What waits for records, and what brings some.
_WAITS = re.compile(r"QueueDequeue|ReaderRead|(Ordered)?(Map)?Unstage|BarrierTakeMany")
_FILLS = re.compile(r"QueueEnqueue|(Ordered)?(Map)?Stage$|BarrierInsertMany")
# Random values may also make a loop run on, and a graph may wait for what never comes.
RUN_OPTIONS = RunOptions(timeout_in_ms=30_000)


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
    if problem := hindrance(before.graph, outputs, inputs):
        return Check("not checked", problem)
    renamed = names or {}
    fed = {name: _more_known(before.graph, name, graph, renamed.get(name, name)) for name in inputs}
    is_known = all(tensor.shape.is_fully_defined() for tensor in fed.values())
    unknown_sizes = _UNKNOWN_SIZES[:1] if is_known else _UNKNOWN_SIZES
    rng = np.random.default_rng(seed)
    problem = "no feed suits the graph"
    for unknown in unknown_sizes:
        for rank in _RANKS:
            try:
                feeds = {name: random_feed(tensor, rng, unknown, rank) for name, tensor in fed.items()}
                expected = before.run(list(outputs), feeds, options=RUN_OPTIONS)
            except errors.DeadlineExceededError as error:
                return Check("not checked", f"the graph runs for too long: {first_line(error)}")
            except (errors.OpError, ValueError, TypeError, KeyError) as error:
                problem = first_line(error)
                if all(tensor.shape.rank is not None for tensor in fed.values()):
                    break
                continue
            return _compare(graph, feeds, outputs, expected, renamed, initialize, tolerance, prepare)
    return Check("not checked", f"the graph does not run on random values: {problem}")


def hindrance(graph: Graph, outputs: Sequence[str], inputs: Sequence[str] = ()) -> str:
    """Return why outputs cannot be compared: random numbers without seeds, or records that nobody gives here; or ""."""
    waiting = [graph._by_name[node_of(name)] for name in outputs]
    seen = set(waiting)
    fed = set(inputs)
    waits: Operation | None = None
    fills = False
    while waiting:
        op = waiting.pop()
        node = op.node_def
        definition = opdefs.find(op.type)
        if definition is not None and definition.is_stateful and any(a.name == "seed2" for a in definition.attr):
            if not attr_of(node, "seed").i and not attr_of(node, "seed2").i:
                return f"the graph draws other numbers in each session: {op.name}"
        if _WAITS.match(op.type):
            waits = waits or op
        fills = fills or bool(_FILLS.match(op.type))
        for other in (*(tensor.op for tensor in op.inputs if tensor.name not in fed), *op.control_inputs):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    if waits is not None and not fills:
        return f"the graph would wait for what {waits.name} ({waits.type}) takes: give it as an input"
    return ""


def _more_known(old: Graph, name: str, new: Graph, new_name: str) -> Tensor:
    """Return the tensor of one of two graphs whose static shape says more: a program may have set it."""
    first = old.get_tensor_by_name(name)
    if new_name.partition(":")[0] not in new._by_name:
        return first
    second = new.get_tensor_by_name(new_name)
    return second if first.shape.rank is None and second.shape.rank is not None else first


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
            found = session.run([names.get(name, name) for name in outputs], given, options=RUN_OPTIONS)
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
