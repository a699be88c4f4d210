"""tf.data as training scripts use it: iterators of all kinds, functions with variables, generators, Savers."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import icefloe as tf
from icefloe import errors

Dataset = tf.data.Dataset


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def drawn(session: tf.Session, element: Any, most: int = 50) -> list[Any]:
    found: list[Any] = []
    with pytest.raises(errors.OutOfRangeError):
        found.extend(session.run(element) for _ in range(most))
    return found


def test_one_shot_iterators() -> None:
    element = Dataset.range(4).map(lambda x: x * x).make_one_shot_iterator().get_next()
    for _ in range(2):
        with tf.Session() as session:
            assert drawn(session, element) == [0, 1, 4, 9]
            assert drawn(session, element) == []


def test_one_shot_iterators_have_no_outside_state() -> None:
    variable = tf.Variable(np.int64(2), use_resource=True)
    with pytest.raises(ValueError, match="Use `make_initializable_iterator"):
        Dataset.range(4).map(lambda x: x * variable).make_one_shot_iterator()
    placeholder = tf.placeholder(tf.int64, [])
    with pytest.raises(ValueError, match="placeholder"):
        Dataset.range(placeholder).make_one_shot_iterator()
    iterator = Dataset.range(4).make_one_shot_iterator()
    with pytest.raises(ValueError, match="does not have an initializer"):
        iterator.initializer


def test_a_failing_one_shot_iterator_fails_each_time() -> None:
    element = Dataset.range(0, 3, tf.constant(0, tf.int64)).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        for _ in range(2):
            with pytest.raises(errors.InvalidArgumentError, match="step must be a non-zero integer"):
                session.run(element)


def test_reinitializable_and_feedable_iterators() -> None:
    training = Dataset.range(3)
    validation = Dataset.range(10, 12)
    iterator = tf.data.Iterator.from_structure(training.output_types, training.output_shapes)
    element = iterator.get_next()
    starts = [iterator.make_initializer(d) for d in (training, validation)]
    handle = tf.placeholder(tf.string, [])
    fed = tf.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
    one_shot = training.make_one_shot_iterator()
    with tf.Session() as session:
        for start, expected in zip((*starts, starts[0]), ([0, 1, 2], [10, 11], [0, 1, 2])):
            session.run(start)
            assert drawn(session, element) == expected
        session.run(starts[1])
        strings = [session.run(i.string_handle()) for i in (iterator, one_shot)]
        assert [session.run(fed, {handle: strings[i]}) for i in (0, 1, 1, 0)] == [10, 0, 1, 11]


def test_initializers_check_structures() -> None:
    iterator = tf.data.Iterator.from_structure((tf.int64, tf.string), ([], []))
    with pytest.raises(ValueError, match="same nested structure"):
        iterator.make_initializer(Dataset.range(3))
    with pytest.raises(TypeError, match="Expected output types"):
        iterator.make_initializer(Dataset.zip((Dataset.range(3), Dataset.range(3))))
    shaped = tf.data.Iterator.from_structure(tf.int64, [2])
    with pytest.raises(TypeError, match="Expected output shapes compatible with"):
        shaped.make_initializer(Dataset.range(3))
    with tf.Graph().as_default(), pytest.raises(ValueError, match="is different from the graph"):
        tf.data.make_initializable_iterator(OUTSIDE)


with tf.Graph().as_default():
    OUTSIDE = Dataset.range(3)


def test_structures() -> None:
    dataset = Dataset.from_tensor_slices({"b": ([1, 2], ["x", "y"]), "a": np.zeros((2, 3))})
    assert dataset.output_types == {"b": (tf.int32, tf.string), "a": tf.float64}
    assert dataset.output_shapes["a"].as_list() == [3]
    assert tf.data.get_output_classes(dataset)["b"] == (tf.Tensor, tf.Tensor)
    element = dataset.map(lambda d: (d["a"], d["b"][0])).make_one_shot_iterator().get_next()
    assert [t.shape.as_list() for t in element] == [[3], []]
    with tf.Session() as session:
        found = drawn(session, element)
    assert [(a.tolist(), b) for a, b in found] == [([0, 0, 0], 1), ([0, 0, 0], 2)]


def test_functions_may_use_variables() -> None:
    count = tf.get_variable("count", [], tf.int64, tf.zeros_initializer(), use_resource=True)

    def step(x: Any) -> Any:
        before = count.read_value()
        with tf.control_dependencies([before]):
            count.assign_add(x)
        return before, count.read_value()

    iterator = Dataset.range(1, 4).map(step).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(iterator.initializer)
        assert drawn(session, element) == [(0, 1), (1, 3), (3, 6)]
        assert session.run(count) == 6


def test_random_functions_begin_anew_with_the_iterator() -> None:
    dataset = Dataset.range(3).map(lambda _: tf.random.uniform([], seed=5)).repeat(2)
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        first = drawn(session, element)
        session.run(iterator.initializer)
        assert drawn(session, element) == first
    assert len(set(first)) == 6


def test_a_training_loop_with_epochs() -> None:
    x = np.arange(20, dtype=np.float32)
    dataset = Dataset.from_tensor_slices((x, 3 * x + 1)).shuffle(20, seed=2).batch(5).repeat(2).prefetch(1)
    features, labels = dataset.make_one_shot_iterator().get_next()
    loss = tf.reduce_mean(tf.square(3 * features + 1 - labels))
    with tf.Session() as session:
        assert drawn(session, loss) == [0.0] * 8


# Generators


def test_generators() -> None:
    begun = []

    def generator(stop: Any, word: bytes) -> Any:
        begun.append((stop, word))
        for i in range(stop):
            yield {"n": i, "s": word * i}

    dataset = Dataset.from_generator(generator, {"n": tf.int32, "s": tf.string}, {"n": [], "s": []}, args=(3, "ab"))
    iterator = dataset.repeat(2).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        found = drawn(session, element)
    assert [(d["n"], d["s"]) for d in found] == [(0, b""), (1, b"ab"), (2, b"abab")] * 2
    assert begun == [(3, b"ab")] * 2


BAD_YIELDS = {
    "structure": ([1], (tf.int32, tf.int32), None, "did not match the expected structure"),
    "type": (["x"], tf.int32, None, "could not be converted to the expected type"),
    "array type": ([np.float32(1)], tf.int32, None, "yielded an element of type float32"),
    "shape": ([[1, 2]], tf.int32, [3], "yielded an element of shape"),
}


@pytest.mark.parametrize("name", BAD_YIELDS)
def test_what_generators_may_not_yield(name: str) -> None:
    values, types, shapes, text = BAD_YIELDS[name]
    element = Dataset.from_generator(lambda: iter(values), types, shapes).make_one_shot_iterator().get_next()
    with tf.Session() as session, pytest.raises(errors.OpError, match=text):
        session.run(element)


def test_a_generator_that_raises() -> None:
    def generator() -> Any:
        yield 1
        raise RuntimeError("no more")

    element = Dataset.from_generator(generator, tf.int32).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert session.run(element) == 1
        with pytest.raises(errors.OpError, match="no more"):
            session.run(element)


# Files


def test_listing_files(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.csv"):
        (tmp_path / name).write_text(name)
    listed = Dataset.list_files(str(tmp_path / "*.txt"), shuffle=False)
    lines = listed.flat_map(tf.data.TextLineDataset).make_initializable_iterator()
    none = Dataset.list_files(str(tmp_path / "*.none")).make_initializable_iterator()
    with tf.Session() as session:
        session.run(lines.initializer)
        assert drawn(session, lines.get_next()) == [b"a.txt", b"b.txt"]
        with pytest.raises(errors.InvalidArgumentError, match="No files matched pattern"):
            session.run(none.initializer)


def test_writing_records(tmp_path: Path) -> None:
    path = str(tmp_path / "out.tfr")
    words = Dataset.from_tensor_slices(["a", "bc"])
    write = tf.data.experimental.TFRecordWriter(path, "GZIP").write(words)
    iterator = tf.data.TFRecordDataset([path], "GZIP").make_initializable_iterator()
    with tf.Session() as session:
        session.run(write)
        session.run(iterator.initializer)
        assert drawn(session, iterator.get_next()) == [b"a", b"bc"]
    with pytest.raises(TypeError, match="single strings"):
        tf.data.experimental.TFRecordWriter(path).write(Dataset.range(3))


def test_a_saver_keeps_the_position(tmp_path: Path) -> None:
    iterator = Dataset.range(9).shuffle(4, seed=1).batch(2).make_initializable_iterator()
    element = iterator.get_next()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
    tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, saveable)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(iterator.initializer)
        session.run(element)
        saver.save(session, str(tmp_path / "m"))
        rest = [v.tolist() for v in drawn(session, element)]
    with tf.Session() as session:
        session.run(iterator.initializer)
        saver.restore(session, str(tmp_path / "m"))
        assert [v.tolist() for v in drawn(session, element)] == rest


def test_optionals_end_without_an_error() -> None:
    iterator = Dataset.range(2).make_initializable_iterator()
    optional = tf.data.experimental.get_next_as_optional(iterator)
    has, value = optional.has_value(), optional.get_value()
    with tf.Session() as session:
        session.run(iterator.initializer)
        assert [session.run([has, value]) for _ in range(2)] == [[True, 0], [True, 1]]
        assert not session.run(has)


REFUSED = {
    "no dataset": (lambda: Dataset.range(3).flat_map(lambda x: x), TypeError, "must return a `Dataset` object"),
    "no bool": (lambda: Dataset.range(3).filter(lambda x: x), ValueError, "must return a `tf.bool` scalar"),
    "no element": (lambda: Dataset.range(3).map(lambda x: object()), TypeError, "Unsupported return value"),
    "other kinds": (lambda: Dataset.range(3).concatenate(Dataset.from_tensors("a")), TypeError, "Incompatible"),
    "empty slices": (lambda: Dataset.from_tensor_slices(()), ValueError, "should not be empty"),
    "no datasets": (lambda: Dataset.zip((1, 2)), TypeError, "Invalid input to `zip`"),
    "no length": (lambda: len(Dataset.range(3)), TypeError, "only supports `len` in eager mode"),
    "no loop": (lambda: list(Dataset.range(3)), RuntimeError, "Python-style iteration"),
    "no arguments": (lambda: Dataset.range(), ValueError, "length of `args`"),
    "shard": (lambda: Dataset.range(3).shard(2, 2), ValueError, "must be in"),
    "small pads": (lambda: Dataset.from_tensors([1, 2]).padded_batch(1, [1]), ValueError, "not compatible"),
    "pads": (lambda: Dataset.from_tensors([1]).padded_batch(1, [2], 0.5), TypeError, "does not match type"),
    "apply": (lambda: Dataset.range(3).apply(lambda d: 1), TypeError, "must return a `tf.data.Dataset`"),
    "option": (lambda: setattr(tf.data.Options(), "nonsense", 1), AttributeError, "Cannot set the property"),
    "option type": (lambda: setattr(tf.data.Options(), "deterministic", 1), TypeError, "must be of type"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    build, kind, text = REFUSED[name]
    with pytest.raises(kind, match=text):
        build()


def test_options_go_with_datasets() -> None:
    options = tf.data.Options()
    options.experimental_threading.private_threadpool_size = 3
    options.deterministic = False
    made = Dataset.range(3).with_options(options).map(lambda x: x)
    assert made.options().threading.private_threadpool_size == 3
    assert made.options() == options
    node = next(op for op in tf.get_default_graph().get_operations() if op.type == "OptionsDataset")
    assert node.get_attr("serialized_options") == b"\x08\x00\x12\x00\x1a\x00*\x02\x10\x03:\x00b\x00"
