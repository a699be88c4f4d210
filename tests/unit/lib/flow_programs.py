"""Programs with conditionals, loops and functions, run by TensorFlow once (fixtures/make/control_flow.py) and again by the tests.

A program takes `tf` and returns (fetches, feeds): tensors or operations, and one dict from placeholder names to values for each
run. Of each its MetaGraphDef is kept, which holds nodes, static shapes, contexts and functions, and what the runs gave. `FAILURES` are
held by class and first line of the error.
"""

from __future__ import annotations

import collections
import collections.abc
import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Program = Callable[[Any], Any]
PROGRAMS: dict[str, Program] = {}
FAILURES: dict[str, Program] = {}
# Of these the form with functions is kept too.
BOTH: list[str] = []
FUNCTIONS: list[str] = []

Pair = collections.namedtuple("Pair", ["a", "b"])
# The module that `Defun` and its like are in.
defuns: Any = None


def program(function: Program) -> Program:
    """Register a program in TensorFlow 1's form."""
    PROGRAMS[function.__name__] = function
    return function


def both(function: Program) -> Program:
    """Register a program in both forms."""
    BOTH.append(function.__name__)
    return program(function)


def functional(function: Program) -> Program:
    """Register a program in the form with functions only."""
    FUNCTIONS.append(function.__name__)
    PROGRAMS[function.__name__] = function
    return function


def failure(function: Program) -> Program:
    FAILURES[function.__name__] = function
    return function


def cases() -> Iterator[tuple[str, bool]]:
    """Yield (name, whether conditionals and loops call functions) of each program and form."""
    for name in PROGRAMS:
        if name not in FUNCTIONS:
            yield name, False
        if name in BOTH or name in FUNCTIONS:
            yield name, True


@contextlib.contextmanager
def form(tf: Any, v2: bool) -> Iterator[None]:
    """Build conditionals and loops in one of the two forms."""
    (tf.enable_control_flow_v2 if v2 else tf.disable_control_flow_v2)()
    try:
        yield
    finally:
        tf.disable_control_flow_v2()


def build(tf: Any, name: str, v2: bool) -> tuple[Any, Any, list[Any]]:
    """Return the MetaGraphDef of a program, what it fetches, and the feeds of its runs."""
    graph = tf.Graph()
    with graph.as_default(), form(tf, v2):
        fetches, feeds = PROGRAMS[name](tf)
        return tf.train.export_meta_graph(graph=graph), fetches, feeds


def answers(tf: Any, fetches: list[Any], feeds: list[Any], **options: Any) -> list[list[Any]]:
    """Return what each run of a program gives. options: of the session."""
    graph = fetches[0].graph
    with graph.as_default(), tf.Session(graph=graph, **options) as session:
        variables = tf.global_variables()
        if variables:
            session.run(tf.variables_initializer(variables))
        return [[None if v is None else np.asarray(v) for v in session.run(fetches, feed)] for feed in feeds]


def outcome(tf: Any, name: str) -> str:
    """Return class and first line of the error that a failing program raises."""
    with tf.Graph().as_default(), form(tf, False):
        try:
            FAILURES[name](tf)
        except Exception as error:
            text = getattr(error, "message", None) or str(error)
            return f"{type(error).__name__}: {text.splitlines()[0] if text else ''}"
    return "nothing"


def renamed_functions(meta: Any) -> Any:
    """Return a MetaGraphDef whose library functions are named, and put, in the order in which they are called.

    The names of the functions of conditionals and loops end in a number that grows through the life of a process.
    """
    functions = {f.signature.name: f for f in meta.graph_def.library.function}
    for nodes in (meta.graph_def.node, *(f.node_def for f in functions.values())):
        for node in nodes:  # what TensorFlow infers of full types is not held
            node.ClearField("experimental_type")
    order: dict[str, str] = {}
    pending = [str(node) for node in meta.graph_def.node]
    word = re.compile(r"[\w.-]+")
    for text in pending:  # grows while functions are found
        for found in word.findall(text):
            if found in functions and found not in order:
                order[found] = re.sub(r"_\d+$", f"_n{len(order)}", found)
                pending.append(str(functions[found]))
    if not order:
        return meta
    names = sorted(order, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, names)).encode())
    data = {old.encode(): new.encode() for old, new in order.items()}
    listed = [functions[name] for name in order]
    del meta.graph_def.library.function[:]
    meta.graph_def.library.function.extend(listed)
    _rename(meta, lambda text: pattern.sub(lambda m: data[m[0]], text.encode()).decode())
    return meta


def _rename(message: Any, change: Callable[[str], str]) -> None:
    """Apply `change` to all strings of a message."""
    for field, value in message.ListFields():
        entry = field.message_type is not None and field.message_type.GetOptions().map_entry
        if entry:
            for key in list(value):
                if hasattr(value[key], "ListFields"):
                    _rename(value[key], change)
                elif isinstance(value[key], str):
                    value[key] = change(value[key])
        elif field.type == field.TYPE_MESSAGE:
            for item in value if isinstance(value, collections.abc.Sequence) or hasattr(value, "append") else [value]:
                _rename(item, change)
        elif field.type == field.TYPE_STRING:
            if isinstance(value, str):
                setattr(message, field.name, change(value))
            else:
                value[:] = [change(item) for item in value]


def scalar(tf: Any, dtype: str = "int32", name: str = "x") -> Any:
    return tf.placeholder(dtype, [], name=name)


# Conditionals


@both
def cond_simple(tf: Any) -> Any:
    x = scalar(tf)
    y = tf.constant(5)
    r = tf.cond(tf.less(x, y), lambda: tf.multiply(x, 17), lambda: tf.add(y, 23))
    return [r], [{"x:0": 2}, {"x:0": 9}]


@both
def cond_captures(tf: Any) -> Any:
    """Tensors from outside as they are, constants, several results, a variable."""
    x = scalar(tf, "float32")
    p = scalar(tf, "bool", "p")
    v = tf.Variable([1.0, 2.0], name="v", use_resource=True)
    r = tf.cond(p, lambda: (x, tf.constant(1), v + x), lambda: (x * x, 2, tf.constant([3.0, 4.0])), name="choice")
    return list(r), [{"x:0": 2.0, "p:0": True}, {"x:0": 3.0, "p:0": False}]


@program
def cond_reference_variable(tf: Any) -> Any:
    p = scalar(tf, "bool", "p")
    v = tf.Variable(1.0, name="v")
    w = tf.Variable(10.0, name="w")
    r = tf.cond(p, lambda: tf.assign_add(v, 1.0), lambda: tf.assign(w, v * 2))
    s = tf.cond(p, lambda: v, lambda: w)
    with tf.control_dependencies([r]):
        after = [tf.identity(v.read_value()), tf.identity(w.read_value())]
    return [r, after[0], after[1]], [{"p:0": True}, {"p:0": False}, {"p:0": True}] if s is not None else []


@both
def cond_operations(tf: Any) -> Any:
    p = scalar(tf, "bool", "p")
    v = tf.Variable(1.0, name="v", use_resource=True)
    done = tf.cond(p, lambda: tf.group(v.assign_add(5.0)), lambda: tf.no_op())
    with tf.control_dependencies([done]):
        r = v.read_value()
    return [r], [{"p:0": True}, {"p:0": False}]


@both
def cond_structures(tf: Any) -> Any:
    p = scalar(tf, "bool", "p")
    x = scalar(tf, "float32")
    r = tf.cond(
        p,
        lambda: {"b": [x, x + 1], "a": Pair(x * 2, (x,))},
        lambda: {"b": [x - 1, x], "a": Pair(x, (x / 2,))},
    )
    single = tf.cond(p, lambda: [x + 1], lambda: [x])
    strict = tf.cond(p, lambda: [x + 1], lambda: [x], strict=True)
    assert isinstance(strict, list)
    return [r["a"].a, r["a"].b[0], *r["b"], tf.convert_to_tensor(single), *strict], [
        {"x:0": 2.0, "p:0": True},
        {"x:0": 3.0, "p:0": False},
    ]


@both
def cond_nested(tf: Any) -> Any:
    p, q = scalar(tf, "bool", "p"), scalar(tf, "bool", "q")
    x = scalar(tf, "float32")
    y = x + 1.0

    def inner() -> Any:
        z = y * 2.0
        return tf.cond(q, lambda: z + x, lambda: z - tf.constant(1.0), name="inner")

    r = tf.cond(p, inner, lambda: tf.cond(q, lambda: x, lambda: y), name="outer")
    return [r], [{"x:0": 2.0, "p:0": a, "q:0": b} for a in (True, False) for b in (True, False)]


@program
def cond_scopes(tf: Any) -> Any:
    """Control inputs, devices, colocation and name scopes around and in branches."""
    p = scalar(tf, "bool", "p")
    x = scalar(tf, "float32")
    with tf.name_scope("a"), tf.control_dependencies([x]), tf.device("/cpu:0"):
        before = tf.identity(x, name="before")

        def branch() -> Any:
            with tf.name_scope("in"), tf.control_dependencies([before]), tf.colocate_with(x):
                k = tf.constant(2.0, name="k")
                with tf.control_dependencies([k]):
                    return tf.tuple([k * x, tf.add(k, 1.0)])

        r = tf.cond(p, branch, lambda: tf.tuple([x, before]))
    with tf.control_dependencies([p]):
        s = tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2))
    return [*r, s], [{"x:0": 2.0, "p:0": True}, {"x:0": 3.0, "p:0": False}]


@program
def cond_sparse(tf: Any) -> Any:
    p = scalar(tf, "bool", "p")
    x = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 4])
    y = tf.SparseTensor([[1, 1]], [7.0], [3, 4])
    r = tf.cond(p, lambda: x, lambda: y)
    values = tf.constant([[1.0, 2.0]])
    s = tf.cond(
        p,
        lambda: tf.IndexedSlices(values, tf.constant([1])),
        lambda: tf.IndexedSlices(values * 2, tf.constant([3], tf.int64)),
    )
    return [r.indices, r.values, r.dense_shape, s.values, s.indices], [{"p:0": True}, {"p:0": False}]


@both
def cond_variables_made(tf: Any) -> Any:
    """Variables made in branches are lifted out of them."""
    p = scalar(tf, "bool", "p")

    def branch() -> Any:
        return tf.get_variable("v", [2], initializer=tf.constant_initializer(3.0), use_resource=True) + 1.0

    r = tf.cond(p, branch, lambda: tf.constant([1.0, 2.0]))
    return [r], [{"p:0": True}, {"p:0": False}]


@program
def cond_reference_variables_made(tf: Any) -> Any:
    p = scalar(tf, "bool", "p")

    def branch() -> Any:
        return tf.get_variable("v", [2], initializer=tf.constant_initializer(3.0)) + 1.0

    r = tf.cond(p, branch, lambda: tf.Variable([5.0, 6.0], name="w") * 2)
    return [r], [{"p:0": True}, {"p:0": False}]


@program
def cond_asserts(tf: Any) -> Any:
    p = scalar(tf, "bool", "p")
    x = scalar(tf, "float32")

    def branch() -> Any:
        with tf.control_dependencies([tf.Assert(x > 0.0, ["not positive", x])]):
            return x * 2

    r = tf.cond(p, branch, lambda: x)
    v = tf.Variable(2.0, name="v")
    return [r, v.initialized_value()], [{"x:0": 1.0, "p:0": True}, {"x:0": -1.0, "p:0": False}]


@program
def cond_summaries(tf: Any) -> Any:
    p = scalar(tf, "bool", "p")
    x = scalar(tf, "float32")

    def branch() -> Any:
        tf.add_to_collection("_SUMMARY_V2", tf.identity(x, name="summary"))
        return x * 2, x

    r = tf.cond(p, branch, lambda: (x, x))
    assert tf.get_collection("_SUMMARY_V2") == []
    return list(r), [{"x:0": 1.0, "p:0": True}]


@both
def case_first_true(tf: Any) -> Any:
    x = scalar(tf)
    r = tf.case(
        [(x < 1, lambda: tf.constant(17)), (x < 5, lambda: x * 23)], default=lambda: tf.constant(-1), name="which"
    )
    return [r], [{"x:0": 0}, {"x:0": 3}, {"x:0": 7}]


@program
def case_exclusive(tf: Any) -> Any:
    x = scalar(tf)
    pairs = {tf.equal(x, 1, name="one"): lambda: tf.constant(1.0), tf.equal(x, 2, name="two"): lambda: tf.constant(2.0)}
    r = tf.case(pairs, default=lambda: tf.constant(0.0), exclusive=True)
    s = tf.case([(x < 10, lambda: x + 1), (x < 20, lambda: x + 2)])
    return [r, s], [{"x:0": 0}, {"x:0": 1}, {"x:0": 2}]


@program
def case_strict(tf: Any) -> Any:
    x = scalar(tf)
    r = tf.case([(x < 10, lambda: [x + 1])], default=lambda: [x], strict=True)
    return r, [{"x:0": 0}, {"x:0": 10}]


@functional
def switch_case(tf: Any) -> Any:
    x = scalar(tf)
    y = scalar(tf, "float32", "y")
    r = tf.switch_case(x, [lambda: y + 1, lambda: y * 2.0, lambda: tf.constant(3.0)])
    s = tf.switch_case(x, {1: lambda: (y, x), 0: lambda: (y * y, x + 1)}, default=lambda: (tf.constant(0.0), 7))
    return [r, *s], [{"x:0": i, "y:0": 5.0} for i in (-1, 0, 1, 2, 3)]


# Loops


@both
def while_simple(tf: Any) -> Any:
    n = scalar(tf, name="n")
    r = tf.while_loop(lambda i: tf.less(i, n), lambda i: tf.add(i, 1), [tf.constant(0)])
    return [r], [{"n:0": 10}, {"n:0": 0}]


@both
def while_several(tf: Any) -> Any:
    n = scalar(tf, name="n")
    x = scalar(tf, "float32")
    y = x * 2.0

    def body(i: Any, total: Any, s: Any) -> Any:
        return i + 1, total + y * tf.cast(i, tf.float32), tf.string_join([s, tf.as_string(i)])

    r = tf.while_loop(lambda i, total, s: i < n, body, (0, 0.0, ""), name="loop", parallel_iterations=3)
    return list(r), [{"n:0": 4, "x:0": 1.5}, {"n:0": 0, "x:0": 1.5}]


@both
def while_bounded(tf: Any) -> Any:
    n = scalar(tf, name="n")
    r = tf.while_loop(lambda i: i < 100, lambda i: i + 3, [1], maximum_iterations=n)
    s = tf.while_loop(lambda i, j: i < 100, lambda i, j: [i + 3, j * 2], [1, 1], maximum_iterations=5)
    t = tf.while_loop(lambda i: i < 100, lambda i: [i + 3], [1], maximum_iterations=2, return_same_structure=True)
    u = tf.while_loop(lambda i: i < 10, lambda i: [i + 3], [1], return_same_structure=True)
    return [r, *s, *t, *u], [{"n:0": 4}, {"n:0": 0}]


@both
def while_structures(tf: Any) -> Any:
    i0 = (tf.constant(0), Pair(tf.constant(1), tf.constant(2)), {"z": tf.constant(1.0), "y": [tf.constant(3)]})
    r = tf.while_loop(
        lambda i, p, d: i < 5,
        lambda i, p, d: (i + 1, Pair(p.a + p.b, p.a - p.b), {"z": d["z"] * 2.0, "y": [d["y"][0] + 1]}),
        i0,
    )
    assert isinstance(r[1], Pair)
    return [r[0], r[1].a, r[1].b, r[2]["z"], r[2]["y"][0]], [{}]


@both
def while_shapes(tf: Any) -> Any:
    m0 = tf.ones([2, 2])
    i, m = tf.while_loop(
        lambda i, m: i < 3,
        lambda i, m: [i + 1, tf.concat([m, m], axis=0)],
        [tf.constant(0), m0],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2])],
    )
    any_ = tf.placeholder(tf.float32, None, name="any")
    k = tf.while_loop(lambda a: tf.reduce_sum(a) < 10.0, lambda a: a * 2.0, [any_])
    return [i, tf.shape(m), m, k], [{"any:0": [1.0, 2.0]}]


@both
def while_bounded_shapes(tf: Any) -> Any:
    r = tf.while_loop(
        lambda m, k: tf.reduce_sum(m) < 100.0,
        lambda m, k: [tf.concat([m, m], 0), k + 1],
        [tf.ones([1]), 0],
        shape_invariants=[tf.TensorShape([None]), tf.TensorShape([])],
        maximum_iterations=3,
    )
    return r, [{}]


@program
def while_sparse(tf: Any) -> Any:
    x = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 4])
    i, y = tf.while_loop(
        lambda i, s: i < 3, lambda i, s: (i + 1, tf.SparseTensor(s.indices, s.values * 2.0, s.dense_shape)), [0, x]
    )
    z = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 4]), tf.constant([5, 3]))
    j, w = tf.while_loop(
        lambda i, s: i < 3, lambda i, s: (i + 1, tf.IndexedSlices(s.values + 1.0, s.indices, s.dense_shape)), [0, z]
    )
    k, u = tf.while_loop(
        lambda i, s: i < 3,
        lambda i, s: (i + 1, tf.SparseTensor(s.indices, s.values * 2.0, s.dense_shape)),
        [0, x],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
    )
    return [i, y.indices, y.values, y.dense_shape, j, w.values, w.indices, w.dense_shape, k, u.values], [{}]


@both
def while_nested(tf: Any) -> Any:
    n = scalar(tf, name="n")
    x = scalar(tf, "float32")

    def body(i: Any, total: Any) -> Any:
        def inner(j: Any, sub: Any) -> Any:
            return j + 1, sub + x * tf.cast(i, tf.float32) + tf.constant(1.0)

        _, sub = tf.while_loop(lambda j, sub: j < i, inner, [0, 0.0], name="inner")
        return i + 1, total + sub

    r = tf.while_loop(lambda i, total: i < n, body, [0, 0.0], name="outer")
    return list(r), [{"n:0": 4, "x:0": 0.5}, {"n:0": 1, "x:0": 0.5}]


@both
def while_with_cond(tf: Any) -> Any:
    n = scalar(tf, name="n")
    x = scalar(tf, "float32")

    def body(i: Any, total: Any) -> Any:
        even = tf.equal(i % 2, 0)
        step = tf.cond(even, lambda: x, lambda: tf.cond(i > 2, lambda: -x, lambda: tf.constant(0.5)))
        return i + 1, total + step

    r = tf.while_loop(lambda i, total: tf.logical_and(i < n, total < 100.0), body, [0, 0.0])
    return list(r), [{"n:0": 7, "x:0": 3.0}, {"n:0": 2, "x:0": 200.0}]


@both
def cond_with_while(tf: Any) -> Any:
    p = scalar(tf, "bool", "p")
    x = scalar(tf, "float32")

    def branch() -> Any:
        y = x + 1.0
        return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * y + x), [0, x])[1]

    r = tf.cond(p, branch, lambda: tf.while_loop(lambda a: a < 10.0, lambda a: a + 4.0, [x]))
    return [r], [{"p:0": True, "x:0": 2.0}, {"p:0": False, "x:0": 2.0}]


@program
def while_control_inputs(tf: Any) -> Any:
    """Control inputs from outside of a loop become data from outside; constants hang on the pivots."""
    n = scalar(tf, name="n")
    x = scalar(tf, "float32")
    v = tf.Variable(0.0, name="v", use_resource=True)
    outside = tf.identity(x, name="outside")
    nothing = tf.no_op(name="nothing")

    def body(i: Any, a: Any) -> Any:
        with tf.control_dependencies([outside, nothing]):
            k = tf.constant(1.0, name="k")
            y = tf.add(a, 1.0, name="y")
        with tf.control_dependencies([v.assign_add(k), y]):
            z = tf.identity(outside * 2.0, name="z")
            grouped = tf.group(z, y)
        with tf.control_dependencies([grouped]):
            return i + 1, y + z

    with tf.control_dependencies([outside]):
        r = tf.while_loop(lambda i, a: i < n, body, [0, x])
    with tf.control_dependencies([r[0]]):
        after = v.read_value()
    return [*r, after], [{"n:0": 3, "x:0": 1.0}]


@program
def while_reference_variable(tf: Any) -> Any:
    n = scalar(tf, name="n")
    v = tf.Variable(1.0, name="v")

    def body(i: Any, a: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(v, 1.0)]):
            return i + 1, a + tf.identity(v.read_value())

    r = tf.while_loop(lambda i, a: i < n, body, [0, v])
    return list(r), [{"n:0": 1}]


@both
def while_resource_variable(tf: Any) -> Any:
    n = scalar(tf, name="n")
    v = tf.Variable(1.0, name="v", use_resource=True)
    w = tf.Variable(1.0, name="w", use_resource=True)

    def body(i: Any, a: Any) -> Any:
        with tf.control_dependencies([v.assign_add(w)]):
            now = v.read_value()
        with tf.control_dependencies([now]):  # else TensorFlow may begin the next iteration before
            return i + 1, a + now

    r = tf.while_loop(lambda i, a: i < n, body, [0, w])
    return list(r), [{"n:0": 3}]


@program
def while_variables_made(tf: Any) -> Any:
    n = scalar(tf, name="n")

    def body(i: Any, a: Any) -> Any:
        w = tf.get_variable("w", [2, 2], initializer=tf.ones_initializer(), use_resource=True)
        u = tf.get_variable("u", [1, 2], initializer=tf.zeros_initializer(), use_resource=False)
        return i + 1, tf.matmul(a, w) + u

    r = tf.while_loop(lambda i, a: i < n, body, [0, tf.ones([1, 2])])
    return list(r), [{"n:0": 3}]


@program
def while_options(tf: Any) -> Any:
    r = tf.while_loop(
        lambda i: i < 3, lambda i: i + 1, [tf.constant(0)], back_prop=False, swap_memory=True, parallel_iterations=1
    )
    with tf.name_scope("s"), tf.device("/cpu:0"):
        s = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)])
        with tf.colocate_with(r):
            t = tf.while_loop(lambda i: i < s, lambda i: i + 1, [tf.constant(0)])
    return [r, s, t], [{}]


@program
def while_constants_only(tf: Any) -> Any:
    """Ops of constants from outside must not run one time more than the loop's body."""
    x = scalar(tf)
    y = x + 1

    def body(i: Any) -> Any:
        z = tf.add(y, y, name="z")
        return i + z

    r = tf.while_loop(lambda i: i < tf.multiply(y, 10, name="limit"), body, [x])
    s = tf.while_loop(lambda i, j: i < 3, lambda i, j: (i + 1, y), [0, x])
    t = tf.while_loop(lambda i, j: i < 3, lambda i, j: (i + 1, j), [0, x])
    return [r, *s, *t], [{"x:0": 1}]


@program
def loop_in_branch_in_loop(tf: Any) -> Any:
    n = scalar(tf, name="n")
    x = scalar(tf)

    def body(i: Any, a: Any) -> Any:
        def branch() -> Any:
            start = x * 2
            return tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1, b + x + start), [0, a])[1]

        return i + 1, tf.cond(a < 50, branch, lambda: a - x)

    r = tf.while_loop(lambda i, a: i < n, body, [0, x])
    return list(r), [{"n:0": 5, "x:0": 2}, {"n:0": 9, "x:0": 2}]


@program
def while_asserts(tf: Any) -> Any:
    n = scalar(tf, name="n")

    def body(i: Any) -> Any:
        with tf.control_dependencies([tf.Assert(i < 100, [i]), tf.assert_less(i, 200)]):
            return i + 1

    r = tf.while_loop(lambda i: i < n, body, [0])
    return [r], [{"n:0": 3}]


def _loop_def(tf: Any) -> Any:
    """Return the GraphDef of a loop from `x` to `out`, without contexts."""
    with tf.Graph().as_default() as graph:
        x = scalar(tf)
        k = tf.constant(2, name="k")
        loop = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + k), [0, x], name="loop")
        tf.cond(x > 3, lambda: loop[1] * k, lambda: loop[1])
        tf.identity(loop[1], name="out")
    return graph.as_graph_def()


def _imported(tf: Any, value: Any) -> Any:
    found = tf.import_graph_def(_loop_def(tf), input_map={"x": value}, return_elements=["out:0"], name="in")[0]
    return tf.reshape(found, [])


@program
def import_in_branch(tf: Any) -> Any:
    """A graph with a loop of its own, imported into a branch."""
    p, y = scalar(tf, "bool", "p"), scalar(tf, name="y")
    r = tf.cond(p, lambda: _imported(tf, y), lambda: y)
    return [r], [{"p:0": True, "y:0": 1}, {"p:0": False, "y:0": 5}]


@program
def import_in_loop(tf: Any) -> Any:
    y = scalar(tf, name="y")
    r = tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, _imported(tf, a)), [0, y])
    return list(r), [{"y:0": 1}]


@program
def import_of_constants_in_loop(tf: Any) -> Any:
    y = scalar(tf, name="y")
    r = tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a + _imported(tf, y)), [0, y])
    return list(r), [{"y:0": 1}]


# Loops over elements


@both
def folds(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None], name="x")
    y = tf.constant([[1, 2], [3, 4], [5, 6]])
    a = tf.foldl(lambda a, e: a * 2.0 + e, x)
    b = tf.foldr(lambda a, e: a * 2.0 + e, x)
    c = tf.foldl(lambda a, e: a + e, y, initializer=tf.constant([10, 20]), name="named")
    d = tf.foldr(lambda a, e: a - e[0] * e[1], (y, y + 1), initializer=tf.constant([10, 20]), back_prop=False)
    return [a, b, c, d], [{"x:0": [1.0, 2.0, 4.0]}]


@both
def scans(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = tf.constant([1, 2, 3, 4])
    a = tf.scan(lambda a, e: a + e, x)
    b = tf.scan(lambda a, e: a + e, y, reverse=True)
    c = tf.scan(lambda a, e: (a[1], a[0] + a[1]), y, (tf.constant(0), tf.constant(1)))
    d = tf.scan(lambda a, e: e[0] - e[1] + a, (y + 1, y), tf.constant(0), parallel_iterations=2, swap_memory=True)
    e = tf.scan(lambda a, e: a * e, y, tf.constant(2), reverse=True, infer_shape=False, name="named")
    return [a, b, *c, d, e], [{"x:0": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]}]


@both
def maps(tf: Any) -> Any:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = tf.constant([1, 2, 3])
    a = tf.map_fn(lambda e: e * e + 1.0, x)
    b = tf.map_fn(lambda e: (e, -e), y, dtype=(tf.int32, tf.int32))
    c = tf.map_fn(lambda e: e[0] * e[1], (y, y + 1), dtype=tf.int32, parallel_iterations=3, back_prop=False)
    d = tf.map_fn(lambda e: tf.cast(tf.range(e), tf.float32), y, dtype=tf.float32, infer_shape=False)
    e = tf.map_fn(lambda e: {"s": tf.cast(e["a"], tf.float32)}, {"a": y}, fn_output_signature={"s": tf.float32})
    f = tf.map_fn(lambda e: tf.zeros([2]), y, fn_output_signature=tf.TensorSpec([2], tf.float32), name="named")
    return [a, *b, c, e["s"], f], [{"x:0": [[1.0, 2.0], [3.0, 4.0]]}] if d is not None else []


@both
def maps_of_sparse(tf: Any) -> Any:
    x = tf.sparse_placeholder(tf.float32, [3, 4], name="x")
    a = tf.map_fn(lambda e: tf.reduce_sum(e.values), x, fn_output_signature=tf.float32)
    b = tf.map_fn(lambda e: tf.SparseTensor(e.indices, e.values * 2.0, e.dense_shape), x)
    fed = {"x/indices:0": [[0, 1], [2, 0]], "x/values:0": [1.0, 2.0]}
    return [a, b.indices, b.values, b.dense_shape], [fed]


@both
def maps_with_variables(tf: Any) -> Any:
    def layer(e: Any) -> Any:
        w = tf.get_variable("w", [2, 2], initializer=tf.ones_initializer(), use_resource=True)
        return tf.matmul(e, w)

    x = tf.ones([3, 1, 2])
    return [tf.map_fn(layer, x)], [{}]


@both
def arrays_in_loops(tf: Any) -> Any:
    n = scalar(tf, name="n")

    def body(i: Any, array: Any, total: Any) -> Any:
        array = array.write(i, tf.cast(i, tf.float32) * 2.0)
        return i + 1, array, total + array.read(i)

    array = tf.TensorArray(tf.float32, size=n, clear_after_read=False)
    i, array, total = tf.while_loop(lambda i, *_: i < n, body, (0, array, 0.0))
    p = tf.equal(n, 3)
    empty = tf.TensorArray(tf.float32, size=1)
    other = tf.cond(p, lambda: empty.write(0, 7.0), lambda: empty.write(0, 9.0))
    return [i, array.stack(), total, other.read(0)], [{"n:0": 3}, {"n:0": 5}]


# Functions


@program
def defun_calls(tf: Any) -> Any:
    f32 = tf.float32

    @defuns.Defun(f32, f32)
    def plus_minus(x: Any, y: Any) -> Any:
        """Return sum and difference."""
        return x + y, x - y

    @defuns.Defun(f32, func_name="Twice", out_names=["doubled"], noinline=True)
    def twice(x: Any) -> Any:
        return x * 2.0

    @defuns.Defun()
    def any_type(x: Any, y: Any) -> Any:
        return tf.stack([x, x]), y, tf.constant(["a", "bb"])

    @defuns.Defun(f32)
    def nothing(x: Any) -> None:
        tf.identity(x)

    @defuns.Defun(f32)
    def nested(x: Any) -> Any:
        @defuns.Defun(f32, experimental_tag=3)
        def inner(y: Any) -> Any:
            return twice(y) + 1.0

        return inner(inner(x)), x

    x = scalar(tf, "float32")
    a, b = plus_minus(x, 2.0, name="mine")
    c = twice(a)
    with tf.name_scope("s"):
        d = twice(c)
    e = any_type(x, 3)
    f = any_type(tf.constant(1), x)
    op = nothing(x)
    with tf.control_dependencies([op]):
        g = nested(d)
    return [a, b, c, d, e[0], e[1], f[0], f[1], *g], [{"x:0": 1.5}]


@program
def defun_captures(tf: Any) -> Any:
    x = scalar(tf, "float32")
    k = tf.constant([1.0, 2.0], name="k")
    v = tf.Variable([3.0, 4.0], name="v")
    w = tf.Variable([5.0, 6.0], name="w", use_resource=True)

    @defuns.Defun(tf.float32)
    def outer(y: Any) -> Any:
        @defuns.Defun(tf.float32)
        def inner(z: Any) -> Any:
            return z * k + v

        u = tf.get_variable("u", [2], initializer=tf.ones_initializer(), use_resource=True)
        return inner(y) + w + u, k

    @defuns.Defun(capture_by_value=True)
    def copied() -> Any:
        return tf.reduce_sum(k * 2.0)

    a, b = outer(x)
    return [a, b, copied()], [{"x:0": 1.5}]


@program
def defun_with_control_flow(tf: Any) -> Any:
    """Conditionals and loops in functions, and calls of functions in those."""
    n = scalar(tf, name="n")
    k = tf.constant(3)

    @defuns.Defun(tf.int32)
    def loop(x: Any) -> Any:
        return tf.while_loop(lambda i: i < x, lambda i: i + k, [0])

    @defuns.Defun(tf.int32)
    def branch(x: Any) -> Any:
        return tf.cond(x > 4, lambda: k, lambda: x + 1)

    a, b = loop(n), branch(n)
    c = tf.cond(n > 4, lambda: loop(n), lambda: branch(n) * 2)
    d = tf.while_loop(lambda i: i < 20, lambda i: tf.reshape(i + branch(i), []), [n])
    return [a, b, c, d], [{"n:0": 7}, {"n:0": 2}]


@program
def defun_gradients(tf: Any) -> Any:
    @defuns.Defun(tf.float32, tf.float32)
    def gradient(x: Any, dy: Any) -> Any:
        return x * dy

    @defuns.Defun(tf.float32, grad_func=gradient)
    def exp(x: Any) -> Any:
        return tf.exp(x)

    @defuns.Defun(tf.float32, python_grad_func=lambda op, dy: dy)
    def other(x: Any) -> Any:
        return exp(x) + 1.0

    x = scalar(tf, "float32")
    return [exp(x), other(x)], [{"x:0": 1.0}]


@program
def cond_gradients_of_variables(tf: Any) -> Any:
    """Zeros like a variable that the other branch did not read; shapes told by handles."""
    a = tf.Variable([1.0, 2.0], use_resource=True, name="a")
    b = tf.Variable([3.0, 4.0], use_resource=True, name="b")
    x = scalar(tf)
    result = tf.cond(x > 0, lambda: a, lambda: b)
    unknown = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=None)
    filled = [tf.fill(tf.raw_ops.VariableShape(input=v), 1.0) for v in (a.handle, unknown)]
    return [*tf.gradients(result, [a, b]), filled[0]], [{"x:0": 1}, {"x:0": -1}]


@program
def defun_gradients_of_likes(tf: Any) -> Any:
    """Functions with one body and one name, but with different gradients."""

    @defuns.Defun(tf.float32, tf.float32)
    def by_function(x: Any, dy: Any) -> Any:
        return x + dy

    def by_python(op: Any, dy: Any) -> Any:
        return op.inputs[0] * dy / 2.0

    x = scalar(tf, "float32")
    found = []
    for options in {}, {"grad_func": by_function}, {"python_grad_func": by_python}:

        @defuns.Defun(tf.float32, **options)
        def double(x: Any) -> Any:
            return x * 2.0

        found += tf.gradients(double(x), x)
    return found, [{"x:0": 100.0}]


@program
def defun_state_and_devices(tf: Any) -> Any:
    with tf.device("/cpu:0"):

        @defuns.Defun(tf.float32)
        def placed(x: Any) -> Any:
            with tf.control_dependencies([tf.Assert(x > 0.0, [x])]):
                return x + 1.0

    @defuns.Defun(tf.float32)
    def checked(x: Any) -> Any:
        with tf.control_dependencies([tf.assert_less(x, 100.0)]):
            return placed(x) * 2.0

    x = scalar(tf, "float32")
    return [checked(x)], [{"x:0": 1.0}]


# Errors


@failure
def cond_of_python_bool(tf: Any) -> Any:
    return tf.cond(True, lambda: tf.constant(1), lambda: tf.constant(2))


@failure
def cond_without_true(tf: Any) -> Any:
    return tf.cond(scalar(tf, "bool"), None, lambda: tf.constant(2))


@failure
def cond_without_false(tf: Any) -> Any:
    return tf.cond(scalar(tf, "bool"), lambda: tf.constant(2))


@failure
def cond_both_names(tf: Any) -> Any:
    return tf.cond(scalar(tf, "bool"), lambda: tf.constant(2), lambda: tf.constant(2), fn1=lambda: 1)


@failure
def cond_not_callable(tf: Any) -> Any:
    return tf.cond(scalar(tf, "bool"), tf.constant(2), lambda: tf.constant(2))


@failure
def cond_returns_none(tf: Any) -> Any:
    return tf.cond(scalar(tf, "bool"), lambda: None, lambda: tf.constant(2))


@failure
def cond_returns_nothing(tf: Any) -> Any:
    return tf.cond(scalar(tf, "bool"), list, list)


@failure
def cond_types_differ(tf: Any) -> Any:
    return tf.cond(scalar(tf, "bool"), lambda: tf.constant(1), lambda: tf.constant(2.0))


@failure
def cond_numbers_differ(tf: Any) -> Any:
    return tf.cond(scalar(tf, "bool"), lambda: [tf.constant(1)] * 2, lambda: [tf.constant(2)] * 3)


@failure
def cond_structures_differ(tf: Any) -> Any:
    return tf.cond(scalar(tf, "bool"), lambda: [tf.constant(1)] * 2, lambda: (tf.constant(2),) * 2)


@failure
def case_no_pairs(tf: Any) -> Any:
    return tf.case(7)


@failure
def case_no_tensor(tf: Any) -> Any:
    return tf.case([(True, lambda: 1)])


@failure
def case_not_bool(tf: Any) -> Any:
    return tf.case([(scalar(tf), lambda: 1)])


@failure
def case_not_callable(tf: Any) -> Any:
    return tf.case([(scalar(tf, "bool"), 1)])


@failure
def case_not_pairs(tf: Any) -> Any:
    return tf.case([scalar(tf, "bool")])


@failure
def switch_case_keys(tf: Any) -> Any:
    return tf.switch_case(scalar(tf), {0: lambda: 1, 2: lambda: 2})


@failure
def switch_case_float(tf: Any) -> Any:
    return tf.switch_case(scalar(tf, "float32"), [lambda: 1])


@failure
def switch_case_empty(tf: Any) -> Any:
    return tf.switch_case(scalar(tf), [])


@failure
def switch_case_types(tf: Any) -> Any:
    return tf.switch_case(scalar(tf), [lambda: 1, lambda: 1.0])


@failure
def while_not_callable(tf: Any) -> Any:
    return tf.while_loop(1, lambda i: i, [0])


@failure
def while_body_not_callable(tf: Any) -> Any:
    return tf.while_loop(lambda i: i, 1, [0])


@failure
def while_no_variables(tf: Any) -> Any:
    return tf.while_loop(lambda: True, lambda: (), [])


@failure
def while_parallel(tf: Any) -> Any:
    return tf.while_loop(lambda i: i < 1, lambda i: i, [0], parallel_iterations=0)


@failure
def while_maximum_not_scalar(tf: Any) -> Any:
    return tf.while_loop(lambda i: i < 1, lambda i: i, [0], maximum_iterations=[1])


@failure
def while_shape_changes(tf: Any) -> Any:
    return tf.while_loop(lambda m: True, lambda m: tf.concat([m, m], 0), [tf.ones([2], name="m")])


@failure
def while_shape_not_invariant(tf: Any) -> Any:
    return tf.while_loop(lambda m: True, lambda m: m, [tf.ones([2], name="m")], [tf.TensorShape([3])])


@failure
def while_invariant_kind(tf: Any) -> Any:
    return tf.while_loop(lambda m: True, lambda m: m, [tf.ones([2], name="m")], [[2]])


@failure
def while_structure_changes(tf: Any) -> Any:
    return tf.while_loop(lambda i, j: i < 1, lambda i, j: [i], [0, 1])


@failure
def tensor_of_a_loop_outside(tf: Any) -> Any:
    seen = []
    tf.while_loop(lambda i: i < 3, lambda i: seen.append(tf.add(i, 1, name="inside")) or i + 1, [0])
    return tf.identity(seen[0], name="outside")


@failure
def tensor_of_another_loop(tf: Any) -> Any:
    seen = []
    tf.while_loop(lambda i: i < 3, lambda i: seen.append(tf.add(i, 1, name="inside")) or i + 1, [0])
    return tf.while_loop(lambda i: i < 3, lambda i: i + seen[0], [0])


@failure
def fetch_in_a_branch(tf: Any) -> Any:
    p = scalar(tf, "bool")
    tf.cond(p, lambda: tf.constant(1.0, name="k"), lambda: tf.constant(2.0))
    return tf.Session().run("cond/k:0", {p: True})


@failure
def fetch_in_a_loop(tf: Any) -> Any:
    tf.while_loop(lambda i: i < 1, lambda i: tf.add(i, 1, name="k"), [0])
    return tf.Session().run("while/k:0")


@failure
def fetch_the_predicate(tf: Any) -> Any:
    p = scalar(tf, "bool")
    tf.cond(p, lambda: tf.constant(1.0, name="k"), lambda: tf.constant(2.0))
    return tf.Session().run("cond/pred_id:0", {p: True})


@failure
def feed_in_a_loop(tf: Any) -> Any:
    r = tf.while_loop(lambda i: i < 1, lambda i: tf.add(i, 1, name="k"), [0])
    return tf.Session().run(r, {"while/k:0": 7})


@failure
def feed_an_enter(tf: Any) -> Any:
    r = tf.while_loop(lambda i: i < 1, lambda i: tf.add(i, 1, name="k"), [0])
    return tf.Session().run(r, {"while/Enter:0": 7})


@failure
def map_of_nothing(tf: Any) -> Any:
    return tf.map_fn(lambda e: e, [])


@failure
def map_of_scalar(tf: Any) -> Any:
    return tf.map_fn(lambda e: e, scalar(tf))


@failure
def map_structures_differ(tf: Any) -> Any:
    return tf.map_fn(lambda e: [e, e], tf.constant([1, 2]))


@failure
def map_lengths_differ(tf: Any) -> Any:
    return tf.map_fn(lambda e: e[0], (tf.constant([1, 2]), tf.constant([1, 2, 3])), dtype=tf.int32)


@failure
def scan_structures_differ(tf: Any) -> Any:
    return tf.scan(lambda a, e: (a, e), tf.constant([1, 2]))


@failure
def defun_too_many_names(tf: Any) -> Any:
    return defuns.Defun(tf.float32, out_names=["a", "b"])(lambda x: x)(1.0)


@failure
def defun_names_twice(tf: Any) -> Any:
    return defuns.Defun(tf.float32, out_names=["a", "a"])(lambda x: (x, x))(1.0)


@failure
def defun_returns_none(tf: Any) -> Any:
    return defuns.Defun(tf.float32, func_name="none")(lambda x: (x, None))(1.0)


@failure
def defun_too_few_arguments(tf: Any) -> Any:
    return defuns.Defun(tf.float32)(lambda x: x)()


@failure
def defun_unknown_keyword(tf: Any) -> Any:
    return defuns.Defun(tf.float32)(lambda x: x)(1.0, device="/cpu:0")


@failure
def defun_same_name(tf: Any) -> Any:
    defuns.Defun(tf.float32, func_name="same")(lambda x: x)(1.0)
    return defuns.Defun(tf.float32, func_name="same")(lambda x: x + 1.0)(1.0)


@failure
def defun_captures_state_by_value(tf: Any) -> Any:
    k = tf.random_uniform([2], name="k")
    return defuns.Defun(capture_by_value=True)(lambda: k + 1.0)()


@failure
def defun_captures_placeholder_by_value(tf: Any) -> Any:
    k = scalar(tf)
    return defuns.Defun(capture_by_value=True)(lambda: k + 1)()


@failure
def defun_returns_reference(tf: Any) -> Any:
    return defuns.Defun()(lambda: tf.Variable(1.0, name="v")._ref())()


@failure
def defun_two_gradients(tf: Any) -> Any:
    gradient = defuns.Defun(tf.float32, tf.float32)(lambda x, dy: dy)
    return defuns.Defun(tf.float32, func_name="f", grad_func=gradient, python_grad_func=len)(lambda x: x)(1.0)
