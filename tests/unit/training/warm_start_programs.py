"""Variables that start from a checkpoint: what `init_from_checkpoint` and `warm_start` make of it.

fixtures/make/warm_starts.py runs each on TensorFlow and writes fixtures/training/warm_starts.json: the nodes that are
added, the values, the messages; the test holds icefloe's against those.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

GOLDEN = Path(__file__).resolve().parents[3] / "fixtures" / "training" / "warm_starts.json"
PROGRAMS: dict[str, Callable[[Any, str], Any]] = {}


def program(function: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    PROGRAMS[function.__name__] = function
    return function


def run(tf: Any, name: str, directory: str) -> Any:
    """Return what a program gives on `tf`, with `directory` taken out of texts."""

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            return value.replace(directory, "DIR")
        if isinstance(value, dict):
            return {key: clean(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [clean(item) for item in value]
        return value

    with tf.Graph().as_default():
        return clean(PROGRAMS[name](tf, directory))


def nodes(tf: Any, after: int = 0) -> list[str]:
    """Return the nodes of the default graph from a number on: name, op, inputs, device."""
    graph = tf.get_default_graph().as_graph_def()
    return [f"{n.name}|{n.op}|{','.join(n.input)}|{n.device}" for n in list(graph.node)[after:]]


def size(tf: Any) -> int:
    return len(tf.get_default_graph().get_operations())


def save(tf: Any, directory: str, **values: Any) -> str:
    """Write a checkpoint of these values under their names, `__` standing for `/`; return its prefix."""
    with tf.Graph().as_default():
        for name, value in values.items():
            tf.get_variable(name.replace("__", "/"), initializer=np.asarray(value), use_resource=False)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return str(tf.train.Saver().save(session, os.path.join(directory, "old"), write_meta_graph=False))


def values(tf: Any) -> dict[str, Any]:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run({v.name: v for v in tf.global_variables()})
    return {name: np.asarray(value).tolist() for name, value in sorted(found.items())}


def message(action: Callable[[], Any]) -> str:
    try:
        action()
    except Exception as error:  # what it is, is what is told
        return f"{type(error).__name__}: {error}"
    return "no error"


def start(message: str, mark: str) -> str:
    """Return a message up to a mark, what follows being in no certain order or ours."""
    return message[: message.index(mark)] if mark in message else message


MATRIX = np.arange(6, dtype=np.float32).reshape(3, 2)


def variable(tf: Any, name: str, shape: list[int], resource: bool = False, parts: int = 0, **options: Any) -> Any:
    options.setdefault("initializer", tf.zeros_initializer())
    if parts:
        options["partitioner"] = tf.fixed_size_partitioner(parts)
    return tf.get_variable(name, shape, use_resource=resource, **options)


def words(directory: str, name: str, *lines: str) -> str:
    path = os.path.join(directory, name)
    Path(path).write_text("".join(f"{line}\n" for line in lines))
    return path


@program
def init_one(tf: Any, directory: str) -> Any:
    told = []
    prefix = save(tf, directory, a=MATRIX, b=np.float32([7, 8]))
    for resource in (False, True):
        with tf.Graph().as_default(), tf.device("/job:worker/device:GPU:3"):
            v = variable(tf, "v", [3, 2], resource)
            w = variable(tf, "w", [2], resource)
            before = size(tf)
            tf.train.init_from_checkpoint(prefix, {"a": v, "b": "w"})
            told.append([nodes(tf, before), v.initializer.name, v._initial_value.shape.as_list(), w.initial_value.name])
        with tf.Graph().as_default():
            variable(tf, "v", [3, 2], resource)
            tf.train.init_from_checkpoint(directory, [("a", "v")])
            told.append(values(tf))
    return told


@program
def init_twice_from_one(tf: Any, directory: str) -> Any:
    prefix = save(tf, directory, a=MATRIX)
    variable(tf, "v", [3, 2])
    variable(tf, "w", [3, 2])
    tf.train.init_from_checkpoint(prefix, [("a", "w"), ("a", "v")])
    return values(tf), nodes(tf)


@program
def init_scopes(tf: Any, directory: str) -> Any:
    prefix = save(tf, directory, old__x=np.float32(1), old__in__y=np.float32(2), z=np.float32(3), x=np.float32(4))
    told = []
    for given in ({"old/": "new/"}, {"old/": "new/any"}, {"old/in/": "new/in/"}, {"old/in/": "new/in"}, {"/": "top/"}):
        with tf.Graph().as_default():
            with tf.variable_scope("new"):
                variable(tf, "x", [])
                with tf.variable_scope("in"):
                    variable(tf, "y", [])
            with tf.variable_scope("top"):
                variable(tf, "z", [])
            said = message(lambda given=given: tf.train.init_from_checkpoint(prefix, given))
            told.append([start(said, ";"), nodes(tf)])
            told.append(values(tf))
    with tf.Graph().as_default():
        variable(tf, "x", [])
        variable(tf, "z", [])
        tf.train.init_from_checkpoint(prefix, {"/": "/"})
        told.append(values(tf))
    return told


@program
def init_parts(tf: Any, directory: str) -> Any:
    prefix = save(tf, directory, s__a=np.arange(10, dtype=np.float32).reshape(5, 2))
    told = []
    for resource in (False, True):
        for how in ("list", "name", "scope"):
            with tf.Graph().as_default():
                with tf.variable_scope("t"):
                    v = variable(tf, "a", [5, 2], resource, 3)
                before = size(tf)
                given = {"list": {"s/a": list(v)}, "name": {"s/a": "t/a"}, "scope": {"s/": "t/"}}[how]
                tf.train.init_from_checkpoint(prefix, given)
                told.append([nodes(tf, before), values(tf)])
    return told


@program
def init_messages(tf: Any, directory: str) -> Any:
    prefix = save(tf, directory, a=MATRIX, s__b=np.float32(1))
    variable(tf, "v", [2, 2])
    variable(tf, "t/c", [])
    variable(tf, "p", [3, 2], parts=2)
    other = variable(tf, "q", [3, 2], parts=2)
    init = tf.train.init_from_checkpoint
    parts = list(other)[:1] + [v for v in tf.global_variables() if v.name.startswith("p/")][1:]
    return [
        message(lambda: init(prefix, {"a": "v"})),
        start(message(lambda: init(prefix, {"nowhere": "v"})), " {"),
        message(lambda: init(prefix, {"a": "nothing"})),
        message(lambda: init(prefix, {"a": "some/scope/"})),
        start(message(lambda: init(prefix, {"s/": "t/"})), ";"),
        message(lambda: init(prefix, {"a": parts})),
        start(message(lambda: init(os.path.join(directory, "nothing"), {"a": "v"})), " "),
        message(lambda: init(os.path.dirname(words(directory, "x")) + "/empty", {"a": "v"}))[:10],
    ]


@program
def init_of_another_dtype(tf: Any, directory: str) -> Any:
    prefix = save(tf, directory, a=np.int64(3))
    variable(tf, "v", [])
    tf.train.init_from_checkpoint(prefix, {"a": "v"})
    told = message(lambda: values(tf))
    return [told.partition(":")[0], "expected dtype float does not equal original dtype int64" in told]


@program
def warm_all(tf: Any, directory: str) -> Any:
    told = []
    prefix = save(tf, directory, a=MATRIX, n__b=np.float32([7, 8]), step=np.float32(9))
    for chosen in (".*", "n/", ["a"], ["n", "step"], "variables", None):
        with tf.Graph().as_default():
            v = variable(tf, "a", [3, 2])
            variable(tf, "n/b", [2], True)
            variable(tf, "step", [], trainable=False)
            given = [v] if chosen == "variables" else chosen
            tf.train.warm_start(prefix, vars_to_warm_start=given)
            told.append([values(tf), nodes(tf)])
    return told


@program
def warm_names(tf: Any, directory: str) -> Any:
    prefix = save(tf, directory, old=MATRIX)
    variable(tf, "x", [3, 2], parts=2)
    variable(tf, "y", [3, 2])
    tf.train.warm_start(prefix, var_name_to_prev_var_name={"x": "old", "y": "old"})
    return values(tf), nodes(tf)


@program
def warm_messages(tf: Any, directory: str) -> Any:
    prefix = save(tf, directory, x=MATRIX)
    variable(tf, "x", [3, 2])
    info = tf.train.VocabInfo("new", 3, 0, "old")
    warm = tf.train.warm_start
    told = [
        message(lambda: warm(prefix, var_name_to_prev_var_name={"xx": "x"})),
        message(lambda: warm(prefix, var_name_to_vocab_info={"xx": info})),
        message(lambda: warm(prefix, ["x", 3])),
        message(lambda: warm(prefix, ("x",))),
        message(lambda: warm(prefix, var_name_to_vocab_info={"x": tf.train.VocabInfo("", 3, 0, "old")})),
        message(lambda: tf.train.VocabInfo("new", 3, 0, "old", axis=2)),
        repr(info),
        info._asdict(),
    ]
    variable(tf, "z", [3, 2])
    told.append(start(message(lambda: warm(prefix)), " {"))
    return told


def _vocabularies(directory: str) -> tuple[str, str]:
    return words(directory, "old", "red", "green", "blue"), words(directory, "new", "blue", "violet", "red", "black")


def _filling(tf: Any, value: float) -> Callable[[Any], Any]:
    return lambda shape: tf.fill(shape, value)


@program
def warm_rows(tf: Any, directory: str) -> Any:
    prefix = save(tf, directory, x=MATRIX)
    old, new = _vocabularies(directory)
    told = []
    fill = _filling(tf, -1.0)
    for resource in (False, True):
        for size_, buckets, limit, backup in ((4, 0, -1, None), (4, 2, -1, fill), (3, 1, 2, fill)):
            with tf.Graph().as_default():
                variable(tf, "x", [size_ + buckets, 2], resource)
                before = size(tf)
                info = tf.train.VocabInfo(new, size_, buckets, old, limit, backup)
                tf.train.warm_start(prefix, var_name_to_vocab_info={"x": info})
                told.append([nodes(tf, before), values(tf)])
    return told


@program
def warm_rows_of_parts(tf: Any, directory: str) -> Any:
    prefix = save(tf, directory, x=MATRIX)
    old, new = _vocabularies(directory)
    told = []
    for buckets, parts in ((0, 2), (2, 2), (2, 3), (4, 3)):
        with tf.Graph().as_default():
            variable(tf, "x", [4 + buckets, 2], False, parts)
            before = size(tf)
            info = tf.train.VocabInfo(new, 4, buckets, old, backup_initializer=_filling(tf, 5.0))
            tf.train.warm_start(prefix, var_name_to_vocab_info={"x": info})
            told.append([nodes(tf, before), values(tf)])
    return told


@program
def warm_columns(tf: Any, directory: str) -> Any:
    prefix = save(tf, directory, x=MATRIX.T.copy())
    old, new = _vocabularies(directory)
    told = []
    for buckets, parts in ((0, 0), (1, 0), (1, 2)):
        with tf.Graph().as_default():
            variable(tf, "x", [2, 4 + buckets], False, parts)
            before = size(tf)
            info = tf.train.VocabInfo(new, 4, buckets, old, backup_initializer=_filling(tf, 5.0), axis=1)
            tf.train.warm_start(prefix, None, var_name_to_vocab_info={"x": info})
            told.append([nodes(tf, before), values(tf)])
    return told


@program
def warm_from_objects(tf: Any, directory: str) -> Any:
    with tf.Graph().as_default():
        v = variable(tf, "x", [3, 2], True, initializer=tf.constant_initializer(2.0))
        checkpoint = tf.train.Checkpoint(inner=v)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            prefix = checkpoint.save(os.path.join(directory, "objects"), session=session)
    variable(tf, "x", [3, 2])
    tf.train.warm_start(prefix)
    told = [values(tf), nodes(tf)]
    variable(tf, "y", [])
    return [*told, message(lambda: tf.train.warm_start(prefix))]
