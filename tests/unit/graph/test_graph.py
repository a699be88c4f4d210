"""What a Graph tells of itself, and what happens to nodes that are changed."""

from __future__ import annotations

import copy
import pickle
import threading

import pytest

from icefloe import datatypes, errors
from icefloe.graph.build import apply_op
from icefloe.graph.collections import (
    GraphKeys,
    get_collection_proto_type,
    get_from_proto_function,
    get_to_proto_function,
    register_proto_function,
)
from icefloe.graph.conversion import constant, convert_to_tensor, register_tensor_conversion_function
from icefloe.graph.default_graph import get_collection, name_scope
from icefloe.graph.device_spec import DeviceSpec, canonical_name, merge_device
from icefloe.graph.graph import Graph, get_default_graph, has_default_graph, reset_default_graph
from icefloe.graph.graph_file import graph_from_bytes
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor, disable_tensor_equality, enable_tensor_equality
from icefloe.proto import AttrValue, FunctionDef, NodeDef


@pytest.fixture
def graph():
    with Graph().as_default() as made:
        yield made


def placeholder(name: str = "x", dtype: str = "float32") -> Tensor:
    return apply_op("Placeholder", dtype=dtype, shape=[2], name=name)


def test_ids_count_up_from_zero(graph: Graph) -> None:
    ops = [placeholder(n).op for n in "abc"]
    assert [op._id for op in ops] == [0, 1, 2]
    assert [graph.operation_by_id(i) for i in range(3)] == ops
    assert (graph.node_count, graph.version, graph.num_operations) == (3, 3, 3)


def test_adding_is_no_mutation_and_changing_is(graph: Graph) -> None:
    x, y = placeholder("x"), placeholder("y")
    with graph.control_dependencies([x]), graph.device("/cpu:0"), graph.colocate_with(y):
        z = apply_op("Identity", x, name="z")
    assert graph.mutations == 0
    changes = [
        lambda: z.op._update_input(0, y),
        lambda: z.op._add_control_input(y.op),
        lambda: z.op._remove_all_control_inputs(),
        lambda: z.op._set_attr("_other", AttrValue(i=1)),
        lambda: z.op._clear_attr("_other"),
    ]
    for i, change in enumerate(changes, start=1):
        change()
        assert graph.mutations == i
    z.op._add_control_inputs([])
    z.op._clear_attr("_other")
    assert graph.mutations == len(changes)


def test_consumers_follow_changes(graph: Graph) -> None:
    x, y = placeholder("x"), placeholder("y")
    a = apply_op("AddV2", x, x, name="a")
    with graph.control_dependencies([y]):
        b = apply_op("Neg", a, name="b")
    assert x.consumers() == [a.op, a.op]
    assert y.op._control_outputs == [b.op]
    a.op._update_input(1, y)
    assert y.consumers() == [a.op]
    c = apply_op("Abs", x, name="c")
    assert x.consumers() == [a.op, c.op]
    assert [t.name for t in a.op.inputs] == ["x:0", "y:0"]


def test_a_node_is_made_from_its_node_def(graph: Graph) -> None:
    x, y = placeholder("x"), placeholder("y")
    node = NodeDef(name="sum", op="AddN", device="/cpu:0")
    op = Operation.from_node_def(node, graph, inputs=[x, y], control_inputs=[y])
    assert (op.kernel_attr("N"), op.kernel_attr("T")) == (2, datatypes.float32)
    assert list(op.node_def.input) == ["x", "y", "^y"]
    assert op.device == "/cpu:0"
    assert graph.mutations == 0
    with pytest.raises(TypeError, match="Argument g must be a Graph"):
        Operation.from_node_def(node, None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Argument node_def must be a NodeDef"):
        Operation.from_node_def(None, graph)
    with pytest.raises(TypeError, match="Argument inputs shall be a list of Tensors"):
        Operation.from_node_def(node, graph, inputs=x)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Items of argument inputs shall be Tensor"):
        Operation.from_node_def(node, graph, inputs=[1])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="Control input must be an Operation, a Tensor, or IndexedSlices"):
        Operation.from_node_def(node, graph, inputs=[x], control_inputs=[1])
    with pytest.raises(TypeError, match="are not compatible with expected types"):
        Operation.from_node_def(node, graph, inputs=[x], input_types=[datatypes.int32])


def test_create_op_finds_out_the_attrs_that_inputs_tell(graph: Graph) -> None:
    x, n = placeholder("x"), placeholder("n", "int32")
    op = graph.create_op("IdentityN", [x, n], name="both")
    assert op.kernel_attr("T") == (datatypes.float32, datatypes.int32)
    assert graph.create_op("ConcatV2", [x, x, x, constant(0)]).kernel_attr("N") == 3
    with pytest.raises(ValueError, match="incompatible with expected float"):
        graph.create_op("AddV2", [x, n])
    with pytest.raises(ValueError, match="do not match 1 inputs specified"):
        graph.create_op("AddV2", [x])
    with pytest.raises(RuntimeError, match="Op type not registered 'Nope'"):
        graph.create_op("Nope", [])


def test_changing_an_input_is_checked(graph: Graph) -> None:
    x, n = placeholder("x"), placeholder("n", "int32")
    z = apply_op("Identity", x)
    with pytest.raises(errors.InvalidArgumentError, match="was passed int32 from n:0 incompatible with expected float"):
        z.op._update_input(0, n)
    with pytest.raises(errors.OutOfRangeError, match=r"Input index \[3\]"):
        z.op._update_input(3, x)
    with pytest.raises(errors.InvalidArgumentError, match=r"incompatible shapes: \[\] and \[2\]"):
        z.op._update_input(0, constant(1.0))
    with pytest.raises(TypeError, match="tensor must be a Tensor"):
        z.op._update_input(0, 3)
    with Graph().as_default():
        other = placeholder()
    with pytest.raises(ValueError, match="must be from the same graph"):
        z.op._update_input(0, other)
    with pytest.raises(ValueError, match="must be from the same graph"):
        z.op._add_control_input(other.op)


def test_a_loaded_node_changes_as_a_built_one_does(graph: Graph) -> None:
    apply_op("Identity", placeholder("x"), name="z")
    placeholder("y")
    loaded = graph_from_bytes(b"".join(graph.serialized()))
    z = loaded.get_operation_by_name("z")
    z._update_input(0, loaded.get_tensor_by_name("y:0"))
    z._set_attr("_mark", AttrValue(s=b"m"))
    z._add_control_input(loaded.get_operation_by_name("x"))
    node = next(n for n in loaded.as_graph_def().node if n.name == "z")
    assert list(node.input) == ["y", "^x"]
    assert node.attr["_mark"].s == b"m"
    assert loaded.mutations == 3
    assert [op.name for op in loaded.get_tensor_by_name("y:0").consumers()] == ["z"]


def test_attrs_as_tensorflow_and_as_kernels_see_them(graph: Graph) -> None:
    op = apply_op("MaxPool", placeholder_4d(), ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME").op
    assert op.get_attr("ksize") == [1, 2, 2, 1]
    assert op.get_attr("padding") == b"SAME"
    assert op.get_attr("T") == datatypes.float32
    assert op.get_attr("explicit_paddings") == []
    assert op.kernel_attr("ksize") == (1, 2, 2, 1)
    assert op.kernel_attr("padding") == "SAME"
    assert op.kernel_attr("explicit_paddings") == ()
    assert op.has_attr("T")
    assert not op.has_attr("U")
    with pytest.raises(errors.InvalidArgumentError, match="node 'MaxPool'.*attr 'U'"):
        op.kernel_attr("U")
    shape = apply_op("Placeholder", dtype="int32", shape=[None, 3]).op
    assert shape.kernel_attr("shape") == (None, 3)
    assert shape.get_attr("shape").dim[1].size == 3


def placeholder_4d() -> Tensor:
    return apply_op("Placeholder", dtype="float32", shape=[1, 4, 4, 1])


def test_an_op_knows_the_line_that_made_it(graph: Graph) -> None:
    y = placeholder() + 1.0
    (frame,) = y.op.traceback
    assert frame.filename == __file__
    assert frame.line == "y = placeholder() + 1.0"
    loaded = graph_from_bytes(b"".join(graph.serialized()))
    assert loaded.get_operation_by_name("x").traceback == []


def test_what_get_attr_gives_is_the_callers_own(graph: Graph) -> None:
    op = constant([1, 2]).op
    op.get_attr("value").int_val.append(3)
    op.node_def.attr["value"].tensor.int_val.append(3)
    assert not op.get_attr("value").int_val


def test_defaults_stand_in_for_attrs_a_loaded_node_lacks() -> None:
    loaded = graph_from_bytes(b"\x0a\x1a\x0a\x01p\x12\x0bPlaceholder\x2a\x08\x0a\x02_x\x12\x02\x18\x07")
    op = loaded.get_operation_by_name("p")
    assert op.kernel_attr("shape") is None
    assert op.get_attr("_x") == 7
    assert not op.has_attr("shape")
    with pytest.raises(errors.InvalidArgumentError, match="missing attr 'dtype'"):
        _ = op.outputs


def test_feeding_and_fetching_can_be_forbidden(graph: Graph) -> None:
    x = placeholder()
    assert graph.is_feedable(x)
    assert graph.is_fetchable(x)
    graph.prevent_feeding(x)
    graph.prevent_fetching(x.op)
    assert not graph.is_feedable(x)
    assert not graph.is_fetchable(x)
    assert not graph.is_fetchable(x.op)


def test_collections(graph: Graph) -> None:
    x = placeholder("scope/x")
    graph.add_to_collection("c", x)
    graph.add_to_collections(["c", "d"], 5)
    graph.add_to_collections("c", "text")
    assert get_collection("c") == [x, 5, "text"]
    assert graph.get_collection("c", scope="scope") == [x]
    assert graph.get_collection("c", scope="cope") == []
    assert graph.get_collection("none") == []
    graph.get_collection_ref("e").append(1)
    assert graph.get_collection("e") == [1]
    graph.add_to_collection(("key",), 1)
    assert sorted(graph.get_all_collection_keys()) == ["c", "d", "e"]
    graph.clear_collection("c")
    assert "c" not in graph.collections
    graph.finalize()
    with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified."):
        graph.add_to_collection("c", 1)
    assert GraphKeys.VARIABLES == GraphKeys.GLOBAL_VARIABLES == "variables"


def test_proto_functions_of_collections() -> None:
    register_proto_function("test_collection", AttrValue, to_proto=str, from_proto=int)
    assert get_collection_proto_type("test_collection") is AttrValue
    assert get_to_proto_function("test_collection") is str
    assert get_from_proto_function("test_collection") is int
    assert get_to_proto_function("none") is None
    with pytest.raises(KeyError, match="Registering two proto functions with name 'test_collection'!"):
        register_proto_function("test_collection")
    with pytest.raises(TypeError, match="to_proto must be callable"):
        register_proto_function("other", to_proto=3)  # type: ignore[arg-type]


def test_each_thread_has_a_default_graph_of_its_own() -> None:
    found = []
    thread = threading.Thread(target=lambda: found.append(get_default_graph()))
    thread.start()
    thread.join()
    assert found[0] is not get_default_graph()


def test_resetting_gives_a_new_global_graph() -> None:
    before = get_default_graph()
    assert get_default_graph() is before
    assert not has_default_graph()
    reset_default_graph()
    assert get_default_graph() is not before
    with before.as_default():
        assert has_default_graph()
        assert get_default_graph() is before


def test_a_scope_takes_the_graph_of_its_values(graph: Graph) -> None:
    x = placeholder()
    with Graph().as_default() as other, name_scope("s", values=[x]) as scope:
        assert get_default_graph() is graph
        assert scope == "s/"
    assert other.node_count == 0


def test_an_op_joins_the_graph_of_its_inputs(graph: Graph) -> None:
    x = placeholder()
    with Graph().as_default() as other:
        y = x + 1.0
    assert y.graph is graph
    assert other.node_count == 0


def test_equality_of_tensors_is_identity_in_a_graph(graph: Graph) -> None:
    x, y = placeholder("x"), placeholder("y")
    assert (x == x, x == y, x != y, x == None) == (True, False, True, False)  # noqa: E711
    assert {x: 1}[x] == 1
    assert x.ref() == x.ref() != y.ref()
    assert x.ref().deref() is x
    assert len({x.ref(), x.ref(), y.ref()}) == 2
    enable_tensor_equality()
    try:
        assert (x == y) is False
    finally:
        disable_tensor_equality()


def test_numpy_leaves_the_operation_to_the_tensor(graph: Graph) -> None:
    import numpy as np

    x = placeholder()
    assert (np.ones(2, np.float32) + x).op.type == "AddV2"
    assert (np.float32(2) * x).op.type == "Mul"
    assert (np.ones(2, np.float32) < x).op.type == "Greater"
    with pytest.raises(NotImplementedError, match="Cannot convert a symbolic"):
        np.asarray(x)
    with pytest.raises(AttributeError, match="numpy-related methods"):
        x.astype
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        x.nonsense


def test_parts_of_a_graph_are_not_pickled_alone(graph: Graph) -> None:
    x = placeholder()
    for part in (x, x.op):
        with pytest.raises(TypeError, match="belongs to its graph, which pickles as a whole"):
            pickle.dumps(part)
    assert copy.copy(x) is x


def test_a_function_of_the_library_is_an_op_like_others(graph: Graph) -> None:
    function = FunctionDef()
    function.signature.name = "twice"
    function.signature.input_arg.add(name="a", type=1)
    function.signature.output_arg.add(name="out", type=1)
    graph.add_function(function)
    y = apply_op("twice", 3.0)
    assert (y.dtype, y.op.type, y.op.inputs[0].op.name) == (datatypes.float32, "twice", "twice/a")
    assert graph.graph_def_versions.min_consumer == 12
    graph.add_function(function)
    other = FunctionDef()
    other.CopyFrom(function)
    other.signature.output_arg[0].type = 3
    with pytest.raises(ValueError, match="a different function with the same name already exists"):
        graph.add_function(other)


class Celsius:
    def __init__(self, degrees: float) -> None:
        self.degrees = degrees


def test_conversion_functions_are_tried_in_order_of_priority(graph: Graph) -> None:
    calls = []

    def late(value, dtype=None, name=None, as_ref=False):
        calls.append("late")
        return constant(value.degrees, dtype=dtype or "float32", name=name or "degrees")

    def early(value, dtype=None, name=None, as_ref=False):
        calls.append("early")
        return NotImplemented

    register_tensor_conversion_function(Celsius, late, 120)
    register_tensor_conversion_function(Celsius, early, 50)
    x = placeholder()
    y = apply_op("AddV2", x, Celsius(3.0), name="sum")
    assert calls == ["early", "late"]
    assert y.op.inputs[1].op.name == "sum/y"
    assert convert_to_tensor(Celsius(1), dtype="float64").dtype == datatypes.float64


def test_device_specs() -> None:
    spec = DeviceSpec.from_string("/job:w/replica:1/task:2/gpu:3")
    assert (spec.job, spec.replica, spec.task, spec.device_type, spec.device_index) == ("w", 1, 2, "GPU", 3)
    assert spec.to_string() == "/job:w/replica:1/task:2/device:GPU:3"
    assert canonical_name("/cpu:*") == "/device:CPU:*"
    assert canonical_name(None) == ""
    spec.merge_from(DeviceSpec(job="ps"))
    assert spec.job == "ps"
    assert spec.replace(task=None).task is None
    assert DeviceSpec(device_type="gpu").device_type == "GPU"
    assert spec.parse_from_string("/task:4") is spec
    assert spec.to_string() == "/task:4"
    with pytest.raises(ValueError, match="Multiple device types"):
        DeviceSpec.from_string("/cpu:0/gpu:0")


def test_threads_may_build_at_once(graph: Graph) -> None:
    def build(prefix: str) -> None:
        with graph.as_default(), graph.name_scope(prefix):
            for _ in range(200):
                constant(1.0)

    threads = [threading.Thread(target=build, args=(f"t{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert graph.node_count == 800
    assert [op._id for op in graph.get_operations()] == list(range(800))
    assert len({op.name for op in graph.get_operations()}) == 800


def test_threads_may_have_scopes_of_their_own(graph: Graph) -> None:
    """As in TensorFlow, a thread begins with the scopes that were open when the graph was told so."""
    opened, go_on = [threading.Event() for _ in range(3)], threading.Event()
    first = apply_op("NoOp", name="first")
    with graph.device("/job:w"):
        graph.switch_to_thread_local()
        graph.switch_to_thread_local()

    def build(i: int) -> None:
        with graph.device(f"/replica:{i}"), graph.control_dependencies([first]):
            opened[i].set()
            go_on.wait()
            with graph.as_default():
                apply_op("NoOp", name=f"op_{i}")

    threads = [threading.Thread(target=build, args=(i,)) for i in range(3)]
    for thread, event in zip(threads, opened):
        thread.start()
        event.wait()
    go_on.set()
    for thread in threads:
        thread.join()
    made = [graph.get_operation_by_name(f"op_{i}") for i in range(3)]
    assert [op.device for op in made] == [f"/job:w/replica:{i}" for i in range(3)]
    assert [op.control_inputs for op in made] == [[first]] * 3
    assert isinstance(graph, Graph)
    last = apply_op("NoOp")
    assert (last.device, last.control_inputs) == ("", [])


def test_a_name_may_be_bytes_and_a_merged_device_nothing(graph: Graph) -> None:
    with graph.device(merge_device(None)), graph.device(merge_device("/cpu:1")), graph.device(merge_device(None)):
        x = apply_op("NoOp", name=b"e")
    assert (x.name, x.device, merge_device(None).is_null_merge) == ("e", "/device:CPU:1", True)


@pytest.mark.slow
def test_a_chain_of_a_hundred_thousand_nodes() -> None:
    """Built, written, read, shaped and asked for consumers without recursion."""
    graph = Graph()
    with graph.as_default():
        x = placeholder()
        y = x
        for _ in range(100_000):
            y = apply_op("AddV2", y, x)
    loaded = graph_from_bytes(b"".join(graph.serialized()))
    last = loaded.get_tensor_by_name(y.name)
    assert last.shape.as_list() == [2]
    assert len(loaded.get_tensor_by_name("x:0").consumers()) == 100_001
