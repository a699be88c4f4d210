"""Programs whose conditionals and loops call functions, and the gradients that TensorFlow computes of them.

Each takes the module (TensorFlow's or icefloe) and a placeholder `x` of shape [3], and returns what to fetch.
fixtures/make/function_gradients.py runs them on TensorFlow and writes fixtures/gradients/functions.json.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).resolve().parents[3] / "fixtures" / "gradients" / "functions.json"
X = [0.5, -1.0, 2.0]

Program = Callable[[Any, Any], list[Any]]
PROGRAMS: dict[str, Program] = {}


def program(function: Program) -> Program:
    PROGRAMS[function.__name__] = function
    return function


def positive(tf: Any, x: Any) -> Any:
    return tf.reduce_sum(x) > 0


def orders(tf: Any, y: Any, x: Any, count: int) -> list[Any]:
    """Return the derivatives of the first orders."""
    found = []
    for _ in range(count):
        y = tf.gradients(y, x)[0]
        found.append(y)
    return found


def four_turns(tf: Any, x: Any, start: Any) -> Any:
    return tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, tf.sin(a) * x), [0, start])[1]


@program
def both_branches(tf: Any, x: Any) -> list[Any]:
    taken = tf.cond(positive(tf, x), lambda: tf.exp(x) * x, lambda: x * 3.0)
    other = tf.cond(positive(tf, -x), lambda: tf.exp(x) * x, lambda: tf.sin(x) * x)
    return [*tf.gradients(taken, x), *tf.gradients(other, x)]


@program
def third_order_of_a_conditional(tf: Any, x: Any) -> list[Any]:
    return orders(tf, tf.cond(positive(tf, x), lambda: tf.exp(x) * x, lambda: x * 3.0), x, 3)


@program
def a_conditional_in_a_conditional(tf: Any, x: Any) -> list[Any]:
    def inner() -> Any:
        return tf.cond(x[0] > 1, lambda: x * 2.0, lambda: tf.sin(x) * tf.exp(x))

    return orders(tf, tf.cond(positive(tf, x), inner, lambda: x * 3.0), x, 2)


@program
def one_branch_has_no_gradient(tf: Any, x: Any) -> list[Any]:
    y = tf.cond(positive(tf, x), lambda: tf.stop_gradient(x) * 2.0, lambda: tf.sin(x))
    z = tf.cond(positive(tf, -x), lambda: tf.stop_gradient(x) * 2.0, lambda: tf.sin(x))
    return [*tf.gradients(y, x), *tf.gradients(z, x)]


@program
def several_results(tf: Any, x: Any) -> list[Any]:
    a, b, c = tf.cond(positive(tf, x), lambda: (x * x, tf.exp(x), 1), lambda: (x, x, 2))
    return [*tf.gradients(a, x), *tf.gradients([a, b], x), c]


@program
def a_variable_in_a_branch(tf: Any, x: Any) -> list[Any]:
    v = tf.Variable([1.0, 2.0, 3.0], use_resource=True)
    y = tf.cond(positive(tf, x), lambda: tf.exp(v) * x, lambda: v * 3.0)
    return list(tf.gradients(y, [x, v]))


@program
def rows_of_a_variable_in_a_branch(tf: Any, x: Any) -> list[Any]:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], use_resource=True)
    y = tf.cond(positive(tf, x), lambda: tf.gather(v, [0, 2, 0]), lambda: v * 3.0)
    z = tf.cond(positive(tf, -x), lambda: tf.gather(v, [0, 2, 0]), lambda: v * 3.0)
    return [tf.convert_to_tensor(g) for g in (*tf.gradients(y, v), *tf.gradients(z, v))]


@program
def gradients_inside_of_a_branch(tf: Any, x: Any) -> list[Any]:
    y = tf.cond(positive(tf, x), lambda: tf.gradients(tf.exp(x) * x, x)[0], lambda: x * 3.0)
    return [y, *tf.gradients(y, x)]


@program
def a_case(tf: Any, x: Any) -> list[Any]:
    index = tf.cast(x[2], tf.int32) - 1
    y = tf.switch_case(index, [lambda: x, lambda: tf.exp(x) * x, lambda: x * 5.0])
    return orders(tf, y, x, 2)


@program
def second_order_of_a_loop(tf: Any, x: Any) -> list[Any]:
    return orders(tf, four_turns(tf, x, x), x, 2)


@program
def a_variable_in_a_loop(tf: Any, x: Any) -> list[Any]:
    v = tf.Variable([1.0, 2.0, 3.0], use_resource=True)
    y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.tanh(a * v)), [0, x])[1]
    return list(tf.gradients(y, [x, v]))


@program
def training_on_a_loop(tf: Any, x: Any) -> list[Any]:
    v = tf.Variable([1.0, 2.0, 3.0], use_resource=True)
    y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.tanh(a * v)), [0, x])[1]
    step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y))
    with tf.control_dependencies([step]):
        return [v.read_value()]


@program
def a_conditional_in_a_loop(tf: Any, x: Any) -> list[Any]:
    def body(i: Any, a: Any) -> Any:
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: tf.sin(a) * x, lambda: tf.exp(-a) * x)

    return orders(tf, tf.while_loop(lambda i, a: i < 4, body, [0, x])[1], x, 2)


@program
def a_loop_in_a_loop(tf: Any, x: Any) -> list[Any]:
    def body(i: Any, a: Any) -> Any:
        return i + 1, tf.while_loop(lambda j, b: j < i + 1, lambda j, b: (j + 1, tf.sin(b) * a), [0, a])[1]

    return orders(tf, tf.while_loop(lambda i, a: i < 3, body, [0, x])[1], x, 2)


@program
def a_loop_in_a_conditional(tf: Any, x: Any) -> list[Any]:
    return orders(tf, tf.cond(positive(tf, x), lambda: four_turns(tf, x, x), lambda: x), x, 2)


@program
def a_bounded_loop(tf: Any, x: Any) -> list[Any]:
    def body(i: Any, a: Any) -> Any:
        return i + 1, a * a + x

    y = tf.while_loop(lambda i, a: tf.reduce_sum(a) < 1000, body, [0, x], maximum_iterations=3)[1]
    return list(tf.gradients(y, x))


@program
def a_loop_that_does_not_turn(tf: Any, x: Any) -> list[Any]:
    y = tf.while_loop(lambda i, a: i < 0, lambda i, a: (i + 1, a * x), [0, x * x])[1]
    return list(tf.gradients(y, x))


@program
def a_shape_that_grows(tf: Any, x: Any) -> list[Any]:
    def body(i: Any, a: Any) -> Any:
        return i + 1, tf.concat([a, tf.sin(a[:1])], 0)

    shapes = [tf.TensorShape([]), tf.TensorShape([None])]
    y = tf.while_loop(lambda i, a: i < 3, body, [0, x], shape_invariants=shapes)[1]
    return list(tf.gradients(tf.reduce_sum(y * y), x))


@program
def a_tensor_array(tf: Any, x: Any) -> list[Any]:
    array = tf.TensorArray(tf.float32, size=3)
    made = tf.while_loop(lambda i, a, t: i < 3, lambda i, a, t: (i + 1, tf.sin(a) * x, t.write(i, a)), [0, x, array])[2]
    return list(tf.gradients(made.stack(), x))


@program
def an_array_read_in_a_loop(tf: Any, x: Any) -> list[Any]:
    array = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack(x)
    y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * array.read(i)), [0, x])[1]
    return list(tf.gradients(y, x))


@program
def mapped_and_scanned(tf: Any, x: Any) -> list[Any]:
    mapped = tf.map_fn(lambda e: e * e * x, x)
    scanned = tf.scan(lambda a, e: a * e + x[0], x)
    return [*tf.gradients(mapped, x), *tf.gradients(scanned, x)]


@program
def asked_for_twice(tf: Any, x: Any) -> list[Any]:
    y = tf.cond(positive(tf, x), lambda: tf.exp(x) * x, lambda: x * 3.0)
    z = four_turns(tf, x, y)
    return [*tf.gradients(z, x), *tf.gradients(z, x), *tf.gradients(z * y, [x, y])]


@program
def a_reference_in_a_loop(tf: Any, x: Any) -> list[Any]:
    v = tf.Variable([1.0, 2.0, 3.0], use_resource=False)
    y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * v), [0, x])[1]
    return list(tf.gradients(y, [x, v]))


@program
def unknown_shapes(tf: Any, x: Any) -> list[Any]:
    p = tf.placeholder_with_default(tf.ones([2, 3]), None)

    def body(i: Any, a: Any) -> Any:
        return i + 1, tf.reduce_sum(tf.expand_dims(a, 0) * p, 0) * x

    shapes = [tf.TensorShape([]), tf.TensorShape(None)]
    y = tf.while_loop(lambda i, a: i < 3, body, [0, x], shape_invariants=shapes)[1]
    return list(tf.gradients(y, [x, p]))


@program
def a_recurrent_network(tf: Any, x: Any) -> list[Any]:
    w = tf.Variable(tf.reshape(tf.range(12.0), [4, 3]) / 10.0, use_resource=True)
    steps = tf.TensorArray(tf.float32, 3).unstack(tf.reshape(x, [3, 1]))

    def body(t: Any, h: Any, out: Any) -> Any:
        row = tf.reshape(tf.concat([steps.read(t), h], 0), [1, 4])
        h = tf.tanh(tf.squeeze(tf.matmul(row, w), 0))
        return t + 1, h, out.write(t, h)

    _, h, out = tf.while_loop(lambda t, *_: t < 3, body, [0, tf.zeros([3]), tf.TensorArray(tf.float32, 3)])
    return list(tf.gradients(tf.reduce_sum(out.stack()) + tf.reduce_sum(h), [x, w]))


@program
def rows_of_a_variable_in_a_loop(tf: Any, x: Any) -> list[Any]:
    table = tf.Variable(tf.reshape(tf.range(8.0), [4, 2]), use_resource=True)

    def body(i: Any, a: Any) -> Any:
        return i + 1, a + tf.reduce_sum(tf.gather(table, i) ** 2) * x

    y = tf.while_loop(lambda i, a: i < 3, body, [0, x])[1]
    return [tf.convert_to_tensor(g) for g in tf.gradients(y, [x, table])]


@program
def a_loop_in_a_branch_of_a_loop(tf: Any, x: Any) -> list[Any]:
    v = tf.Variable(2.0, use_resource=True)

    def inner(a: Any) -> Any:
        return tf.while_loop(lambda j, c: j < 2, lambda j, c: (j + 1, c * v + x), [0, a])[1]

    def body(i: Any, a: Any) -> Any:
        return i + 1, tf.cond(i > 1, lambda: a * v, lambda: inner(a))

    found = tf.gradients(tf.while_loop(lambda i, a: i < 4, body, [0, x])[1], [x, v])
    return [*found, *tf.gradients(found[0], v)]


@program
def maps_in_maps(tf: Any, x: Any) -> list[Any]:
    return list(tf.gradients(tf.map_fn(lambda e: tf.map_fn(lambda f: tf.sin(e * f), x), x), x))


@program
def second_order_through_an_array(tf: Any, x: Any) -> list[Any]:
    def body(i: Any, a: Any, t: Any) -> Any:
        return i + 1, tf.sin(a) * x, t.write(i, a * a)

    made = tf.while_loop(lambda i, *_: i < 3, body, [0, x, tf.TensorArray(tf.float32, size=3)])[2]
    return orders(tf, made.stack(), x, 2)


@program
def a_gradient_of_the_users(tf: Any, x: Any) -> list[Any]:
    @tf.custom_gradient
    def squared(x: Any) -> Any:
        return x * x, lambda dy: tf.cond(x[0] > 0, lambda: dy * x, lambda: dy)

    return list(tf.gradients(tf.cond(x[1] < 0, lambda: squared(x) * 2.0, lambda: x), x))


@program
def what_does_not_depend_on_x(tf: Any, x: Any) -> list[Any]:
    y = tf.cond(x[0] > 0, lambda: tf.constant(1.0), lambda: tf.constant(2.0))
    z = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2.0), [0, 1.0])[1]
    return [tf.constant(tf.gradients(w, x)[0] is None) for w in (y, z)]
