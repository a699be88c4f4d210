"""The part each node plays in a graph: the model itself, or its training, saving, watching and starting.

A graph that a training script wrote has a thousand nodes that nobody uses: updates, summaries, the nodes of a Saver.
What is left without them ends in the results of the model.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from icefloe import errors, opdefs
from icefloe.graph.graph import Graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor

MODEL = "model"
GRADIENT = "gradient"
UPDATE = "update"
SAVER = "saver"
SUMMARY = "summary"
CHECK = "check"
INITIAL = "initial value"
QUEUE = "queue"
STATE = "state"


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


PLACEHOLDERS = frozenset(("Placeholder", "PlaceholderV2", "PlaceholderWithDefault"))
# They bring examples into the graph.
SOURCES = _names(
    """
    IteratorGetNext IteratorGetNextSync QueueDequeue QueueDequeueV2 QueueDequeueMany QueueDequeueManyV2
    QueueDequeueUpTo QueueDequeueUpToV2 ReaderRead ReaderReadV2 ReaderReadUpTo ReaderReadUpToV2 Unstage _Arg Arg
    """
)
VARIABLES = frozenset(("Variable", "VariableV2", "VarHandleOp"))
LOSSES = frozenset(("SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits", "CTCLoss", "CTCLossV2"))

_SAVES = _names("SaveV2 SaveSlices Save RestoreV2 RestoreSlice Restore MergeV2Checkpoints ShardedFilename")
# Print and CheckNumerics hand a value on: they are part of what uses them.
_CHECKS = frozenset(("Assert", "PrintV2", "Abort"))
_QUEUES = re.compile(
    r"Queue(Enqueue|Close|Size)|Stage$|.*DatasetV?\d?$|MakeIterator|Iterator(V2)?$|OneShotIterator"
    r"|IteratorToStringHandle|.*Reader(V2)?$|(FIFO|Padding|Priority|RandomShuffle)Queue"
)
_SUMMARIES = re.compile(r".*Summary(V2)?$|Write\w*Summary|\w*SummaryWriter\w*$|HistogramSummary|MergeSummary")
_UPDATES = re.compile(
    r"Assign|Resource(Sparse)?Apply|(Sparse)?Apply|Resource?Scatter|Scatter(Nd)?(Update|Add|Sub|Mul|Div|Min|Max)$"
    r"|ResourceStridedSliceAssign|StridedSliceAssign|\w*CountUpTo$|InitializeTable|LookupTable(Insert|Import|Remove)"
    r"|AccumulatorApplyGradient|DestroyResourceOp|DestroyTemporaryVariable"
)
_CHECK_SCOPE = re.compile(r"(^|/)(Assert(_\d+)?/AssertGuard|assert_\w+)/")
_GRADIENT_SCOPE = re.compile(r"(^|/)gradients(_\d+)?/")
# Scopes in which averages and optimizers keep what they compute.
_UPDATE_SCOPE = re.compile(
    r"(^|/)(AssignMovingAvg(_\d+)?|ExponentialMovingAverage(_\d+)?|train_op|report_uninitialized\w*)/"
)
# A node of one of these kinds is a result even where only training uses it.
RESULT_TYPES = _names(
    """
    Softmax LogSoftmax Sigmoid ArgMax TopK TopKV2 NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3
    NonMaxSuppressionV4 NonMaxSuppressionV5 CombinedNonMaxSuppression CTCGreedyDecoder CTCBeamSearchDecoder
    """
)
_RESULT_NAME = re.compile(
    r"(?i)(^|/|_)(logits?|softmax|predictions?|predict|probs?|probabilit(y|ies)|outputs?|final_result|scores?|embeddings?"
    r"|detection_\w+|classes|result|generated?|decoded|y_?(hat|pred))(_?\d+)?$"
)


def outputs(op: Operation) -> Sequence[Tensor]:
    """Return the outputs of a node; none where an attr that says their types is missing."""
    try:
        return op.outputs
    except errors.OpError:
        return ()


def knows_outputs(op: Operation) -> bool:
    """Whether the op table, or the function it calls, and the attrs of a node say which outputs it has."""
    try:
        return op.signature is not None and op.outputs is not None
    except errors.OpError:
        return False


def has_result_name(op: Operation) -> bool:
    """Whether the name of a node, or the scope it ends, says that it is a result."""
    return bool(_RESULT_NAME.search(op.name))


def is_result_like(op: Operation) -> bool:
    """Whether people take such a node for a result, whoever else uses it."""
    return op.type in RESULT_TYPES or has_result_name(op)


def consumers(graph: Graph) -> list[list[Operation]]:
    """Return for each node, by its id, those that take one of its outputs."""
    found: list[list[Operation]] = [[] for _ in range(graph.node_count)]
    for op in graph.get_operations():
        for tensor in op.inputs:
            found[tensor.op._id].append(op)
    return found


def roles(graph: Graph, used_by: list[list[Operation]]) -> list[str]:
    """Return the role of each node, by its id."""
    operations = graph.get_operations()
    found = [_own_role(op) for op in operations]
    _saver_scopes(operations, found)
    _follow_gradients(operations, used_by, found)
    _absorb(operations, used_by, found)
    return found


def _own_role(op: Operation) -> str:
    kind = op.type
    if kind in VARIABLES or kind in ("VarIsInitializedOp", "IsVariableInitialized"):
        return STATE
    if kind in _SAVES:
        return SAVER
    if kind in _CHECKS or _CHECK_SCOPE.search(op.name):
        return CHECK
    if _SUMMARIES.match(kind):
        return SUMMARY
    if _UPDATES.match(kind) or _UPDATE_SCOPE.search(op.name):
        return UPDATE
    if _GRADIENT_SCOPE.search(op.name) or (kind.endswith("Grad") and kind not in RESULT_TYPES):
        return GRADIENT
    if _QUEUES.match(kind) and kind not in SOURCES:
        return QUEUE
    if kind == "NoOp" or not _has_outputs(op):
        return UPDATE
    return MODEL


def _has_outputs(op: Operation) -> bool:
    try:
        return bool(opdefs.signature(op.type).outputs)
    except errors.NotFoundError:
        return True


def _saver_scopes(operations: list[Operation], found: list[str]) -> None:
    """Give the nodes around those that save and restore the same role: file names, assignments, control."""
    scopes = tuple(
        {
            op.name.rpartition("/")[0] + "/"
            for op in operations
            if op.type in ("SaveV2", "SaveSlices", "RestoreV2", "RestoreSlice") and "/" in op.name
        }
    )
    if not scopes:
        return
    for op in operations:
        if op.name.startswith(scopes) and op.type not in VARIABLES:
            found[op._id] = SAVER


def _follow_gradients(operations: list[Operation], used_by: list[list[Operation]], found: list[str]) -> None:
    """Let what is computed from gradients be part of them: clipping, averaging, norms."""
    waiting = [op for op in operations if found[op._id] == GRADIENT]
    while waiting:
        for after in used_by[waiting.pop()._id]:
            if found[after._id] == MODEL:
                found[after._id] = GRADIENT
                waiting.append(after)


# Of several kinds of users, the first of these says what a node is for.
_STRONGER = (QUEUE, UPDATE, CHECK, SAVER, SUMMARY, GRADIENT)


def _absorb(operations: list[Operation], used_by: list[list[Operation]], found: list[str]) -> None:
    """Let nodes that only such nodes use belong to them, back to a node that is a result by its kind or name.

    What only gradients and summaries use may be a loss, or a result that is watched: of what an example reaches they
    take in nothing.
    """
    fed = depends_on_input(operations)
    waiting = list(operations)
    while waiting:
        op = waiting.pop()
        users = used_by[op._id]
        if found[op._id] != MODEL or not users or op.type in PLACEHOLDERS or op.type in SOURCES:
            continue
        kinds = {found[user._id] for user in users}
        if kinds & {MODEL, STATE}:
            continue
        if not fed[op._id]:
            found[op._id] = INITIAL if kinds <= {UPDATE, INITIAL} else next(k for k in _STRONGER if k in kinds)
        elif not kinds & {GRADIENT, SUMMARY} and not is_result_like(op):
            found[op._id] = next((k for k in _STRONGER if k in kinds), INITIAL)
        if found[op._id] != MODEL:
            waiting += [tensor.op for tensor in op.inputs]


def depends_on_input(operations: list[Operation], sources: Collection[Operation] | None = None) -> list[bool]:
    """Return for each node, by its id, whether one of `sources` reaches it.

    sources: by default placeholders and what reads queues and iterators.
    """
    chosen = None if sources is None else set(sources)
    found = [False] * len(operations)
    followers: dict[int, list[int]] = {}
    waiting = []
    for op in operations:
        if op in chosen if chosen is not None else op.type in PLACEHOLDERS or op.type in SOURCES:
            found[op._id] = True
            waiting.append(op._id)
        for tensor in op.inputs:
            followers.setdefault(tensor.op._id, []).append(op._id)
    while waiting:
        for after in followers.get(waiting.pop(), ()):
            if not found[after]:
                found[after] = True
                waiting.append(after)
    return found


def inside_loops(operations: list[Operation]) -> set[int]:
    """Return the ids of nodes that are computed each time a loop turns: between its Enter and Exit nodes."""
    followers: dict[int, list[Operation]] = {}
    waiting = [op for op in operations if op.type in ("Enter", "RefEnter")]
    if not waiting:
        return set()
    for op in operations:
        for tensor in op.inputs:
            followers.setdefault(tensor.op._id, []).append(op)
    found = {op._id for op in waiting}
    while waiting:
        for after in followers.get(waiting.pop()._id, ()):
            if after._id not in found and after.type not in ("Exit", "RefExit"):
                found.add(after._id)
                waiting.append(after)
    return found


def ancestors(starts: Iterable[Operation]) -> set[int]:
    """Return the ids of all nodes that `starts` take data from, themselves included."""
    waiting = list(starts)
    seen = {op._id for op in waiting}
    while waiting:
        for tensor in waiting.pop().inputs:
            if tensor.op._id not in seen:
                seen.add(tensor.op._id)
                waiting.append(tensor.op)
    return seen
