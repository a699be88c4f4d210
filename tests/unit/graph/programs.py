"""Programs that build graphs, run once by TensorFlow (fixtures/make/graphs.py) and again by the tests, through one narrow API.

A program takes the API `t`: `t.op(type, name=None, **inputs_and_attrs)` builds an op; the other names are TensorFlow 1's. `BUILDERS` are
compared by the GraphDef they leave behind, `FAILURES` by the class and text of the error, `ANSWERS` by the value returned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

BUILDERS: dict[str, Callable[[Any], Any]] = {}
FAILURES: dict[str, Callable[[Any], Any]] = {}
ANSWERS: dict[str, Callable[[Any], Any]] = {}


def builder(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    BUILDERS[function.__name__] = function
    return function


def failure(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    FAILURES[function.__name__] = function
    return function


def answer(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    ANSWERS[function.__name__] = function
    return function


def floats(t: Any, shape: Any = None, name: str | None = None) -> Any:
    return t.op("Placeholder", dtype=t.float32, shape=shape, name=name)


def ints(t: Any, shape: Any = None, name: str | None = None) -> Any:
    return t.op("Placeholder", dtype=t.int32, shape=shape, name=name)


# Names and scopes


@builder
def names(t: Any) -> None:
    t.op("NoOp", name="a")
    t.op("NoOp", name="A")
    t.op("NoOp", name="a_1")
    t.op("NoOp", name="a")
    t.op("NoOp")
    t.op("NoOp")
    with t.name_scope("s") as scope:
        t.op("NoOp", name="x")
        with t.name_scope("inner"):
            t.op("NoOp", name="x")
            with t.name_scope(None):
                t.op("NoOp", name="root")
            with t.name_scope(scope):
                t.op("NoOp", name="x")
    with t.name_scope("s"):
        t.op("NoOp", name="x")
    with t.name_scope("s/"):
        t.op("NoOp", name="x")
    with t.name_scope("s/deep/"):
        t.op("NoOp", name="y")
    with t.name_scope(None, "default"):
        t.op("NoOp", name="x")
    t.op("NoOp", name="p/q/r")
    t.op("NoOp", name="p/q")
    t.op("NoOp", name="taken/")


@answer
def unique_names(t: Any) -> Any:
    graph = t.get_default_graph()
    told = [graph.unique_name(n) for n in ("a", "a", "A", "a_1", "a", "b/c", "b/c")]
    told += [graph.unique_name("a", mark_as_used=False) for _ in range(2)]
    with t.name_scope("s"):
        told += [graph.unique_name("a"), graph.get_name_scope()]
    return told


@builder
def control_dependencies(t: Any) -> None:
    a, b, c = (t.op("NoOp", name=n) for n in "abc")
    x = floats(t, [2], "x")
    with t.control_dependencies([b, a]):
        t.op("NoOp", name="d")
        inside = t.op("Identity", input=x, name="inside")
        with t.control_dependencies([c, a, x]):
            t.op("NoOp", name="e")
            t.op("Identity", input=x, name="f")
            t.op("Identity", input=inside, name="dominated")
            with t.control_dependencies(None):
                t.op("NoOp", name="free")
            t.constant(1.0, name="k")
            _ = x + 1.0
    with t.control_dependencies(["a", "x:0"]):
        t.op("NoOp", name="by_name")
    with t.control_dependencies([]):
        t.op("NoOp", name="none")


@builder
def devices(t: Any) -> None:
    with t.device("/job:ps/task:1"):
        t.op("NoOp", name="a")
        with t.device("/cpu:0"):
            t.op("NoOp", name="b")
            with t.device("/job:worker/device:GPU:*"):
                t.op("NoOp", name="c")
            with t.device(None):
                t.op("NoOp", name="d")
                with t.device("/replica:3"):
                    t.op("NoOp", name="e")
        with t.device(lambda op: "/task:7" if op.type == "NoOp" else "/gpu:1"):
            t.op("NoOp", name="f")
            t.constant(1, name="g")
        with t.device(""):
            t.op("NoOp", name="h")
    with t.device(t.DeviceSpec(job="j", device_type="GPU", device_index=2)):
        t.op("NoOp", name="i")


@builder
def colocation(t: Any) -> None:
    with t.device("/cpu:0"):
        a = t.op("NoOp", name="a")
    b = t.op("NoOp", name="b")
    with t.device("/gpu:0"):
        with t.colocate_with(a):
            t.op("NoOp", name="c")
            with t.colocate_with(b):
                d = t.op("NoOp", name="d")
            with t.colocate_with(b, ignore_existing=True):
                t.op("NoOp", name="e")
            with t.colocate_with(None, ignore_existing=True):
                t.op("NoOp", name="f")
            with t.device("/gpu:1"):
                t.op("NoOp", name="g")
        with t.colocate_with(d):
            t.op("NoOp", name="h")
        t.op("NoOp", name="i")


@builder
def scope_attrs(t: Any) -> None:
    graph = t.get_default_graph()
    x = floats(t, [2], "x")
    with graph._attr_scope({"_mark": t.AttrValue(i=3), "T": t.AttrValue(i=9)}):
        t.op("Identity", input=x, name="a")
        with graph._attr_scope({"_mark": None, "_late": lambda node: t.AttrValue(s=node.name.encode())}):
            t.op("Identity", input=x, name="b")
        t.op("Identity", input=x, name="c")
    with graph._kernel_label_map({"Identity": "special"}), graph.gradient_override_map({"Neg": "Odd", "Abs": "None"}):
        t.op("Identity", input=x, name="d")
        t.op("Neg", x=x, name="e")
    with t.container("box"):
        t.op("VarHandleOp", dtype=t.float32, shape=[2], name="v")
        t.op("VarHandleOp", dtype=t.float32, shape=[2], container="own", name="w")
        t.op("Identity", input=x, name="f")


# Literals and inference


@builder
def literals(t: Any) -> None:
    x = floats(t, [2, 2], "x")
    n = ints(t, [2], "n")
    half = t.op("Placeholder", dtype=t.float16, shape=[2], name="half")
    t.op("AddV2", x=x, y=[[1, 2], [3, 4]], name="nested")
    t.op("AddV2", x=half, y=1.5, name="half_add")
    t.op("AddV2", x=n, y=np.int64(3), name="narrowed")
    t.op("Mul", x=2.0, y=x, name="left")
    t.op("Reshape", tensor=x, shape=[4], name="flat")
    t.op("Reshape", tensor=x, shape=[-1, n[0]], name="packed")
    t.op("Reshape", tensor=x, shape=t.TensorShape([4, 1]), name="static")
    t.op("Pack", values=[x, [[0, 0], [1, 1]], 5 * np.ones([2, 2])], name="mixed")
    t.op("Pack", values=[1, 2, 3], name="ints")
    t.op("ConcatV2", values=[x, x], axis=1, name="cat")
    t.op("ExpandDims", input=x, dim=-1, name="expand")
    t.op("StringJoin", inputs=["a", b"b", t.constant(["c", "d"])], separator="-", name="join")
    t.op("Select", condition=[True, False], t=n, e=[5, 6], name="select")
    t.op("IdentityN", input=[x, 1, "s", [True]], name="several")
    t.op("Fill", dims=[2, 3], value=7, name="fill")
    t.op("Range", start=0, limit=n[1], delta=2, name="range")
    t.op("Sum", input=x, reduction_indices=[0, 1], keep_dims=True, name="sum")
    t.op("Sum", input=x, reduction_indices=np.array([1], np.int64), name="sum64")
    t.op("RandomUniform", shape=[2, 3], dtype=t.float32, name="random")
    t.op("Placeholder", dtype="float64", name="by_name")
    t.op("Placeholder", dtype=np.uint8, shape=(1, None, 3), name="by_numpy")
    t.op("Cast", x=n, DstT=t.bool, name="cast")
    t.op("Print", input=x, data=[x, n, 3], message="m", name="print")
    t.op("Assert", condition=True, data=["no", n], name="assert")
    t.op("MatMul", a=x, b=x, transpose_b=True, name="product")
    t.op("ArgMax", input=x, dimension=0, name="argmax")
    t.op("Conv2D", input=floats(t, [1, 4, 4, 3]), filter=floats(t, [2, 2, 3, 5]), strides=[1, 1, 1, 1], padding="SAME")
    t.op("ParseExample", serialized=["a"], names=[], sparse_keys=["s"], dense_keys=["d"], dense_defaults=[[1.0]],
         sparse_types=[t.int64], dense_shapes=[[1]], name="parse")  # fmt: skip


@builder
def constants(t: Any) -> None:
    for dtype in ("float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16",
                  "uint32", "uint64", "complex64", "complex128"):  # fmt: skip
        t.constant(3, dtype=dtype, name=f"{dtype}_scalar")
        t.constant([1, 2, 3], dtype=dtype, name=f"{dtype}_vector")
        t.constant([7], dtype=dtype, shape=[2, 3], name=f"{dtype}_splat")
        t.constant([], dtype=dtype, name=f"{dtype}_empty")
    t.constant(True)
    t.constant([[True], [False]])
    t.constant("text")
    t.constant([b"\xff\x00", b"ok"])
    t.constant(["é", "ok"])
    t.constant(1 << 40)
    t.constant([1 << 40, 1])
    t.constant(0.1)
    t.constant(1j)
    t.constant(np.arange(6).reshape(2, 3))
    t.constant(np.float64(0.1))
    t.constant(np.array(["a", "bc"]))
    t.constant(np.ones([2, 0, 3], np.float32))
    t.constant([1, 2, 3, 4], shape=[2, 2])
    t.constant(300, dtype="uint8")
    t.constant(-1, dtype="uint16")
    t.constant(float("nan"))
    t.constant(1e60)
    t.constant((1, (2)))


@builder
def references(t: Any) -> None:
    with t.device("/cpu:0"):
        v = t.op("VariableV2", shape=[2], dtype=t.float32, name="v")
    w = t.op("VariableV2", shape=[], dtype=t.int32, name="w")
    t.op("Assign", ref=v, value=[1.0, 2.0], name="assign")
    t.op("AssignAdd", ref=w, value=1, name="add")
    t.op("Identity", input=v, name="read")
    t.op("RefIdentity", input=v, name="ref")
    t.op("ScatterAdd", ref=v, indices=[0], updates=[3.0], name="scatter")
    t.op("RefSwitch", data=v, pred=True, name="switch")
    t.op("IsVariableInitialized", ref=v, name="is")


@builder
def resources(t: Any) -> None:
    handle = t.op("VarHandleOp", dtype=t.float32, shape=[2, 3], shared_name="v", name="v")
    t.op("AssignVariableOp", resource=handle, value=np.zeros([2, 3], np.float32), name="assign")
    value = t.op("ReadVariableOp", resource=handle, dtype=t.float32, name="read")
    t.op("ResourceGather", resource=handle, indices=[1], dtype=t.float32, name="gather")
    t.op("ReadVariableOp", resource=t.op("Identity", input=handle, name="same"), dtype=t.float32, name="through")
    t.op("Identity", input=value, name="out")


# Operators


@builder
def operators(t: Any) -> None:
    x = floats(t, [None, 2], "x")
    n = ints(t, [4], "n")
    results = [
        x + 1, 1 + x, x - 1.5, 1 - x, x * 2, 2 * x, x / 3, 3 / x, x // 2, 2 // x, x % 2, 2 % x, x**2, 2**x, -x, abs(x),
        x < 1, x <= x, x > 0.5, x >= 1, n + 1, n / 2, 2 / n, n // 3, n % 3, n & 3, n | n, n ^ 1, ~n, -n, abs(n), n**2,
        x @ np.ones([2, 2], np.float32), np.ones([3], np.float32)[:, None] * x, [1.0, 2.0] + x,
    ]  # fmt: skip
    a, b = x < 1, x > 0
    results += [a & b, a | b, a ^ b, ~a, a & True, False | b]
    s = t.constant(["p", "q"]) + "r"
    c = t.op("Placeholder", dtype=t.complex64, shape=[2], name="c")
    results += [s, abs(c), c * 2, c + 1j]
    d = t.op("Placeholder", dtype=t.float32, shape=[2, 3, 4], name="d")
    results += [d @ t.op("Placeholder", dtype=t.float32, shape=[4, 5], name="e")]


@builder
def slicing(t: Any) -> None:
    x = floats(t, [5, 6, 7], "x")
    n = ints(t, [], "n")
    wide = t.op("Placeholder", dtype=t.int64, shape=[], name="wide")
    results = [
        x[0], x[-1], x[1:3], x[:2], x[::2], x[3:0:-1], x[1, 2, 3], x[..., 0], x[0, ...], x[:, None], x[None, ..., None],
        x[n], x[n:], x[:n, 1], x[n, 2:], x[wide], x[1:wide], x[()], x[[1, 2]], x[np.int32(1)], x[1:2, ..., 3:4:2],
        t.op("Shape", input=x, name="shape")[1], x[x[:, 0, 0] > 0], x[:, t.Dimension(3)], x[1][2][3],
    ]  # fmt: skip
    del results


@builder
def packing(t: Any) -> None:
    a = floats(t, [], "a")
    n = ints(t, [], "n")
    t.convert_to_tensor([a, 1.0])
    t.convert_to_tensor([[a, 2], [3, a]], name="square")
    t.convert_to_tensor([[1.0, 2.0], [a, a]])
    t.convert_to_tensor((n, n), name="pair")
    t.convert_to_tensor([n, 1], dtype=t.int32)
    t.convert_to_tensor(t.TensorShape([1, 2]))
    t.convert_to_tensor(t.TensorShape([1, 2]), dtype=t.int64)
    t.convert_to_tensor(t.TensorShape([1, 1 << 33]))
    t.convert_to_tensor(t.Dimension(4))
    t.convert_to_tensor([t.Dimension(4), t.Dimension(5)], dtype=t.int32)
    t.convert_to_tensor(1, preferred_dtype=t.float64)
    t.convert_to_tensor("s", preferred_dtype=t.float64)
    t.convert_to_tensor(1.5, preferred_dtype=t.int32)


@builder
def sparse(t: Any) -> None:
    s = t.SparseTensor(indices=[[0, 1], [2, 0]], values=[1.0, 2.0], dense_shape=[3, 4])
    results = [s * [[1.0], [2.0], [3.0]], s / 2.0, s.with_values([5.0, 6.0]), t.constant([[1.0]]) * s]
    i = t.IndexedSlices(t.constant([[1.0, 2.0]]), t.constant([1]), t.constant([3, 2]))
    results += [t.convert_to_tensor(i), -i]


# Answers


@answer
def seeds(t: Any) -> Any:
    told = [t.get_seed(None), t.get_seed(5), t.get_seed(-3)]
    t.set_random_seed(7)
    told += [t.get_seed(None), t.get_seed(5), t.get_seed(None), t.get_seed((1 << 31) + 5)]
    t.set_random_seed(0)
    return [*told, t.get_seed(0), t.get_seed(None)]


@answer
def texts(t: Any) -> Any:
    x = floats(t, [None, 2], "x")
    with t.device("/cpu:0"):
        y = t.op("Identity", input=floats(t, None, "u"), name="y")
    s = t.SparseTensor([[0]], [1], [2])
    i = t.IndexedSlices(x, t.constant([1]))
    return (
        [str(v) for v in (x, y, s, i)]
        + [repr(v) for v in (x, y, x.op, x.shape, y.shape)]
        + [str(x.shape), str(y.shape)]
    )


@answer
def elements(t: Any) -> Any:
    graph = t.get_default_graph()
    x = floats(t, [2], "s/x")
    found = [graph.as_graph_element(n) for n in ("s/x", "s/x:0", b"s/x")]
    found += [graph.get_operation_by_name("s/x"), graph.get_tensor_by_name("s/x:0")]
    y = x + 1.0
    return [
        [f.name for f in found],
        [op.name for op in graph.get_operations()],
        [op.name for op in x.consumers()],
        [[i.name for i in y.op.inputs], [o.name for o in y.op.outputs], y.op.type, y.op.device],
        [v.decode() for v in y.op.colocation_groups()],
        graph.version > 0,
        [y.op.get_attr("T") == t.float32, x.op.get_attr("dtype") == t.float32],
    ]


@answer
def static_values(t: Any) -> Any:
    x = floats(t, [2, 3], "x")
    u = floats(t, [None, 3], "u")
    n = ints(t, [], "n")
    tensors = [
        t.constant([1, 2]), t.op("Shape", input=x), t.op("Shape", input=u), t.op("Size", input=x), t.op("Rank", input=u),
        t.op("Range", start=1, limit=10, delta=3), t.op("Cast", x=t.constant([1.7]), DstT=t.int32),
        t.op("ConcatV2", values=[[1], [2]], axis=0), t.op("Pack", values=[1, 2]), t.op("Pack", values=[n, 2]),
        t.op("Unpack", value=[3, 4], num=2)[1], t.op("Fill", dims=[2], value=9), t.op("Split", split_dim=0, value=[1, 2], num_split=2)[1],
        t.op("Equal", x=[1, 2], y=[1, 3]), t.op("NotEqual", x=[1, 2], y=[1, 3]), t.op("StopGradient", input=t.constant(5)),
        t.op("Identity", input=t.constant("s")), t.op("Neg", x=t.constant(1.0)), n, t.op("Pack", values=[[1, 2], [3, 4]], axis=1),
    ]  # fmt: skip
    return [
        None if v is None else [v.tolist() if v.dtype != object else str(v.tolist()), str(v.dtype)]
        for v in map(t.constant_value, tensors)
    ]


@answer
def values_as_shapes(t: Any) -> Any:
    u = floats(t, [None, 3], "u")
    n = ints(t, [], "n")
    v = ints(t, [3], "v")
    tensors = [
        t.constant([1, -1, 2]), t.op("Shape", input=u), t.op("Pack", values=[n, 4]), t.op("ConcatV2", values=[[1], t.op("Shape", input=u)], axis=0),
        t.op("Shape", input=u)[1:], v, t.constant(-1), t.op("Cast", x=t.op("Shape", input=u), DstT=t.int64), t.constant([], dtype=t.int32),
    ]  # fmt: skip
    return [str(t.constant_value_as_shape(tensor)) for tensor in tensors]


# Failures


@failure
def unknown_op(t: Any) -> None:
    t.op("NoSuchOp")


@failure
def wrong_dtype(t: Any) -> None:
    t.op("AddV2", x=floats(t), y=ints(t))


@failure
def wrong_literal(t: Any) -> None:
    t.op("AddV2", x=ints(t), y=1.5)


@failure
def float_for_shape(t: Any) -> None:
    t.op("Reshape", tensor=floats(t), shape=[1.5])


@failure
def string_for_float(t: Any) -> None:
    t.op("AddV2", x=floats(t), y="text")


@failure
def unconvertible(t: Any) -> None:
    t.op("Identity", input={})


@failure
def none_input(t: Any) -> None:
    t.op("Identity", input=None)


@failure
def disallowed_type(t: Any) -> None:
    t.op("MatMul", a=t.constant([["a"]]), b=t.constant([["b"]]))


@failure
def disallowed_type_attr(t: Any) -> None:
    t.op("RandomUniform", shape=[1], dtype=t.int32)


@failure
def disallowed_string(t: Any) -> None:
    t.op("MaxPool", input=floats(t), ksize=[1, 1, 1, 1], strides=[1, 1, 1, 1], padding="ROUND")


@failure
def short_list_attr(t: Any) -> None:
    t.op("MaxPool", input=floats(t), ksize=[1], strides=[1, 1, 1, 1], padding="SAME")


@failure
def below_minimum(t: Any) -> None:
    t.op("Unpack", value=floats(t), num=-1)


@failure
def empty_list(t: Any) -> None:
    t.op("Pack", values=[])


@failure
def no_list(t: Any) -> None:
    t.op("Pack", values=floats(t))


@failure
def mixed_list(t: Any) -> None:
    t.op("Pack", values=[floats(t), ints(t)])


@failure
def mixed_literals(t: Any) -> None:
    t.op("Pack", values=[1, "a"])


@failure
def list_of_wrong_type(t: Any) -> None:
    t.op("StringJoin", inputs=["a", 1])


@failure
def attr_for_list_of_types(t: Any) -> None:
    t.op("Placeholder", dtype="floaty")


@failure
def attr_of_wrong_kind(t: Any) -> None:
    t.op("MatMul", a=floats(t), b=floats(t), transpose_a=1)


@failure
def int_attr_of_wrong_kind(t: Any) -> None:
    t.op("OneHot", indices=[1], depth=2, on_value=1, off_value=0, axis="x")


@failure
def list_attr_of_wrong_kind(t: Any) -> None:
    t.op("MaxPool", input=floats(t), ksize=3, strides=[1, 1, 1, 1], padding="SAME")


@failure
def float_attr_of_wrong_kind(t: Any) -> None:
    t.op("LeakyRelu", features=floats(t), alpha="a")


@failure
def string_attr_of_wrong_kind(t: Any) -> None:
    t.op("MaxPool", input=floats(t), ksize=[1, 1, 1, 1], strides=[1, 1, 1, 1], padding=3)


@failure
def shape_attr_of_wrong_kind(t: Any) -> None:
    t.op("Placeholder", dtype=t.float32, shape=["a"])


@failure
def value_for_reference(t: Any) -> None:
    t.op("Assign", ref=floats(t, [1]), value=[1.0])


@failure
def two_graphs(t: Any) -> None:
    with t.Graph().as_default():
        x = floats(t)
    t.op("AddV2", x=x, y=floats(t))


@failure
def bad_op_name(t: Any) -> None:
    t.op("NoOp", name="_hidden")


@failure
def bad_scope_name(t: Any) -> None:
    with t.name_scope("a b"):
        pass


@failure
def bad_inner_scope_name(t: Any) -> None:
    with t.name_scope("a"), t.name_scope("b c"):
        pass


@failure
def finalized(t: Any) -> None:
    t.get_default_graph().finalize()
    t.op("NoOp")


@failure
def element_of_another_graph(t: Any) -> None:
    with t.Graph().as_default():
        x = t.op("NoOp", name="x")
    t.get_default_graph().as_graph_element(x)


@failure
def element_of_wrong_type(t: Any) -> None:
    t.get_default_graph().as_graph_element(3)


@failure
def no_such_operation(t: Any) -> None:
    t.get_default_graph().get_operation_by_name("gone")


@failure
def no_such_tensor(t: Any) -> None:
    t.get_default_graph().get_tensor_by_name("gone:0")


@failure
def no_such_output(t: Any) -> None:
    floats(t, name="x")
    t.get_default_graph().get_tensor_by_name("x:1")


@failure
def operation_for_tensor(t: Any) -> None:
    floats(t, name="x")
    t.get_default_graph().get_tensor_by_name("x")


@failure
def invalid_operation_for_tensor(t: Any) -> None:
    t.get_default_graph().get_tensor_by_name("x")


@failure
def tensor_for_operation(t: Any) -> None:
    t.get_default_graph().get_operation_by_name("x:0")


@failure
def bad_tensor_name(t: Any) -> None:
    t.get_default_graph().get_tensor_by_name("x:y:z")


@failure
def name_of_wrong_type(t: Any) -> None:
    t.get_default_graph().get_tensor_by_name(3)


@failure
def no_attr(t: Any) -> None:
    t.op("NoOp", name="n").get_attr("nope")


@failure
def missing_attr(t: Any) -> None:
    t.create_op("Placeholder", [], name="p")


@failure
def no_tensor_for_create_op(t: Any) -> None:
    t.create_op("Identity", [3])


@failure
def no_colocation(t: Any) -> None:
    with t.colocate_with(None):
        pass


@failure
def set_shape_of_other_rank(t: Any) -> None:
    floats(t, [None, 2]).set_shape([3])


@failure
def set_other_shape(t: Any) -> None:
    floats(t, [None, 2]).set_shape([4, 3])


@failure
def truth_of_tensor(t: Any) -> None:
    if floats(t):
        pass


@failure
def bad_index(t: Any) -> None:
    _ = floats(t, [3])[1.5]


@failure
def bad_index_text(t: Any) -> None:
    _ = floats(t, [3])["a"]


@failure
def bad_slice(t: Any) -> None:
    _ = floats(t, [3])[:1.0]


@failure
def length_of_tensor(t: Any) -> None:
    len(floats(t, [3]))


@failure
def division_of_other_dtypes(t: Any) -> None:
    _ = floats(t) / ints(t)


@failure
def division_of_bool(t: Any) -> None:
    _ = t.constant(True) / True


@failure
def run_without_session(t: Any) -> None:
    t.op("NoOp").run()


@failure
def eval_without_session(t: Any) -> None:
    t.constant(1).eval()


@failure
def unknown_shape_to_tensor(t: Any) -> None:
    t.convert_to_tensor(t.TensorShape([None]))


@failure
def shape_to_float(t: Any) -> None:
    t.convert_to_tensor(t.TensorShape([1]), dtype=t.float32)


@failure
def tensor_to_other_dtype(t: Any) -> None:
    t.convert_to_tensor(t.constant(1), dtype=t.float32, name="x")


@failure
def list_with_tensor_to_other_dtype(t: Any) -> None:
    t.convert_to_tensor([t.constant(1), t.constant(1.0)])


@failure
def constant_of_ragged_list(t: Any) -> None:
    t.constant([[1], [2, 3]])


@failure
def constant_too_large_for_shape(t: Any) -> None:
    t.constant([1, 2, 3], shape=[2])


@failure
def constant_of_other_shape(t: Any) -> None:
    t.constant([1, 2], shape=[3], verify_shape=True)


@failure
def constant_of_none(t: Any) -> None:
    t.constant(None)


@failure
def control_input_of_wrong_type(t: Any) -> None:
    with t.control_dependencies([3]):
        pass


@failure
def bad_device(t: Any) -> None:
    with t.device("/nonsense:1"):
        t.op("NoOp")


@failure
def default_name_of_wrong_type(t: Any) -> None:
    with t.name_scope(None, [1]):
        pass


@failure
def no_name_at_all(t: Any) -> None:
    with t.name_scope(None, None, []):
        pass


@failure
def sparse_of_wrong_rank(t: Any) -> None:
    t.SparseTensor(indices=[0], values=[1], dense_shape=[2])


@failure
def slices_without_shape(t: Any) -> None:
    t.convert_to_tensor(t.IndexedSlices(t.constant([1.0]), t.constant([0])))


@failure
def registered_conversion_of_number(t: Any) -> None:
    t.register_tensor_conversion_function(np.ndarray, lambda *a, **k: None)


@failure
def registered_conversion_of_no_type(t: Any) -> None:
    t.register_tensor_conversion_function("x", lambda *a, **k: None)


@failure
def reset_inside_block(t: Any) -> None:
    with t.Graph().as_default():
        t.reset_default_graph()


# Importing


PLACEHOLDER = "node { name: 'A' op: 'Placeholder' attr { key: 'dtype' value { type: DT_INT32 } } }"


def identity(name: str, inputs: str, dtype: str = "DT_INT32", kind: str = "Identity") -> str:
    listed = " ".join(f"input: '{i}'" for i in inputs.split())
    return f"node {{ name: '{name}' op: '{kind}' {listed} attr {{ key: 'T' value {{ type: {dtype} }} }} }}"


def seen(t: Any) -> list[Any]:
    """What the default graph holds."""
    return [
        [op.name, op.type, [i.name for i in op.inputs], [c.name for c in op.control_inputs], op.device,
         [g.decode() for g in op.colocation_groups()]]
        for op in t.get_default_graph().get_operations()
    ]  # fmt: skip


def imports(
    text: str, before: Callable[[Any], Any] = lambda t: None, producer: int = 22, **options: Any
) -> Callable[[Any], Any]:
    """A program that imports a GraphDef in text form, and tells what is there then."""

    def program(t: Any) -> Any:
        before(t)
        given = {key: value(t) if callable(value) else value for key, value in options.items()}
        elements = t.import_graph_def(t.graph_def(text, producer), **given)
        versions = t.get_default_graph().graph_def_versions
        return [elements and [e.name for e in elements], seen(t), versions.producer, versions.min_consumer]

    return program


COLOCATED = """node { name: 'A' op: 'NoOp' device: '/cpu:0' }
node { name: 'B' op: 'NoOp' device: '/gpu:0' attr { key: '_class' value { list { s: 'loc:@A' } } } }"""
CLASHING = """node { name: 'A' op: 'NoOp' } node { name: 'x' op: 'NoOp' } node { name: 'A_1' op: 'NoOp' }
node { name: 'B' op: 'NoOp' input: '^A' attr { key: '_class' value { list { s: 'loc:@A' } } } }"""
LOOP = (
    """node { name: 'e' op: 'Enter' input: 'A' attr { key: 'T' value { type: DT_INT32 } }
  attr { key: 'frame_name' value { s: 'f' } } attr { key: 'parallel_iterations' value { i: 10 } } }
"""
    + identity("n", "m", kind="NextIteration")
    + """
node { name: 'm' op: 'Merge' input: 'e' input: 'n' attr { key: 'N' value { i: 2 } } attr { key: 'T' value { type: DT_INT32 } } }
"""
)


def taken(t: Any) -> None:
    t.op("NoOp", name="A")
    t.op("NoOp", name="x/y")


def one(t: Any) -> Any:
    return t.constant(1, name="one")


ANSWERS.update(
    import_plain=imports(PLACEHOLDER + identity("B", "A"), return_elements=["A", "B:0"]),
    import_backwards=imports(identity("B", "A") + identity("C", "B") + PLACEHOLDER, name=""),
    import_twice=lambda t: [imports(PLACEHOLDER)(t), imports(PLACEHOLDER, producer=21)(t)],
    import_mapped=imports(PLACEHOLDER + identity("B", "A"), input_map=lambda t: {"A": one(t)}, return_elements=["A:0"]),
    import_mapped_bytes=imports(PLACEHOLDER + identity("B", "A"), input_map=lambda t: {b"A:0": one(t)}, name="x/y"),
    import_mapped_value=imports(PLACEHOLDER + identity("B", "A"), input_map={"A": 1}),
    import_mapped_control=imports(PLACEHOLDER + identity("B", "A ^A"), input_map=lambda t: {"^A": one(t)}),
    import_mapped_unknown=imports(identity("B", "A"), input_map=lambda t: {"A": one(t)}),
    import_colocated=imports(COLOCATED),
    import_clashing=imports(CLASHING, taken, name=""),
    import_clashing_prefix=imports(CLASHING, taken, name="x"),
    import_loop=imports(PLACEHOLDER + LOOP),
    import_with_defaults=lambda t: [
        imports(
            "node { name: 'a' op: 'MatMul' input: 'A:0' input: 'A' attr { key: 'T' value { type: DT_INT32 } } }"
            + PLACEHOLDER
        )(t),
        t.get_default_graph().get_operation_by_name("import/a").get_attr("transpose_a"),
    ],
    import_shaped=lambda t: [
        imports(
            PLACEHOLDER[:-1]
            + " attr { key: '_output_shapes' value { list { shape { dim { size: 3 } } } } } }"
            + identity("B", "A")
        )(t),
        [str(op.outputs[0].shape) for op in t.get_default_graph().get_operations()],
        sorted(t.get_default_graph().get_operation_by_name("import/A").node_def.attr),
    ],
    import_empty=imports(""),
)


@answer
def import_in_scopes(t: Any) -> Any:
    with t.device("/job:w"), t.control_dependencies([t.op("NoOp", name="c")]), t.name_scope("outer"):
        return imports(COLOCATED + PLACEHOLDER.replace("'A'", "'P'") + identity("D", "P"))(t)


FAILURES.update(
    import_wrong_type=imports(PLACEHOLDER + identity("B", "A", "DT_FLOAT")),
    import_too_few_inputs=imports(PLACEHOLDER + identity("B", "")),
    import_too_many_inputs=imports(PLACEHOLDER + identity("B", "A A")),
    import_unknown_input=imports(identity("B", "A:0")),
    import_unknown_control=imports(PLACEHOLDER + identity("B", "A ^C")),
    import_bad_input=imports(PLACEHOLDER + identity("B", "A:B:0")),
    import_bad_output=imports(PLACEHOLDER + identity("B", "A:1")),
    import_control_first=imports(PLACEHOLDER + identity("B", "^A A")),
    import_same_name=imports(PLACEHOLDER * 2),
    import_no_such_operation=imports(PLACEHOLDER, return_elements=["B"]),
    import_no_such_tensor=imports(PLACEHOLDER, return_elements=["B:0"]),
    import_no_such_output=imports(PLACEHOLDER, return_elements=["A:1"]),
    import_bad_tensor_name=imports(PLACEHOLDER, return_elements=["A:B:0"]),
    import_bad_tensor_number=imports(PLACEHOLDER, return_elements=["A:B"]),
    import_element_of_wrong_type=imports(PLACEHOLDER, return_elements=[7]),
    import_map_of_unknown=imports(PLACEHOLDER, input_map=lambda t: {"B:0": one(t)}),
    import_map_of_unknown_output=imports(PLACEHOLDER, input_map=lambda t: {"A:2": one(t)}),
    import_map_of_wrong_type=imports(PLACEHOLDER + identity("B", "A"), input_map=lambda t: {"A": t.constant(1.0)}),
    import_map_without_name=imports(PLACEHOLDER + identity("B", "A"), input_map={"A": 1}, name=""),
    import_map_is_list=imports(PLACEHOLDER, input_map=[1]),
    import_map_of_numbers=imports(PLACEHOLDER, input_map={1: 1}),
    import_old=imports(PLACEHOLDER, producer=-1),
    import_missing_attr=imports("node { name: 'A' op: 'Placeholder' }"),
    import_bad_name=imports("node { name: 'A b' op: 'NoOp' }"),
    import_hidden_name=imports("node { name: '_A' op: 'NoOp' }"),
    import_unknown_colocation=imports(
        "node { name: 'B' op: 'NoOp' attr { key: '_class' value { list { s: 'loc:@A' } } } }"
    ),
    import_bad_device=imports("node { name: 'B' op: 'NoOp' device: 'nonsense' }"),
    import_no_graph_def=lambda t: t.import_graph_def("x"),
    import_other_message=lambda t: t.import_graph_def(t.AttrValue()),
)


@failure
def import_for_a_newer_consumer(t: Any) -> None:
    definition = t.graph_def("", 22)
    definition.versions.min_consumer = 1 << 30
    t.import_graph_def(definition)


@failure
def import_for_another_consumer(t: Any) -> None:
    definition = t.graph_def("", 22)
    definition.versions.bad_consumers.append(2474)
    t.import_graph_def(definition)
