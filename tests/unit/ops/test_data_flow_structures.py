"""Tensor lists, arrays, maps, stacks and what else lives in variants: sizes that nothing can hold, sharing, handles of
old graphs, tensors that a session keeps, locks, and variants written and read, damaged too."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors
from icefloe.graph.build import apply_op as op
from icefloe.graph.graph import Graph
from icefloe.resources.tensor_list import TensorList
from icefloe.session import Config, Session

HUGE = 2**31 - 1
ANY = np.int32(-1)
REFUSALS = (errors.InvalidArgumentError, errors.ResourceExhaustedError)


@pytest.fixture(autouse=True)
def graph() -> Any:
    with Graph().as_default() as made:
        yield made


def i32(value: Any) -> Any:
    """Return an int32 whose value is not known when the graph is built."""
    return op("PlaceholderWithDefault", np.array(value, np.int32), shape=None)


def i64(value: Any) -> Any:
    return op("PlaceholderWithDefault", np.array(value, np.int64), shape=None)


def f32(value: Any) -> Any:
    return op("PlaceholderWithDefault", np.array(value, np.float32), shape=None)


def run(fetches: Any, **feeds: Any) -> Any:
    with Session(graph=tf.get_default_graph()) as session:
        return session.run(fetches, **feeds)


def plain(value: Any) -> Any:
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else np.asarray(value).tolist()


def reserve(size: int, shape: Any = ()) -> Any:
    return op("TensorListReserve", np.array(shape, np.int32), i32(size), element_dtype=tf.float32)


def length(handle: Any) -> Any:
    return op("TensorListLength", handle)


def stack(handle: Any) -> Any:
    return op("TensorListStack", handle, ANY, element_dtype=tf.float32)


# Lists


@pytest.mark.parametrize(
    "make",
    [
        lambda: reserve(HUGE),
        lambda: op("TensorListResize", reserve(2), i32(HUGE)),
        lambda: op("ZerosLike", reserve(HUGE)),
        lambda: op("AddN", [reserve(HUGE), reserve(HUGE)]),
        lambda: op("TensorListScatterV2", f32([1]), i32([0]), np.zeros(0, np.int32), i32(HUGE)),
        lambda: op("TensorListScatterIntoExistingList", reserve(2), f32([1]), i32([HUGE - 1])),
        lambda: op("TensorListSetItem", reserve(2), i32(HUGE - 1), np.float32(1), resize_if_index_out_of_bounds=True),
    ],
)
def test_a_list_of_billions_costs_what_is_set_in_it(make: Callable[[], Any]) -> None:
    assert run(length(make())) == HUGE


@pytest.mark.parametrize(
    "make",
    [
        lambda: stack(reserve(HUGE, [1024])),
        lambda: stack(reserve(3, [HUGE, HUGE])),
        lambda: op("TensorListGetItem", reserve(3, [HUGE, HUGE]), i32(0), ANY, element_dtype=tf.float32),
        lambda: op("TensorListGather", reserve(3, [HUGE, HUGE]), i32([0]), ANY, element_dtype=tf.float32),
        lambda: op("TensorListConcatV2", reserve(HUGE, [1]), ANY, i64([]), element_dtype=tf.float32)[0],
        lambda: op("TensorListConcatV2", reserve(2, [-1]), ANY, i64([2**62, 2**62]), element_dtype=tf.float32)[0],
        lambda: op("TensorListConcatV2", reserve(2, [-1]), ANY, i64([-1, 5]), element_dtype=tf.float32)[0],
        lambda: length(op("TensorListConcatLists", reserve(HUGE), reserve(HUGE), element_dtype=tf.float32)),
        lambda: length(op("TensorListPushBack", reserve(HUGE), np.float32(1))),
        lambda: length(op("TensorListSplit", f32([1]), i32([-1]), i64([-(2**63), 2**63 - 1]))),
        lambda: length(op("TensorListSplit", f32([1]), i32([-1]), i64([2**62, 2**62]))),
        lambda: length(op("TensorListScatterIntoExistingList", reserve(2), f32([1]), i32([-1]))),
        lambda: op("SerializeTensor", reserve(HUGE)),
    ],
)
def test_lists_refuse_what_no_memory_holds(make: Callable[[], Any]) -> None:
    with pytest.raises(REFUSALS):
        run(make())


def test_room_between_scattered_items_is_zeros() -> None:
    rows = op("TensorListFromTensor", f32([[1, 2]]), i32([2]))
    more = op("TensorListScatterIntoExistingList", rows, f32([[7, 8], [9, 10]]), i32([0, 2]))
    assert run(stack(more)).tolist() == [[7, 8], [0, 0], [9, 10]]


def test_setting_an_item_shares_the_rest_with_the_list_it_was() -> None:
    rows = op("TensorListFromTensor", f32(np.arange(5000)), np.zeros(0, np.int32))
    changed = op("TensorListSetItem", rows, i32(2500), np.float32(-1))
    old, new = run([rows, changed])
    assert isinstance(old, TensorList)
    apart = {id(node) for node in new.items._root} - {id(node) for node in old.items._root}
    assert len(apart) == 1
    assert old.items[2500] == 2500
    assert new.items[2500] == -1


@pytest.mark.parametrize("resource", [True, False])
@pytest.mark.parametrize("engine", ["interpret", "codegen", "general"])
def test_what_was_read_of_a_variable_stays_as_it_was(engine: str, resource: bool, graph: Graph) -> None:
    variable = tf.Variable([1.0, 2.0], use_resource=resource)
    value = variable.read_value() if resource else variable._ref()
    kept = op("TensorListPushBack", op("EmptyTensorList", ANY, np.int32(-1), element_dtype=tf.float32), value)
    handle, flow = array()
    flow = op("TensorArrayWriteV3", handle, i32(0), value, flow)
    pushed = op("StackV2", i32(-1), elem_type=tf.float32)
    with graph.control_dependencies([kept.op, flow.op, op("StackPushV2", pushed, value).op]):
        add = variable.assign_add([10.0, 10.0]).op
    with graph.control_dependencies([add]):
        found = [
            stack(kept),
            op("TensorArrayReadV3", handle, i32(0), flow, dtype=tf.float32),
            op("StackPopV2", pushed, elem_type=tf.float32),
        ]
    with Session(graph=graph, config=Config(engine=engine)) as session:
        session.run(tf.global_variables_initializer())
        assert plain(session.run(found)) == [[[1, 2]], [1, 2], [1, 2]]
        assert plain(session.run(variable.value())) == [11, 12]


# Arrays


def array(size: int = 3, dtype: Any = tf.float32, **attrs: Any) -> tuple[Any, Any]:
    return op("TensorArrayV3", i32(size), dtype=dtype, **attrs)


def test_an_array_of_billions_costs_what_is_written_to_it() -> None:
    handle, flow = array(HUGE, element_shape=[])
    flow = op("TensorArrayWriteV3", handle, i32(HUGE - 1), np.float32(1), flow)
    read = [op("TensorArrayReadV3", handle, i32(i), flow, dtype=tf.float32) for i in (HUGE - 1, 5)]
    assert run([op("TensorArraySizeV3", handle, flow), *read]) == [HUGE, 1, 0]


@pytest.mark.parametrize(
    "make",
    [
        lambda h, f: op("TensorArrayReadV3", h, i32(0), f, dtype=tf.float32),
        lambda h, f: op("TensorArrayGatherV3", h, i32([0, 1]), f, dtype=tf.float32),
        lambda h, f: op("TensorArrayConcatV3", h, f, dtype=tf.float32)[0],
        lambda h, f: op("TensorArrayGradWithShape", h, f, i32([-1]), source="g")[1],
        lambda h, f: op("TensorArraySplitV3", h, f32([1, 2, 3]), i64([4, -1, 0]), f),
        lambda h, f: op("TensorArraySplitV3", h, f32([1, 2, 3]), i64([2**62, 2**62, 2**63 - 1]), f),
    ],
)
def test_arrays_refuse_what_no_memory_holds(make: Callable[..., Any]) -> None:
    with pytest.raises(REFUSALS):
        run(make(*array(element_shape=[HUGE, HUGE])))


def old_graph() -> None:
    """Let the graph count as one of a TensorFlow that still had the ops that are gone."""
    graph = tf.GraphDef()
    graph.versions.producer = 8
    tf.import_graph_def(graph)


@pytest.mark.parametrize("engine", ["interpret", "codegen", "general"])
@pytest.mark.parametrize("v", ["", "V2"])
def test_arrays_of_old_graphs(v: str, engine: str, graph: Graph) -> None:
    old_graph()

    def call(name: str, *inputs: Any, **attrs: Any) -> Any:
        return op(f"TensorArray{name}{v}", *inputs, **attrs)

    made = op(f"TensorArray{v}", i32(3), dtype=tf.float32, clear_after_read=False)
    flow = np.float32(0)
    for i in range(3):
        flow = call("Write", made, i32(i), f32([2 * i + 1, 2 * i + 2]), flow)
    read = call("Read", made, i32(1), flow, dtype=tf.float32)
    gathered = call("Gather", made, i32([2, 0]), flow, dtype=tf.float32)
    size = call("Size", made, flow)
    joined, lengths = call("Concat", made, flow, dtype=tf.float32)
    gradient = call("Grad", made, flow, source="g")
    written = call("Write", gradient, i32(0), f32([1, 2]), flow)
    written = call("Write", gradient, i32(0), f32([10, 20]), written)
    summed = call("Read", gradient, i32(0), written, dtype=tf.float32)
    two = op(f"TensorArray{v}", i32(2), dtype=tf.float32)
    cut = call("Concat", two, call("Split", two, f32([1, 2, 3]), i64([1, 2]), np.float32(0)), dtype=tf.float32)[0]
    fetches = [read, gathered, size, joined, lengths, summed, cut]
    wanted: list[Any] = [[3, 4], [[5, 6], [1, 2]], 3, [1, 2, 3, 4, 5, 6], [2, 2, 2], [11, 22], [1, 2, 3]]
    if not v:
        other = op("TensorArray", i32(2), dtype=tf.float32)
        unpacked = op("TensorArrayUnpack", other, f32([[1], [2]]), np.float32(0))
        fetches.append(op("TensorArrayPack", other, unpacked, dtype=tf.float32))
        wanted.append([[1], [2]])
    with graph.control_dependencies([t.op for t in fetches]):
        end = call("Close", made)
    with Session(graph=graph, config=Config(engine=engine)) as session:
        assert [v.tolist() for v in session.run([*fetches, end])[:-1]] == wanted


# Stacks


@pytest.mark.parametrize("v", ["", "V2"])
def test_stacks(v: str, graph: Graph) -> None:
    size = [i32(2)] if v else []
    made = op(f"Stack{v}", *size, elem_type=tf.float32)
    push = op(f"StackPush{v}", made, f32(3))
    with graph.control_dependencies([push.op]):
        pop = op(f"StackPop{v}", made, elem_type=tf.float32)
    with graph.control_dependencies([pop.op]):
        end = op(f"StackClose{v}", made)
    with graph.control_dependencies([end]):
        late = op(f"StackPop{v}", made, elem_type=tf.float32)
    assert run([push, pop, end])[:2] == [3, 3]
    with pytest.raises(errors.InvalidArgumentError, match=r"Stack\[Stack.*\] has already been closed"):
        run(late)


def test_a_full_stack_refuses_more(graph: Graph) -> None:
    made = op("StackV2", i32(1), elem_type=tf.float32)
    first = op("StackPushV2", made, f32(1))
    with graph.control_dependencies([first.op]):
        second = op("StackPushV2", made, f32(2))
    with pytest.raises(errors.InvalidArgumentError, match=r"overflowed its max_size \(1\)"):
        run(second)


def test_a_stack_refuses_another_dtype() -> None:
    made = op("StackV2", i32(-1), elem_type=tf.float32)
    with pytest.raises(errors.InvalidArgumentError, match="Must have type float but got int32"):
        run(op("StackPushV2", made, i32(1)))


# Tensors that a session keeps


def test_a_kept_tensor_is_found_until_it_is_deleted(graph: Graph) -> None:
    x = tf.placeholder(tf.float32)
    keep = op("GetSessionHandle", x)
    name = tf.placeholder(tf.string)
    find = op("GetSessionTensor", name, dtype=tf.float32)
    drop = op("DeleteSessionTensor", name)
    given = np.ones(2, np.float32)
    with Session(graph=graph) as session:
        first, second = [session.run(keep, {x: value}).get_raw_handle() for value in (given, np.float32(7))]
        given[:] = 5
        assert first != second
        assert session.run(find, {name: first}).tolist() == [1, 1]
        assert session.run(find, {name: second}) == 7
        session.run(drop, {name: first})
        for gone in (first, "none"):
            with pytest.raises(errors.InvalidArgumentError, match="is not in the session store"):
                session.run(find, {name: gone})
        assert session.run(find, {name: second}) == 7
        with Session(graph=graph) as other, pytest.raises(errors.InvalidArgumentError):
            other.run(find, {name: second})


# Locks


def test_a_lock_keeps_steps_apart(graph: Graph) -> None:
    """Steps add 1 to a plain number through Python, with a pause in which another could spoil it."""
    count = 0

    def add() -> np.ndarray:
        nonlocal count
        before = count
        pause.wait(0.002)
        count = before + 1
        return np.array(count)

    pause = threading.Event()
    lock = op("MutexLock", op("MutexV2", shared_name="m"))
    with graph.control_dependencies([lock.op]):
        added = tf.py_func(add, [], tf.int64)
    with graph.control_dependencies([added.op]):
        done = op("ConsumeMutexLock", lock)
    failed: list[BaseException] = []

    def work(session: Session) -> None:
        try:
            for _ in range(5):
                session.run([added, done])
        except BaseException as error:
            failed.append(error)

    with Session(graph=graph) as session:
        threads = [threading.Thread(target=work, args=[session]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert not failed
    assert count == 20


def test_a_lock_ends_with_its_run() -> None:
    lock = op("MutexLock", op("MutexV2", shared_name="m"))
    with Session(graph=tf.get_default_graph()) as session:
        for _ in range(3):
            session.run(lock.op)


# Variants, written and read


def variants() -> dict[str, tuple[Any, Callable[[Any], Any]]]:
    """Return variants, and what reads them again."""

    def value(v: Any) -> Any:
        return op("OptionalGetValue", v, output_types=[tf.float32, tf.string], output_shapes=[None, None])

    words = op("PlaceholderWithDefault", np.array([b"a", b""], object), shape=None)
    unset = op("TensorListSetItem", reserve(4, [2]), i32(2), f32([5, 6]))
    filled = op("TensorMapInsert", op("EmptyTensorMap"), words, f32([[1]]))
    nested = op("EmptyTensorList", ANY, np.int32(-1), element_dtype=tf.variant)
    ragged = op("RaggedTensorToVariant", [i64([0, 1, 3])], f32([1, 2, 3]), batched_input=True)
    return {
        "list": (unset, stack),
        "words": (
            op("TensorListFromTensor", words, ANY),
            lambda v: op("TensorListStack", v, ANY, element_dtype=tf.string),
        ),
        "map": (filled, lambda v: op("TensorMapLookup", v, words, value_dtype=tf.float32)),
        "optional": (op("OptionalFromValue", [f32([1, 2]), words]), value),
        "none": (op("OptionalNone"), lambda v: op("OptionalHasValue", v)),
        "nested": (
            op("TensorListPushBack", nested, unset),
            lambda v: stack(op("TensorListGetItem", v, i32(0), ANY, element_dtype=tf.variant)),
        ),
        "ragged": (
            ragged,
            lambda v: op(
                "RaggedTensorFromVariant",
                v,
                input_ragged_rank=0,
                output_ragged_rank=1,
                Tvalues=tf.float32,
                Tsplits=tf.int64,
            ),
        ),
    }


KINDS = ["list", "words", "map", "optional", "none", "nested", "ragged"]


@pytest.mark.parametrize("kind", KINDS)
def test_variants_survive_being_written(kind: str) -> None:
    variant, read = variants()[kind]
    copy = op("ParseTensor", op("SerializeTensor", variant), out_type=tf.variant)
    got, wanted = run([tf.nest.flatten(read(copy)), tf.nest.flatten(read(variant))])
    assert plain(got) == plain(wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_variants_survive_a_checkpoint(kind: str, tmp_path: Any) -> None:
    variant, read = variants()[kind]
    prefix = str(tmp_path / "model")
    save = op("SaveV2", prefix, ["v"], [""], [variant])
    restored = op("RestoreV2", prefix, ["v"], [""], dtypes=[tf.variant])[0]
    again = tf.nest.flatten(read(restored))
    with Session(graph=tf.get_default_graph()) as session:
        wanted = session.run(tf.nest.flatten(read(variant)))
        session.run(save)
        assert plain(session.run(again)) == plain(wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_variants_are_read_or_refused(kind: str) -> None:
    variant, read = variants()[kind]
    written = bytes(run(op("SerializeTensor", variant)))
    data = tf.placeholder(tf.string, [])
    again = tf.nest.flatten(read(op("ParseTensor", data, out_type=tf.variant)))
    choose = random.Random(kind)
    damaged = [written[:end] for end in range(0, len(written), 3)]
    for _ in range(300):
        changed = bytearray(written)
        for _ in range(choose.randrange(1, 4)):
            changed[choose.randrange(len(changed))] = choose.choice([0, 1, 0x7F, 0x80, 0xFF, choose.randrange(256)])
        damaged.append(bytes(changed))
    refused = 0
    with Session(graph=tf.get_default_graph()) as session:
        for text in damaged:
            try:
                session.run(again, {data: text})
            except (errors.InvalidArgumentError, errors.ResourceExhaustedError, errors.DataLossError):
                refused += 1
    assert refused > 20
