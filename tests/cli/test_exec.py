"""`icefloe exec`: scripts run as `python` runs them, with icefloe in the place of TensorFlow."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-c", "import sys; from icefloe_cli.main import main; sys.argv[0] = 'icefloe'; main()"]


def call(command: list[str], *args: object, stdin: str | None = None, cwd: Path | None = None):
    return subprocess.run(
        [*command, *map(str, args)], capture_output=True, text=True, input=stdin, cwd=cwd, timeout=120
    )


def exec_(*args: object, stdin: str | None = None, cwd: Path | None = None):
    return call([*COMMAND, "exec"], *args, stdin=stdin, cwd=cwd)


def python(*args: object, stdin: str | None = None, cwd: Path | None = None):
    return call([sys.executable], *args, stdin=stdin, cwd=cwd)


@pytest.fixture
def script(tmp_path):
    def write(text: str, name: str = "script.py") -> Path:
        path = tmp_path / name
        path.write_text(textwrap.dedent(text))
        return path

    return write


ABOUT_ITSELF = """
import sys, os
print(__name__, sys.argv, __file__ if "__file__" in globals() else None, __package__, __spec__ is None)
print(os.path.basename(sys.path[0]), sys.modules["__main__"].__dict__ is globals())
if __name__ == "__main__":
    sys.exit(int(sys.argv[-1]))
"""


@pytest.mark.parametrize("code", [0, 7])
def test_a_script_is_run_as_python_runs_it(script, tmp_path, code):
    path = script(ABOUT_ITSELF)
    for name in (path, path.name):
        ours, theirs = (run(name, "--help", "-c", code, cwd=tmp_path) for run in (exec_, python))
        assert (ours.stdout, ours.stderr, ours.returncode) == (theirs.stdout, theirs.stderr, code)


def test_code_and_stdin_are_run_as_python_runs_them():
    for args, text in ((("-c", ABOUT_ITSELF, "x", 3), None), (("-", "x", 3), ABOUT_ITSELF)):
        ours, theirs = (run(*args, stdin=text) for run in (exec_, python))
        assert ours.stdout == theirs.stdout
        assert ours.returncode == theirs.returncode == 3


def test_modules_folders_and_zips_are_run(tmp_path):
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "__main__.py").write_text(
        "import tensorflow as tf, sys\nprint(__name__, sys.argv[1:], tf.constant(1).name)\n"
    )
    with zipfile.ZipFile(tmp_path / "program.zip", "w") as archive:
        archive.write(folder / "__main__.py", "__main__.py")
    for args in (["-m", "program"], ["program"], ["program.zip"], ["-mprogram"]):
        done = exec_(*args, "--flag", cwd=tmp_path)
        assert (done.stdout, done.stderr) == ("__main__ ['--flag'] Const:0\n", "")


def test_errors_are_shown_as_python_shows_them(script):
    path = script("""
        def inner():
            return {}["key"]
        def outer():
            try:
                inner()
            except KeyError as error:
                raise ValueError("from here") from error
        outer()
    """)
    ours, theirs = exec_(path), python(path)
    assert ours.stderr == theirs.stderr
    assert ours.returncode == theirs.returncode == 1


@pytest.mark.parametrize(
    "text", ["a b\n", "x = (\n", "import sys; sys.exit('a message')", "raise SystemExit(5)", "def f(:"]
)
def test_other_ends_are_pythons(script, text):
    path = script(text)
    ours, theirs = exec_(path), python(path)
    assert (ours.stdout, ours.stderr, ours.returncode) == (theirs.stdout, theirs.stderr, theirs.returncode)


def test_a_hook_for_exceptions_is_asked(script):
    path = script("import sys\nsys.excepthook = lambda kind, value, trace: print('hook', kind.__name__)\n1 / 0\n")
    done = exec_(path)
    assert (done.stdout, done.stderr, done.returncode) == ("hook ZeroDivisionError\n", "", 1)


def test_an_interrupt_ends_the_script(script):
    path = script("import time\nprint('ready', flush=True)\ntime.sleep(60)\n")
    # A shell starts what runs in the background so that interrupts are ignored, by its children too.
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(
            [*COMMAND, "exec", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    finally:
        signal.signal(signal.SIGINT, former)
    with process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            process.send_signal(signal.SIGINT)
            _, text = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 130
    assert text.splitlines()[-1] == "KeyboardInterrupt"
    assert "icefloe" not in text


IMPORTS = """
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.compat import v1
from tensorflow import nn, gfile
from tensorflow.core.framework import graph_pb2, node_def_pb2
from tensorflow.core.protobuf import config_pb2
from tensorflow.core.example import example_pb2
from tensorflow.python.client import session, timeline
from tensorflow.python.framework import constant_op, dtypes, errors, errors_impl, function, graph_util, importer, ops
from tensorflow.python.framework import random_seed, tensor_shape, tensor_util, test_util, versions
from tensorflow.python.lib.io import file_io, tf_record
from tensorflow.python.ops import array_ops, check_ops, control_flow_ops, data_flow_ops, embedding_ops, gen_array_ops
from tensorflow.python.ops import gen_math_ops, gradients_impl, image_ops, init_ops, io_ops, linalg_ops, lookup_ops
from tensorflow.python.ops import math_ops, nn_ops, parsing_ops, random_ops, resource_variable_ops, sparse_ops
from tensorflow.python.ops import state_ops, string_ops, tensor_array_ops, variable_scope, variables
from tensorflow.python.ops.losses import losses
from tensorflow.python.platform import app, flags, gfile as gfile_, resource_loader, sysconfig, test, tf_logging
from tensorflow.python.saved_model import builder, loader, signature_constants, tag_constants
from tensorflow.python.summary import summary
from tensorflow.python.summary.writer import writer
from tensorflow.python.training import adam, basic_session_run_hooks, checkpoint_management, coordinator, input
from tensorflow.python.training import monitored_session, moving_averages, optimizer, queue_runner, saver
from tensorflow.python.training import session_run_hook, supervisor, training, training_util
from tensorflow.python.training.session_run_hook import SessionRunHook
from tensorflow.python.util import compat, nest
from tensorflow.python import pywrap_tensorflow

same = [
    (tf.Session, tf1.Session, v1.Session, session.Session),
    (tf.nn.relu, nn.relu, tf1.nn.relu, nn_ops.relu),
    (tf.float32, dtypes.float32, tf.dtypes.float32),
    (tf.get_default_graph, ops.get_default_graph),
    (tf.convert_to_tensor, ops.convert_to_tensor),
    (tf.Tensor, ops.Tensor),
    (tf.name_scope, ops.name_scope),
    (tf.RegisterGradient, ops.RegisterGradient),
    (tf.constant, constant_op.constant),
    (tf.concat, array_ops.concat),
    (tf.placeholder, array_ops.placeholder),
    (tf.matmul, math_ops.matmul),
    (tf.reduce_mean, math_ops.reduce_mean),
    (tf.nn.conv2d, nn_ops.conv2d),
    (tf.nn.embedding_lookup, embedding_ops.embedding_lookup),
    (tf.Variable, variables.Variable, variables.VariableV1),
    (tf.get_variable, variable_scope.get_variable),
    (tf.while_loop, control_flow_ops.while_loop),
    (tf.cond, control_flow_ops.cond),
    (tf.group, control_flow_ops.group),
    (tf.assign, state_ops.assign),
    (tf.gradients, gradients_impl.gradients),
    (tf.zeros_initializer, init_ops.zeros_initializer),
    (tf.FIFOQueue, data_flow_ops.FIFOQueue),
    (tf.TensorArray, tensor_array_ops.TensorArray),
    (tf.random_normal, random_ops.random_normal),
    (tf.set_random_seed, random_seed.set_random_seed),
    (tf.TensorShape, tensor_shape.TensorShape),
    (tf.make_ndarray, tensor_util.MakeNdarray),
    (tf.errors.OpError, errors.OpError, errors_impl.OpError),
    (tf.graph_util.extract_sub_graph, graph_util.extract_sub_graph),
    (tf.import_graph_def, importer.import_graph_def),
    (tf.train.Saver, saver.Saver),
    (tf.train.latest_checkpoint, checkpoint_management.latest_checkpoint),
    (tf.train.get_global_step, training_util.get_global_step),
    (tf.train.AdamOptimizer, adam.AdamOptimizer, training.AdamOptimizer),
    (tf.train.Optimizer, optimizer.Optimizer),
    (tf.train.Coordinator, coordinator.Coordinator),
    (tf.train.QueueRunner, queue_runner.QueueRunner),
    (tf.train.shuffle_batch, input.shuffle_batch),
    (tf.train.Supervisor, supervisor.Supervisor),
    (tf.train.MonitoredTrainingSession, monitored_session.MonitoredTrainingSession),
    (tf.train.SessionRunHook, session_run_hook.SessionRunHook, SessionRunHook),
    (tf.train.StopAtStepHook, basic_session_run_hooks.StopAtStepHook),
    (tf.train.ExponentialMovingAverage, moving_averages.ExponentialMovingAverage),
    (tf.train.NewCheckpointReader, pywrap_tensorflow.NewCheckpointReader),
    (tf.train.Example, example_pb2.Example),
    (tf.GraphDef, graph_pb2.GraphDef),
    (tf.NodeDef, node_def_pb2.NodeDef),
    (tf.ConfigProto, config_pb2.ConfigProto),
    (tf.summary.FileWriter, writer.FileWriter, summary.FileWriter),
    (tf.python_io.TFRecordWriter, tf_record.TFRecordWriter),
    (tf.gfile.Exists, gfile.Exists, gfile_.Exists),
    (tf.logging.info, tf_logging.info),
    (tf.app.run, app.run),
    (tf.flags.DEFINE_string, flags.DEFINE_string, tf.app.flags.DEFINE_string),
    (tf.test.TestCase, test.TestCase, test_util.TensorFlowTestCase),
    (tf.resource_loader.get_path_to_datafile, resource_loader.get_path_to_datafile),
    (tf.saved_model.signature_constants.PREDICT_INPUTS, signature_constants.PREDICT_INPUTS),
    (tf.saved_model.tag_constants.SERVING, tag_constants.SERVING),
    (tf.saved_model.loader.load, loader.load),
    (tf.losses.mean_squared_error, losses.mean_squared_error),
    (tf.image.resize_images, image_ops.resize_images),
    (tf.parse_example, parsing_ops.parse_example),
    (tf.read_file, io_ops.read_file),
    (tf.string_split, string_ops.string_split),
    (tf.cholesky, linalg_ops.cholesky),
    (tf.sparse_to_dense, sparse_ops.sparse_to_dense),
    (tf.compat.as_bytes, compat.as_bytes),
    (tf.nest.flatten, nest.flatten),
    (tf.VERSION, tf.__version__, versions.VERSION, tf1.__version__),
]
for i, group in enumerate(same):
    assert all(member is group[0] for member in group), (i, group)
assert function.Defun and timeline.Timeline and check_ops.assert_equal and file_io.FileIO and builder.SavedModelBuilder
with tf.Session() as sess:
    print(sess.run([gen_array_ops.concat_v2([[1], [2]], 0), gen_math_ops.mat_mul([[2.0]], [[3.0]], transpose_a=True)]))
import sys
real = [name for name, module in sys.modules.items() if name.startswith("tensorflow") and getattr(module, "__file__", None)]
print(real, tf.__file__.endswith("icefloe/__init__.py"), sorted(dir(tf.train.queue_runner))[:1])
"""


def test_names_of_tensorflow_stand_for_icefloes(script):
    done = exec_(script(IMPORTS))
    assert done.stderr == ""
    assert done.stdout == (
        "[array([1, 2], dtype=int32), array([[6.]], dtype=float32)]\n['tensorflow', 'tensorflow.compat.v1'] True ['QueueRunner']\n"
    )


MISSING = [
    ("tf.contrib.layers.xavier_initializer()", "tf.contrib.layers.xavier_initializer", "tf.glorot_uniform_initializer"),
    ("x = [tf.keras.layers\n     .Dense(3)]", "tf.keras.layers.Dense", "icefloe.load_graph"),
    ("tf.contrib.seq2seq.dynamic_decode()", "tf.contrib.seq2seq.dynamic_decode", "tf.while_loop"),
    ("tf.nn.relu7(1)", "tf.nn.relu7", "the nearest name is tf.nn.relu"),
    ("tf.resize_images(1)", "tf.resize_images", "tf.image.resize_images may be meant"),
    ("tf.scalar_summary", "tf.scalar_summary", "tf.summary.scalar does it"),
    ("tf.distribute.Strategy", "tf.distribute.Strategy", "no distribution strategies"),
    ("tf.estimator.Estimator()", "tf.estimator.Estimator", "tf.train.MonitoredTrainingSession"),
    ("from tensorflow.contrib import slim", "tf.contrib.slim", "write"),
    ("import tensorflow.contrib.slim as slim", "tf.contrib.slim", "write"),
    ("from tensorflow import nn, keras", "tf.keras", "icefloe.load_graph"),
    ("from tensorflow.examples.tutorials.mnist import input_data", "tf.examples.tutorials.mnist.input_data", "gzip"),
    ("from tensorflow.python.framework import ops, nonsense", "tensorflow.python.framework.nonsense", "docs/comp"),
    ("import tensorflow.compat.v1 as v\nv.keras", "tf.keras", "icefloe.load_graph"),
    (
        "from tensorflow.python.tools import freeze_graph",
        "tensorflow.python.tools.freeze_graph",
        "icefloe.graphs.freeze",
    ),
    ("getattr(tf, 'no_such_name')", "tf.no_such_name", "docs/compatibility.md"),
]


@pytest.mark.parametrize(("text", "name", "instead"), MISSING, ids=[m[1] for m in MISSING])
def test_a_missing_name_is_one_line(script, text, name, instead):
    path = script(f"import tensorflow as tf\nprint('begun')\n\n{text}\n")
    done = exec_(path)
    assert done.returncode == 1
    assert done.stdout == "begun\n"
    (line,) = done.stderr.splitlines()
    lines = range(4, 6)
    assert any(line.startswith(f"icefloe: {path}:{n}: {name} is not in icefloe: ") for n in lines), line
    assert instead in line


def test_debug_shows_the_traceback_too(script):
    path = script("import tensorflow as tf\ntf.contrib\n")
    done = call([*COMMAND, "--debug", "exec"], path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[0].startswith(f"icefloe: {path}:2: tf.contrib is not in icefloe")
    assert "Traceback (most recent call last):" in done.stderr


def test_a_missing_name_in_an_imported_module_is_placed_there(script):
    script("import tensorflow as tf\ndef layer():\n    return tf.contrib.layers.conv2d\n", "model.py")
    done = exec_(script("import model\nmodel.layer()\n"))
    assert "model.py:3: tf.contrib.layers.conv2d is not in icefloe: " in done.stderr


def test_scripts_may_look_for_names(script):
    done = exec_(
        script("""
        import tensorflow as tf
        try:
            from tensorflow.contrib import rnn
        except ImportError:
            print("no contrib")
        try:
            import tensorflow.keras
        except ModuleNotFoundError as error:
            print(error.name)
        print(hasattr(tf, "keras"), getattr(tf, "estimator", None), hasattr(tf.train, "Saver"))
        import importlib.util
        print(importlib.util.find_spec("tensorflow.contrib"), importlib.util.find_spec("tensorflow.nn").origin)
        """)
    )
    assert (done.stdout, done.stderr) == ("no contrib\ntensorflow.keras\nFalse None True\nNone icefloe\n", "")


def test_python_goes_on_as_ever(script):
    done = exec_(
        script("""
        import copy, importlib, inspect, multiprocessing, pickle, subprocess, sys, types, typing
        import tensorflow as tf
        from tensorflow.python.framework import ops

        class Here:
            value: "int"

        def double(x):
            return int(tf.Session().run(tf.constant(x) * 2))

        if __name__ == "__main__":
            print(isinstance(pickle.loads(pickle.dumps(Here())), Here), pickle.loads(pickle.dumps(tf.float32)) is tf.float32)
            print(pickle.loads(pickle.dumps(tf.nn.relu)) is tf.nn.relu, typing.get_type_hints(Here))
            print(inspect.getsource(Here).split()[1], inspect.getmodule(double) is sys.modules["__main__"])
            print(inspect.getmodule(tf.Session).__name__, isinstance(tf, types.ModuleType), repr(tf))
            again = importlib.reload(tf)
            print(again is tf, tf.Graph is ops.Graph, importlib.import_module("tensorflow") is tf)
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.map(double, [3, 4]))
            code = "import tensorflow.compat.v1 as tf; from tensorflow.python.ops import math_ops; print(tf.__file__)"
            child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            print(child.stdout.strip().endswith("icefloe/__init__.py"), child.stderr)
        """)
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "True True",
        "True {'value': <class 'int'>}",
        "Here: True",
        "icefloe.session True <module 'tensorflow' (icefloe)>",
        "True True True",
        "[6, 8]",
        "True ",
    ]


def test_an_installed_tensorflow_is_not_imported(script, tmp_path):
    """Whether it lies beside the script or on the path."""
    for folder in (tmp_path, tmp_path / "site"):
        (folder / "tensorflow").mkdir(parents=True)
        (folder / "tensorflow" / "__init__.py").write_text("raise SystemExit('the real one')\n")
    path = script("import sys\nsys.path.insert(0, 'site')\nimport tensorflow as tf\nprint(tf.constant(1).name)\n")
    done = exec_(path, cwd=tmp_path)
    assert (done.stdout, done.returncode) == ("Const:0\n", 0)
    assert python("-c", "import tensorflow", cwd=tmp_path).stderr == "the real one\n"


def test_without_exec_nothing_answers_for_tensorflow():
    code = (
        "import icefloe, sys\nicefloe.app, icefloe.Session\nimport importlib.util\nprint('tensorflow' in sys.modules)"
    )
    assert python("-c", code).stdout == "False\n"


@pytest.mark.parametrize("args", [[], ["-x", "script.py"], ["-m"], ["-c"]])
def test_wrong_usage_is_2(cli, args):
    result = cli("exec", *args)
    assert result.code == 2
    assert "Usage:" in result.err


def test_a_script_that_is_not_there(tmp_path):
    done = exec_(tmp_path / "nothing.py")
    assert done.returncode == 1
    assert done.stderr == f"icefloe: can't open file '{tmp_path}/nothing.py': no such file\n"


def test_python_m_icefloe_exec_does_the_same(script):
    path = script("import tensorflow as tf, sys\nprint(sys.argv[1:])\ntf.contrib\n")
    done = python("-m", "icefloe.exec", path, "a")
    assert done.stdout == "['a']\n"
    assert done.stderr.startswith(f"icefloe: {path}:3: tf.contrib is not in icefloe: ")
    assert done.returncode == 1


def test_the_environment_names_one_folder_more(script):
    done = exec_(script("import os; print(os.environ['PYTHONPATH'])"))
    folders = done.stdout.strip().split(os.pathsep)
    assert sorted(p.name for p in Path(folders[0]).iterdir() if not p.name.startswith("__")) == ["tensorflow"]
    assert folders[1:] == [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
