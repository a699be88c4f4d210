"""Training loops: sessions that are monitored, hooks, supervisors, event files, Checkpoints, record files.

fixtures/make/training_loops.py runs each on TensorFlow and writes fixtures/training/loops.json.gz: the nodes that are
added, the files and events written, the values and messages; the tests hold icefloe's against those.
"""

from __future__ import annotations

import base64
import contextlib
import logging
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

GOLDEN = Path(__file__).resolve().parents[3] / "fixtures" / "training" / "loops.json.gz"
PROGRAMS: dict[str, Callable[[Any, str], Any]] = {}
# The module of the functions of averages that are in no namespace; who runs the programs puts it here.
NOT_PUBLIC: list[Any] = []


def program(function: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    PROGRAMS[function.__name__] = function
    return function


def run(tf: Any, name: str, directory: str) -> Any:
    """Return what a program gives on `tf`; it may write below `directory`."""
    with tf.Graph().as_default():
        return PROGRAMS[name](tf, directory)


# What is told of graphs, files and events


def nodes(tf: Any) -> list[str]:
    """Return the nodes of the default graph: name, op, inputs, device."""
    graph = tf.get_default_graph().as_graph_def()
    return [f"{n.name}|{n.op}|{','.join(n.input)}|{n.device}" for n in graph.node]


def listing(directory: str) -> list[str]:
    """Return the files below a directory, those of events without time and host."""
    found = []
    for where, _, names in os.walk(directory):
        for name in names:
            path = os.path.relpath(os.path.join(where, name), directory)
            found.append(re.sub(r"tfevents\.\d+\.[^.]+", "tfevents.T.H", path))
    return sorted(set(found))


def events(tf: Any, directory: str) -> list[Any]:
    """Return the events of the files in a directory, file by file, without times; of graphs only their size in nodes."""
    told: list[Any] = []
    for path in sorted(os.path.join(directory, name) for name in os.listdir(directory) if "tfevents" in name):
        for event in tf.train.summary_iterator(path):
            kind = event.WhichOneof("what")
            content: Any = None
            if kind == "summary":
                content = [
                    [v.tag, None if v.tag.endswith("/sec") else v.simple_value, v.metadata.plugin_data.plugin_name]
                    for v in event.summary.value
                ]
            elif kind == "session_log":
                content = [event.session_log.status, os.path.basename(event.session_log.checkpoint_path)]
            elif kind == "tagged_run_metadata":
                content = event.tagged_run_metadata.tag
            elif kind == "file_version":
                content = event.file_version
            told.append([kind, event.step, content])
    return told


@contextlib.contextmanager
def logged(tf: Any) -> Iterator[list[str]]:
    """Gather what is logged, at all levels from INFO."""
    told: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.append(f"{record.levelname}: {record.getMessage()}")

    logger = logging.getLogger("tensorflow")
    handler, level = Handler(), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield told
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def said(call: Callable[[], Any]) -> Any:
    """Return what a call raises, as class and text, else None."""
    try:
        call()
    except Exception as error:
        return [type(error).__name__, str(error)]
    return None


def counting(tf: Any) -> tuple[Any, Any]:
    """Return a global step and the op that counts it up; a variable goes along. There is a summary of another, which a
    run that counts finds the same whatever comes first.
    """
    step = tf.train.get_or_create_global_step()
    weight = tf.get_variable("w", initializer=np.array([1.0, 2.0], np.float32))
    local = tf.Variable(0, collections=[tf.GraphKeys.LOCAL_VARIABLES], name="local")
    tf.summary.scalar("total", tf.reduce_sum(tf.get_variable("kept", initializer=np.array([2.5, 3.5], np.float32))))
    with tf.control_dependencies([tf.assign_add(weight, [1.0, 1.0]), tf.assign_add(local, 1)]):
        return step, tf.assign_add(step, 1)


# Scaffolds and sessions


@program
def scaffold_nodes(tf: Any, directory: str) -> Any:
    counting(tf)
    tf.get_variable("r", [2], use_resource=True, initializer=tf.zeros_initializer())
    scaffold = tf.train.Scaffold().finalize()
    graph = tf.get_default_graph()
    keys = ("init_op", "ready_op", "ready_for_local_init_op", "local_init_op", "summary_op")
    found = [getattr(scaffold, key).name for key in keys]
    return [nodes(tf), found, graph.finalized, sorted(graph.get_all_collection_keys())]


@program
def scaffold_of_nothing(tf: Any, directory: str) -> Any:
    scaffold = tf.train.Scaffold().finalize()
    return [nodes(tf), scaffold.summary_op, scaffold.saver is None]


@program
def training_session(tf: Any, directory: str) -> Any:
    _, count = counting(tf)
    values = []
    hooks = [tf.train.StopAtStepHook(last_step=7)]
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=directory,
        hooks=hooks,
        save_checkpoint_steps=3,
        save_summaries_steps=2,
        log_step_count_steps=5,
    ) as session:
        while not session.should_stop():
            values.append(int(session.run(count)))
        again = said(lambda: session.run(count))
    state = tf.train.get_checkpoint_state(directory)
    kept = [os.path.basename(p) for p in state.all_model_checkpoint_paths]
    tf.summary.FileWriterCache.clear()
    return [values, again, nodes(tf), listing(directory), kept, events(tf, directory)]


@program
def session_of_resources(tf: Any, directory: str) -> Any:
    tf.get_variable_scope().set_use_resource(True)
    parts = tf.fixed_size_partitioner(2)
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b"]), tf.constant([1, 2])), -1
    )
    weight = tf.get_variable("w", [4, 2], initializer=tf.ones_initializer(), partitioner=parts)
    local = tf.get_variable(
        "l", [2], initializer=tf.zeros_initializer(), collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False
    )
    loss = tf.reduce_sum(tf.convert_to_tensor(weight) ** 2.0) + tf.reduce_sum(local)
    step = tf.train.get_or_create_global_step()
    train = tf.train.MomentumOptimizer(0.25, 0.5).minimize(loss, global_step=step)
    found = table.lookup(tf.constant(["b", "c"]))
    told = []
    for _ in range(2):
        with tf.train.MonitoredTrainingSession(checkpoint_dir=directory, save_summaries_secs=60) as session:
            told += [float(session.run([loss, train])[0]) for _ in range(2)]
            told.append([int(v) for v in session.run(found)])
            told.append(int(session.run(step)))
    reader = tf.train.load_checkpoint(directory)
    return [told, nodes(tf), dict(sorted(reader.get_variable_to_shape_map().items()))]


@program
def restored_session(tf: Any, directory: str) -> Any:
    step, count = counting(tf)
    for _ in range(2):
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=directory, hooks=[tf.train.StopAtStepHook(num_steps=2)], save_summaries_steps=None
        ) as session:
            while not session.should_stop():
                session.run(count)
        tf.summary.FileWriterCache.clear()
    with tf.train.SingularMonitoredSession(checkpoint_dir=directory) as session:
        last = session.raw_session().run([step, tf.get_default_graph().get_tensor_by_name("w:0")])
    with tf.train.SingularMonitoredSession(
        checkpoint_filename_with_path=os.path.join(directory, "model.ckpt-2")
    ) as session:
        earlier = session.raw_session().run(step)
    return [int(last[0]), last[1].tolist(), int(earlier), listing(directory)]


@program
def hook_calls(tf: Any, directory: str) -> Any:
    step, count = counting(tf)
    x = tf.placeholder(tf.float32, [], name="x")
    y = x * 2.0
    tick = tf.assign_add(tf.get_variable("tick", initializer=-1), 1)
    told: list[Any] = []

    class Hook(tf.train.SessionRunHook):  # type: ignore[misc]
        def __init__(self, name: str, fed: Any = None) -> None:
            self.name, self.fed = name, fed

        def begin(self) -> None:
            told.append([self.name, "begin", tf.get_default_graph().finalized])

        def after_create_session(self, session: Any, coord: Any) -> None:
            told.append([self.name, "made", tf.get_default_graph().finalized, coord.should_stop()])

        def before_run(self, run_context: Any) -> Any:
            told.append([self.name, "before", str(run_context.original_args.fetches), run_context.stop_requested])
            return tf.train.SessionRunArgs({"s": tick}, feed_dict=self.fed)

        def after_run(self, run_context: Any, run_values: Any) -> None:
            told.append([self.name, "after", int(run_values.results["s"]), run_values.options.trace_level])
            if run_values.results["s"] >= 1 and self.name == "b":
                run_context.request_stop()

        def end(self, session: Any) -> None:
            told.append([self.name, "end", int(session.run(step))])

    with tf.train.MonitoredSession(hooks=[Hook("a"), Hook("b", {x: 4.0})]) as session:
        while not session.should_stop():
            told.append([float(session.run(y)), int(session.run(count)) if not session.should_stop() else None])
    conflict = tf.train.MonitoredSession(hooks=[Hook("c", {x: 1.0}), Hook("d", {x: 2.0})])
    told.append(said(lambda: conflict.run(y)))
    conflict.close()
    told.append(said(conflict.close))
    user = tf.train.MonitoredSession(hooks=[Hook("e", {x: 1.0})])
    told.append(said(lambda: user.run(y, {x: 3.0})))
    return told


@program
def ends_of_sessions(tf: Any, directory: str) -> Any:
    _, count = counting(tf)
    told: list[Any] = []

    class Hook(tf.train.SessionRunHook):  # type: ignore[misc]
        def end(self, session: Any) -> None:
            told.append("end")

    def ending(error: BaseException) -> None:
        with tf.train.MonitoredSession(hooks=[Hook()]) as session:
            session.run(count)
            raise error

    errors = (tf.errors.OutOfRangeError(None, None, "end"), StopIteration(), ValueError("no"))
    for error in errors:
        outcome = said(lambda error=error: ending(error))
        told.append(outcome)
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(10, tf.int32)
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(tf.train.limit_epochs(7, 3))]))
        taken = queue.dequeue()
        with tf.train.MonitoredSession() as session:
            while not session.should_stop():
                told.append(int(session.run(taken)))
    return told


@program
def step_functions(tf: Any, directory: str) -> Any:
    step, count = counting(tf)
    told: list[Any] = []

    def fine(step_context: Any) -> Any:
        told.append(int(step_context.session.run(step)))
        return int(step_context.run_with_hooks(count))

    def stopping(step_context: Any) -> Any:
        step_context.request_stop()

    with tf.train.MonitoredSession() as session:
        told.append(session.run_step_fn(fine))
        told.append(said(lambda: session.run_step_fn(lambda other: None)))
        told.append(said(lambda: session.run_step_fn(lambda step_context, more: None)))
        session.run_step_fn(stopping)
        told.append("not reached")
    return told


@program
def lost_machines(tf: Any, directory: str) -> Any:
    _, count = counting(tf)
    told: list[Any] = []

    class Failing(tf.train.SessionRunHook):  # type: ignore[misc]
        def __init__(self) -> None:
            self.left = 2

        def before_run(self, run_context: Any) -> Any:
            if self.left:
                self.left -= 1
                raise tf.errors.AbortedError(None, None, "gone")

        def after_create_session(self, session: Any, coord: Any) -> None:
            told.append("made")

    with tf.train.MonitoredSession(hooks=[Failing()]) as session:
        told.append(int(session.run(count)))
    told.append(said(lambda: tf.train.SingularMonitoredSession(hooks=[Failing()]).run(count)))
    return told


@program
def session_managers(tf: Any, directory: str) -> Any:
    v = tf.get_variable("v", initializer=1.0)
    w = tf.get_variable("w", initializer=2.0)
    saver = tf.train.Saver()
    part = tf.train.Saver([v])
    ready = tf.report_uninitialized_variables()
    init = tf.global_variables_initializer()
    make = tf.train.SessionManager
    told: list[Any] = []
    plain = make(ready_op=ready, recovery_wait_secs=0.01)
    told.append(said(lambda: plain.prepare_session("")))
    told.append(said(lambda: plain.prepare_session("", init_op=v.initializer)))
    told.append(said(lambda: plain.prepare_session("", init_fn=lambda s: s.run(v.initializer), init_op=w.initializer)))
    told.append(said(lambda: make(ready_for_local_init_op=ready))[1].partition(" [")[0])
    told.append(said(lambda: make(ready_op=ready, local_init_op=v.initializer).prepare_session("")))
    local = make(ready_op=ready, ready_for_local_init_op=ready, local_init_op=v.initializer)
    told.append(said(lambda: local.prepare_session("", init_op=w.initializer)))
    told.append(said(lambda: plain.wait_for_session("", max_wait_secs=0.03)))
    session = plain.prepare_session("", init_op=init, saver=saver, checkpoint_dir=directory)
    told.append(plain.recover_session("", saver=saver, checkpoint_dir=directory)[1])
    path = part.save(session, os.path.join(directory, "p"))
    told.append(plain.recover_session("", saver=part, checkpoint_dir=directory)[1])
    path = saver.save(session, os.path.join(directory, "m"))
    told.append(plain.recover_session("", saver=saver, checkpoint_dir=directory)[1])
    told.append(plain.recover_session("", saver=saver, checkpoint_filename_with_path=path)[1])
    both = {"checkpoint_dir": directory, "checkpoint_filename_with_path": path}
    told.append(said(lambda: plain.recover_session("", saver=saver, **both)))
    return told


@program
def worker_session(tf: Any, directory: str) -> Any:
    counting(tf)
    creator = tf.train.WorkerSessionCreator(max_wait_secs=0.05)
    return said(creator.create_session)


# Hooks


@program
def hook_arguments(tf: Any, directory: str) -> Any:
    train = tf.train
    return [
        said(lambda: train.SecondOrStepTimer()),
        said(lambda: train.SecondOrStepTimer(1.0, 1)),
        said(lambda: train.StopAtStepHook()),
        said(lambda: train.StopAtStepHook(1, 2)),
        said(lambda: train.LoggingTensorHook(["a"])),
        said(lambda: train.LoggingTensorHook(["a"], 1, 1)),
        said(lambda: train.LoggingTensorHook(["a"], every_n_iter=0)),
        said(lambda: train.StepCounterHook(None, None)),
        said(lambda: train.StepCounterHook(1, 2.0)),
        said(lambda: train.SummarySaverHook(1)),
        said(lambda: train.SummarySaverHook(1, summary_op=3, scaffold=train.Scaffold())),
        said(lambda: train.CheckpointSaverHook(directory, 1, saver=1, scaffold=1)),
        said(lambda: train.CheckpointSaverHook(directory)),
        said(lambda: train.StopAtStepHook(1).begin()),
        said(lambda: train.GlobalStepWaiterHook(1).begin()),
        said(lambda: train.ProfilerHook(1, output_dir=directory).begin()),
        said(lambda: train.Scaffold(copy_from_scaffold=3)),
        str(train.NanLossDuringTrainingError()),
    ]


@program
def logging_hook(tf: Any, directory: str) -> Any:
    _, count = counting(tf)
    small = tf.constant(1e-5, name="small")
    split = tf.split(tf.constant([1, 2]), 2)
    hooks = [
        tf.train.LoggingTensorHook({"b": "small", "a": count}, every_n_iter=2, at_end=True),
        tf.train.LoggingTensorHook([small], at_end=True, formatter=lambda values: f"got {len(values)}"),
    ]
    with logged(tf) as told, tf.train.MonitoredSession(hooks=hooks) as session:
        for _ in range(4):
            session.run(count)
    kept = [re.sub(r"[\d.]+ sec", "T sec", line) for line in told if " = " in line or "got" in line]
    bad = [
        said(lambda: tf.train.LoggingTensorHook([split[0].op.name], 1).begin()),
        said(lambda: tf.train.LoggingTensorHook(["nothing"], 1).begin())[0],
    ]
    return [kept, bad]


@program
def other_hooks(tf: Any, directory: str) -> Any:
    step, count = counting(tf)
    x = tf.placeholder(tf.float32, [], name="x")
    loss = tf.where(count > 2, float("nan"), x)
    final = tf.train.FinalOpsHook({"s": step, "x": x + 1.0}, {x: 2.0})
    told: list[Any] = []
    hooks = [
        tf.train.FeedFnHook(lambda: {x: 1.0}),
        final,
        tf.train.NanTensorHook(loss, fail_on_nan_loss=False),
        tf.train.GlobalStepWaiterHook(0),
    ]
    with tf.train.MonitoredSession(hooks=hooks) as session:
        while not session.should_stop():
            told.append(float(session.run([x, count])[0]))
    told.append({k: float(v) for k, v in final.final_ops_values.items()})
    failing = [tf.train.FeedFnHook(lambda: {x: 1.0}), tf.train.NanTensorHook(loss)]
    session = tf.train.MonitoredSession(hooks=failing)
    told.append([said(lambda: session.run(count)) for _ in range(4)])
    return told


@program
def saver_listeners(tf: Any, directory: str) -> Any:
    _, count = counting(tf)
    told: list[Any] = []

    class Listener(tf.train.CheckpointSaverListener):  # type: ignore[misc]
        def begin(self) -> None:
            told.append("begin")

        def before_save(self, session: Any, global_step_value: Any) -> None:
            told.append(["before", int(global_step_value)])

        def after_save(self, session: Any, global_step_value: Any) -> Any:
            told.append(["after", int(global_step_value), os.path.basename(tf.train.latest_checkpoint(directory))])
            return global_step_value >= 4

        def end(self, session: Any, global_step_value: Any) -> None:
            told.append(["end", int(global_step_value)])

    scaffold = tf.train.Scaffold()
    hook = tf.train.CheckpointSaverHook(
        directory, save_steps=2, scaffold=scaffold, listeners=[Listener()], save_graph_def=False
    )
    creator = tf.train.ChiefSessionCreator(scaffold)
    with logged(tf) as messages, tf.train.MonitoredSession(creator, [hook]) as session:
        while not session.should_stop():
            session.run(count)
    kept = [line.replace(directory, "DIR") for line in messages if "heckpoint" in line and "listener:" not in line]
    return [told, kept, listing(directory)]


@program
def profiler_hook(tf: Any, directory: str) -> Any:
    _, count = counting(tf)
    with tf.train.MonitoredSession(hooks=[tf.train.ProfilerHook(save_steps=2, output_dir=directory)]) as session:
        for _ in range(5):
            session.run(count)
    tf.summary.FileWriterCache.clear()
    return [listing(directory), events(tf, directory)]


# Supervisors


@program
def supervisor(tf: Any, directory: str) -> Any:
    _, count = counting(tf)
    sv = tf.train.Supervisor(logdir=directory, save_summaries_secs=0, save_model_secs=0)
    with sv.managed_session() as session:
        for _ in range(3):
            session.run(count)
        sv.summary_computed(session, session.run(sv.summary_op))
        sv.saver.save(session, sv.save_path, global_step=sv.global_step)
        looked = []
        thread = sv.loop(0.001, lambda: (looked.append(1), sv.request_stop()))
        thread.join(5)
        stopped = sv.should_stop()
    attributes = [sv.is_chief, os.path.basename(sv.save_path), sv.init_op.name, sv.ready_op.name, sv.summary_op.name]
    return [nodes(tf), attributes, bool(looked), stopped, listing(directory), events(tf, directory)]


@program
def supervisor_refusals(tf: Any, directory: str) -> Any:
    counting(tf)
    told = [said(lambda: tf.train.Supervisor(is_chief=False))]
    told[0][1] = told[0][1].partition(": ")[0]
    sv = tf.train.Supervisor(summary_writer=None)
    told.append(said(lambda: sv.summary_computed(None, b"")))

    def failing() -> None:
        with sv.managed_session():
            raise ValueError("from the block")

    told.append(said(failing))

    def ending() -> None:
        with sv.managed_session():
            raise tf.errors.OutOfRangeError(None, None, "the end")

    told.append(said(ending))
    return told


@program
def train_loop(tf: Any, directory: str) -> Any:
    _, count = counting(tf)
    sv = tf.train.Supervisor()
    told: list[Any] = []

    def one(session: Any, add: int, times: int = 1) -> None:
        told.append(int(session.run(count)) * times + add)
        if len(told) == 2:
            raise tf.errors.AbortedError(None, None, "gone")
        if len(told) >= 4:
            sv.request_stop()

    tf.train.basic_train_loop(sv, one, args=(100,), kwargs={"times": 10})
    return told


# Several machines


@program
def sync_replicas(tf: Any, directory: str) -> Any:
    step = tf.train.get_or_create_global_step()
    weight = tf.get_variable("w", initializer=np.array([1.0, 2.0], np.float32))
    table = tf.get_variable("e", initializer=np.ones((4, 2), np.float32))
    loss = tf.reduce_sum(weight * weight) + tf.reduce_sum(tf.gather(table, [1, 1, 3]))
    inner = tf.train.MomentumOptimizer(0.25, 0.5)
    optimizer = tf.train.SyncReplicasOptimizer(inner, replicas_to_aggregate=1, total_num_replicas=1)
    early = [
        said(optimizer.get_chief_queue_runner),
        said(optimizer.get_init_tokens_op),
        said(optimizer.make_session_run_hook(True).begin),
        said(lambda: optimizer.apply_gradients([])),
        said(lambda: optimizer.apply_gradients([(weight, weight)])),
    ]
    train = optimizer.minimize(loss, global_step=step)
    early.append(said(lambda: optimizer.get_init_tokens_op(-3)))
    hook = optimizer.make_session_run_hook(True)
    with tf.train.MonitoredTrainingSession(hooks=[hook], stop_grace_period_secs=0.2) as session:
        for _ in range(3):
            session.run(train)
        values = session.run([weight, table])
    made = [line for line in nodes(tf) if "Initializer" not in line]
    names = [optimizer.get_slot_names(), sorted(v.name for v in optimizer.variables())]
    return [early, made, [v.tolist() for v in values], names]


@program
def device_setter(tf: Any, directory: str) -> Any:
    setter = tf.train.replica_device_setter
    cluster = {"ps": ["a:1", "b:1"], "worker": ["c:1"]}
    told: list[Any] = []
    for options in (
        {"cluster": cluster},
        {"ps_tasks": 3, "worker_device": "/job:w/task:4"},
        {"cluster": tf.train.ClusterSpec(cluster), "ps_device": "/job:ps/cpu:0", "ps_ops": ["Const"]},
        {"ps_tasks": 2, "ps_strategy": lambda op: 1, "merge_devices": False},
    ):
        with tf.Graph().as_default(), tf.device(setter(**options)):
            for i in range(3):
                tf.Variable(float(i), name=f"v{i}")
            tf.get_variable("r", [2], use_resource=True, initializer=tf.zeros_initializer())
            with tf.device("/cpu:1"):
                tf.Variable(1.0, name="inner")
            with tf.device("/job:other/task:7"):
                tf.Variable(1.0, name="other")
            told.append([f"{n.name}|{n.device}" for n in tf.get_default_graph().as_graph_def().node])
    told.append([setter() is None, setter(cluster={"worker": ["a:1"]}) is None])
    told.append(said(lambda: setter(ps_tasks=1, ps_strategy=3)))
    return told


# Event files


@program
def file_writer(tf: Any, directory: str) -> Any:
    tf.placeholder(tf.float32, [2], name="x")
    summary = tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=1.5)])
    summary.value[0].metadata.plugin_data.plugin_name = "p"
    writer = tf.summary.FileWriter(directory, tf.get_default_graph(), filename_suffix=".more")
    for step in (1, 2):
        writer.add_summary(summary.SerializeToString(), step)
    writer.add_session_log(tf.SessionLog(status=tf.SessionLog.STOP), 3)
    writer.add_run_metadata(tf.RunMetadata(), "tag", 4)
    told = [
        said(lambda: writer.add_run_metadata(tf.RunMetadata(), "tag")),
        said(lambda: writer.add_graph(3)),
        said(lambda: writer.add_graph(tf.get_default_graph(), graph_def=3)),
        said(lambda: writer.add_meta_graph(3)),
        said(tf.summary.initialize),
        tf.summary.all_v2_summary_ops(),
    ]
    writer.add_event(tf.Event(step=5))
    writer.close()
    graphs = [
        len(tf.GraphDef.FromString(e.graph_def).node)
        for name in os.listdir(directory)
        for e in tf.train.summary_iterator(os.path.join(directory, name))
        if e.graph_def
    ]
    return [told, listing(directory), events(tf, directory), graphs]


@program
def record_files(tf: Any, directory: str) -> Any:
    io = tf.python_io
    kinds = io.TFRecordCompressionType
    path = os.path.join(directory, "r")
    told: list[Any] = []
    for options in (
        None,
        "",
        "GZIP",
        "ZLIB",
        kinds.ZLIB,
        io.TFRecordOptions(kinds.GZIP),
        io.TFRecordOptions("ZLIB", compression_level=1, mem_level=2, window_bits=10),
        io.TFRecordOptions("GZIP", compression_strategy=2, flush_mode=2),
    ):
        with io.TFRecordWriter(path, options) as writer:
            for i in range(20):
                writer.write(b"record %d " % i * (i % 5))
                if i == 10:
                    writer.flush()
        data = Path(path).read_bytes()
        told.append([base64.b64encode(data).decode(), len(list(io.tf_record_iterator(path, options)))])
        told.append(io.TFRecordOptions.get_compression_type_string(options))
    Path(path).write_bytes(b"no such file, but long enough")
    writer.close()
    refused = [
        said(lambda: list(io.tf_record_iterator(path))),
        said(lambda: io.TFRecordWriter("/no/such/directory/r")),
        said(lambda: io.tf_record_iterator("/no/such/file")),
        said(lambda: writer.write(b"x")),
    ]
    # icefloe says in front which file it is about.
    return [told, said(lambda: io.TFRecordOptions("BZ2")), [[kind, text.split(": ")[-1]] for kind, text in refused]]


# Checkpoints


def model(tf: Any) -> dict[str, Any]:
    """Return the parts of a Checkpoint, of all kinds."""
    with tf.variable_scope("scope"):
        v = tf.get_variable("v", initializer=np.array([1.0, 2.0], np.float32))
    r = tf.get_variable("r", use_resource=True, initializer=np.array([3.0, 4.0], np.float32))
    e = tf.get_variable("emb", initializer=np.ones((3, 2), np.float32))
    name = tf.get_variable("name", initializer=np.array([b"x", b"yy"], object))
    loss = tf.reduce_sum(v * v + r * r) + tf.reduce_sum(tf.gather(e, [0, 1]))
    step = tf.train.get_or_create_global_step()
    adam, momentum = tf.train.AdamOptimizer(0.1), tf.train.MomentumOptimizer(0.1, 0.9)
    adam.minimize(loss, global_step=step)
    momentum.minimize(loss, var_list=[v])

    class Module(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__("mod")
            self.w = tf.Variable(5.0, name="w")
            self.sub = [tf.Variable(np.int64(6), name="l0"), 3]
            self.number = 3

    inner = tf.train.Checkpoint(z=tf.Variable(np.int8(1), name="z"), v=v)
    return {
        "variable": v,
        "resource": r,
        "name": name,
        "adam": adam,
        "momentum": momentum,
        "inner": inner,
        "listed": [tf.Variable(7.0, name="listed"), e],
        "named": {"k": tf.Variable(8.0, name="k"), "a.b/c": tf.Variable(True, name="odd"), "also": v},
        "pair": (tf.Variable(9.0, name="pair"),),
        "module": Module(),
        "step": step,
        "empty": [],
    }


def shaken(tf: Any, session: Any) -> None:
    """Give all variables of numbers other values, those of a checkpoint of their own."""
    for i, variable in enumerate(tf.global_variables()):
        if variable.dtype.base_dtype.is_floating:
            variable.load(np.full(variable.shape.as_list(), i + 0.5, np.float32), session)


@program
def object_checkpoint(tf: Any, directory: str) -> Any:
    checkpoint = tf.train.Checkpoint(**model(tf))
    checkpoint.later = tf.train.Checkpoint()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        shaken(tf, session)
        path = checkpoint.save(os.path.join(directory, "new", "model"), session=session)
        second = checkpoint.save(os.path.join(directory, "new", "model"), session=session)
        written = checkpoint.write(os.path.join(directory, "written"), session=session)
        before = session.run(tf.global_variables())
        session.run(tf.global_variables_initializer())
        status = checkpoint.restore(path)
        status.assert_consumed().assert_existing_objects_matched().assert_nontrivial_match()
        status.run_restore_ops(session)
        after = session.run(tf.global_variables())
    # The counter is the last variable; the first checkpoint has it as 1.
    same = all(np.array_equal(b, a) for b, a in zip(before[:-1], after[:-1], strict=True))
    files = [
        base64.b64encode(Path(f"{prefix}{end}").read_bytes()).decode()
        for prefix in (path, second, written)
        for end in (".index", ".data-00000-of-00001")
    ]
    state = Path(directory, "new", "checkpoint").read_text()
    return [files, same, int(after[-1]), state, listing(directory)]


@program
def partial_restores(tf: Any, directory: str) -> Any:
    parts = model(tf)
    v, r = parts["variable"], parts["resource"]
    told: list[Any] = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        shaken(tf, session)
        path = tf.train.Checkpoint(v=v, adam=parts["adam"], gone=[r]).save(os.path.join(directory, "m"), session)
        session.run(tf.global_variables_initializer())
        extra = tf.Variable(11.0, name="extra")
        some = tf.train.Checkpoint(v=v, adam=parts["adam"], extra=extra)
        status = some.restore(path)
        told.append(said(status.assert_consumed))
        told.append(said(status.assert_existing_objects_matched))
        told.append(said(status.assert_nontrivial_match))
        status.expect_partial().initialize_or_restore(session)
        told.append([session.run(v).tolist(), float(session.run(extra)), session.run(r).tolist()])
        fewer = tf.train.Checkpoint(v=v)
        status = fewer.restore(path)
        told.append(said(status.assert_existing_objects_matched))
        told.append(said(status.assert_consumed))
        fewer.adam = parts["adam"]
        fewer.gone = [r]
        told.append(said(status.assert_consumed))
        none = tf.train.Checkpoint(q=extra).restore(None)
        told.append([said(none.assert_consumed), said(none.run_restore_ops), said(none.assert_nontrivial_match)])
        none.initialize_or_restore(session)
        told.append(said(lambda: tf.train.Checkpoint(v=3)))
        told.append(said(lambda: tf.train.Checkpoint(v=None)))
        told.append(said(lambda: tf.train.Checkpoint(v=v).restore(os.path.join(directory, "none")))[0])
        bad = tf.train.Checkpoint(d={1: v, "a": 2})
        told.append(said(lambda: bad.save(os.path.join(directory, "bad"), session)))
    return told


@program
def managers(tf: Any, directory: str) -> Any:
    v = tf.get_variable("v", initializer=1.0)
    step = tf.train.get_or_create_global_step()
    count = tf.assign_add(step, 1)
    make = tf.train.CheckpointManager
    told: list[Any] = []
    checkpoint = tf.train.Checkpoint(v=v, step=step)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        manager = make(checkpoint, directory, max_to_keep=2, step_counter=step, checkpoint_interval=2)
        told.append([manager.latest_checkpoint, manager.checkpoints, manager.restore_or_initialize()])
        for i in range(6):
            path = manager.save(**({"checkpoint_number": 40} if i == 3 else {}))
            told.append([path and os.path.basename(path), [os.path.basename(p) for p in manager.checkpoints]])
            session.run(count)
        told.append(manager.save(check_interval=False) is not None)
        told.append([int(session.run(checkpoint.save_counter)), listing(directory)])
        again = make(checkpoint, directory, max_to_keep=1, keep_checkpoint_every_n_hours=3, init_fn=lambda: None)
        told.append([[os.path.basename(p) for p in again.checkpoints], os.path.basename(again.latest_checkpoint)])
        told.append(os.path.basename(again.save()))
        told.append(listing(directory))
        told.append(said(lambda: make(checkpoint, directory, max_to_keep=0)))
        told.append(said(lambda: make(checkpoint, directory, max_to_keep=1, checkpoint_interval=2)))
    text = re.sub(r"(timestamps?): [\d.]+", r"\1: T", Path(directory, "checkpoint").read_text())
    return [told, text]


@program
def modules(tf: Any, directory: str) -> Any:
    class Layer(tf.Module):  # type: ignore[misc]
        def __init__(self, name: Any = None) -> None:
            super().__init__(name)
            with self.name_scope:
                self.kernel = tf.Variable(1.0, name="kernel")
                self.bias = tf.Variable(2.0, name="bias", trainable=False)

        @tf.Module.with_name_scope
        def __call__(self, x: Any) -> Any:
            return tf.add(x, self.kernel, name="call")

    class TwoLayersHTTP(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.layers = [Layer("first"), Layer()]
            self.also = {"b": self.layers[0], "a": Layer("z"), "c": 4}
            self.own = tf.Variable(3.0, name="own")

    with tf.name_scope("outer"):
        made = TwoLayersHTTP()
    names = [[v.name for v in made.variables], [v.name for v in made.trainable_variables]]
    names.append([v.name for v in made.non_trainable_variables])
    names.append([m.name for m in made.submodules])
    called = [made.layers[0](1.0).name, made.layers[0](2.0).name]
    return [names, called, made.name, made.layers[1].name, said(lambda: tf.Module("a b"))]


@program
def averages(tf: Any, directory: str) -> Any:
    with tf.variable_scope("net"):
        v = tf.get_variable("v", initializer=1.0)
        w = tf.get_variable("w", initializer=2.0, trainable=False)
    average = tf.train.ExponentialMovingAverage(0.5)
    apply = average.apply([v])
    names = {k: x.name for k, x in sorted(average.variables_to_restore().items())}
    every = {k: x.name for k, x in sorted(average.variables_to_restore([v, w]).items())}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(v.assign(3.0))
        session.run(apply)
        value = float(session.run(average.average(v)))
        path = tf.train.Saver().save(session, os.path.join(directory, "m"))
        tf.train.Saver(average.variables_to_restore()).restore(session, path)
        read = float(session.run(v))
    return [names, every, value, read, average.average_name(v), average.average(w) is None]


@program
def assigned_averages(tf: Any, directory: str) -> Any:
    functions = NOT_PUBLIC[0]
    with tf.variable_scope("net"):
        v = tf.get_variable("v", [2], initializer=tf.zeros_initializer())
        w = tf.get_variable("w", initializer=np.array([4.0, 8.0], np.float32), use_resource=True)
    x, weight = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [])
    unbiased = functions.assign_moving_average(v, x, 0.75)
    again = functions.assign_moving_average(v, x, 0.5)
    plain = functions.assign_moving_average(w, x, tf.constant(0.5), zero_debias=False, name="plain")
    weighted = functions.weighted_moving_average(x, 0.5, weight)
    told: list[Any] = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for i in range(3):
            feed = {x: [i + 1.0, 2.0], weight: i + 1.0}
            told.append([session.run(op, feed).tolist() for op in (unbiased, again, plain, weighted)])
    return [nodes(tf), told, [v.name for v in tf.global_variables()]]
