"""`tf.test` for the tests of scripts, `tf.app` and `tf.flags` for their command lines."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import icefloe as tf


class Case(tf.test.TestCase):
    """A case outside of a run; its methods are called by the tests below."""

    __test__ = False

    def runTest(self) -> None:
        pass


@pytest.fixture
def case():
    made = Case()
    with tf.Graph().as_default():
        yield made
        made.doCleanups()


HOLDS = [
    ("assertAllClose", ([1.0, 2.0], [1.0, 2.0 + 1e-7])),
    ("assertAllClose", ({"a": [1.0, (2.0, [3.0])]}, {"a": [1.0, (2.0, [3.0])]})),
    ("assertAllClose", (np.float16([1.0]), np.float16([1.001]))),
    ("assertAllClose", ([np.nan], [np.nan])),
    ("assertAllEqual", ([[1, 2]], np.array([[1, 2]]))),
    ("assertAllEqual", ([b"a", b"b"], ["a", "b"])),
    ("assertAllEqual", ([np.nan, 1.0], [np.nan, 1.0])),
    ("assertNotAllClose", ([1.0], [1.1])),
    ("assertNotAllEqual", ([1], [2])),
    ("assertAllGreater", ([2, 3], 1)),
    ("assertAllGreaterEqual", ([1, 3], 1)),
    ("assertAllLess", ([0, -1], 1)),
    ("assertAllLessEqual", ([0, 1], 1)),
    ("assertAllInRange", ([0, 1], 0, 1)),
    ("assertAllInSet", ([0, 1], {0, 1})),
    ("assertNear", (1.0, 1.05, 0.1)),
    ("assertArrayNear", ([1.0, 2.0], [1.05, 2.0], 0.1)),
    ("assertNDArrayNear", ([1.0, 2.0], [1.05, 2.0], 0.1)),
    ("assertAllCloseAccordingToType", (np.float16([1.0]), np.float32([1.0005]))),
    ("assertShapeEqual", (np.zeros((2, 3)), np.ones((2, 3)))),
    ("assertDTypeEqual", (np.float32([1]), tf.float32)),
    ("assertDeviceEqual", ("/job:a/cpu:0", "/job:a/device:CPU:0")),
    ("assertStartsWith", ("abc", "ab")),
    ("assertProtoEquals", ("name: 'x' op: 'NoOp'", tf.NodeDef(name="x", op="NoOp"))),
    ("assertLen", ([1, 2], 2)),
]
FAILS = [
    ("assertAllClose", ([1.0, 2.0], [1.0, 2.1])),
    ("assertAllClose", ({"a": 1.0}, {"b": 1.0})),
    ("assertAllClose", ([1.0, (2.0, [3.0])], [1.0, (2.0,)])),
    ("assertAllClose", ([[1.0]], [1.0])),
    ("assertAllEqual", ([1, 2], [1, 3])),
    ("assertAllEqual", ([1], [[1]])),
    ("assertAllEqual", ([b"a"], [b"b"])),
    ("assertNotAllClose", ([1.0], [1.0])),
    ("assertNotAllEqual", ([1], [1])),
    ("assertAllGreater", ([2, 1], 1)),
    ("assertAllGreaterEqual", ([0, 3], 1)),
    ("assertAllLess", ([1], 1)),
    ("assertAllLessEqual", ([2], 1)),
    ("assertAllInRange", ([0, 1], 0, 1, False, True)),
    ("assertAllInSet", ([0, 2], {0, 1})),
    ("assertNear", (1.0, 1.5, 0.1)),
    ("assertArrayNear", ([1.0, 2.0], [1.5, 2.0], 0.1)),
    ("assertNDArrayNear", ([1.0, 2.0], [1.5, 2.0], 0.1)),
    ("assertShapeEqual", (np.zeros((2, 3)), np.ones((3, 2)))),
    ("assertDTypeEqual", (np.float32([1]), tf.int32)),
    ("assertDeviceEqual", ("/job:a/cpu:0", "/job:b/cpu:0")),
    ("assertStartsWith", ("abc", "b")),
    ("assertProtoEquals", ("name: 'y'", tf.NodeDef(name="x"))),
]


@pytest.mark.parametrize(("method", "args"), HOLDS)
def test_assertions_hold(case, method, args):
    getattr(case, method)(*args)


@pytest.mark.parametrize(("method", "args"), FAILS)
def test_assertions_fail(case, method, args):
    with pytest.raises(AssertionError):
        getattr(case, method)(*args)


def test_tensors_are_compared_by_their_values(case):
    with case.session():
        case.assertAllClose(tf.constant([1.0, 2.0]) * 2, [2.0, 4.0])
        case.assertAllEqual([3], tf.constant([3]))
        case.assertShapeEqual(np.zeros([2, 1]), tf.zeros([2, 1]))
        assert case.evaluate({"a": tf.constant(1)}) == {"a": 1}


def test_the_cached_session_is_one(case):
    with case.cached_session() as first:
        variable = tf.Variable(1.0)
        case.evaluate(variable.initializer)
    with case.test_session() as second:
        assert second is first
        assert case.evaluate(variable) == 1.0
    with pytest.raises(ValueError, match="another graph"):
        case.cached_session(graph=tf.Graph()).__enter__()
    with case.test_session(graph=tf.Graph()) as other:
        assert other is not first
    case.tearDown()


def test_errors_of_ops_are_matched(case):
    with case.session() as session:
        x = tf.placeholder(tf.float32)
        wrong = tf.reshape(x, [2], name="wrong_shape")
        for expected in ("Input to reshape", "wrong_shape", lambda error: error.op.name == "wrong_shape"):
            with case.assertRaisesOpError(expected):
                session.run(wrong, {x: [1.0]})
        with pytest.raises(AssertionError), case.assertRaisesOpError("something else"):
            session.run(wrong, {x: [1.0]})
        with pytest.raises(AssertionError), case.assertRaisesOpError("nothing"):
            pass
        with case.assertRaisesIncompatibleShapesError():
            tf.ones([2]) + tf.ones([3])


def test_threads_hand_on_what_ended_them(case):
    good = case.checkedThread(target=lambda: None)
    good.start()
    good.join()
    bad = case.checkedThread(target=lambda: 1 / 0)
    bad.start()
    with pytest.raises(AssertionError, match="division by zero"):
        bad.join()
    case.checkedThread(target=lambda: None).start()
    with pytest.raises(AssertionError, match="not joined|goes on"):
        case.tearDown()


def test_temporary_folders_are_the_tests(case):
    folder = Path(case.get_temp_dir())
    assert list(folder.iterdir()) == []
    assert case.get_temp_dir() == str(folder)
    assert Case().get_temp_dir() != str(folder)


def test_temporary_folders_are_gone_at_the_end(tmp_path):
    done = exec_(
        tmp_path,
        """
        import os
        import tensorflow as tf
        class FolderTest(tf.test.TestCase):
            def testFolder(self):
                os.chdir(self.get_temp_dir())
                print(os.getcwd())
        tf.test.main()
        """,
    )
    folder = next(line for line in done.stdout.splitlines() if line.startswith("/"))
    assert done.returncode == 0
    assert not Path(folder).exists()


def test_gradients_are_checked(case):
    with case.session():
        x, y = tf.constant([1.0, 2.0]), tf.constant([[3.0]])
        assert tf.test.compute_gradient_error(x, [2], x * x, [2], x_init_value=np.float32([1, 2])) < 1e-2
        theory, numbers = tf.test.compute_gradient(x, [2], x * x, [2], x_init_value=np.float32([1, 2]))
        case.assertAllClose(theory, [[2.0, 0.0], [0.0, 4.0]])
        case.assertAllClose(numbers, theory, atol=1e-2)
        pairs = tf.test.compute_gradient([x, y], [[2], [1, 1]], x * y[0], [2])
        assert [a.shape for a, _ in pairs] == [(2, 2), (1, 2)]
        wrong = tf.stop_gradient(x) * x
        assert tf.test.compute_gradient_error(x, [2], wrong, [2], x_init_value=np.float32([1, 2])) > 0.9


def test_graphs_are_compared_without_order(case):
    one, other = (tf.GraphDef(node=[tf.NodeDef(name=n, op="NoOp") for n in names]) for names in ("ab", "ba"))
    tf.test.assert_equal_graph_def(one, other)
    other.node[0].op = "Const"
    with pytest.raises(AssertionError, match="node 'b' differs"):
        tf.test.assert_equal_graph_def(one, other)
    with pytest.raises(AssertionError, match="only in one"):
        tf.test.assert_equal_graph_def(one, tf.GraphDef())


def test_there_is_no_gpu():
    assert not tf.test.is_gpu_available()
    assert not tf.test.is_built_with_cuda()
    assert tf.test.gpu_device_name() == ""
    assert tf.sysconfig.get_build_info()["is_cuda_build"] is False


def exec_(tmp_path, text, *args):
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(text))
    command = [sys.executable, "-m", "icefloe.exec", str(path), *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


SUITE = """
    import tensorflow as tf

    class SquareTest(tf.test.TestCase):
        def testSquare(self):
            with self.test_session():
                self.assertAllEqual(tf.square([2, 3]).eval(), [4, WANTED])

        def testGraphsAreFresh(self):
            self.assertEqual(tf.get_default_graph().get_operations(), [])
            tf.constant(1)

        def testGraphsAreFreshAgain(self):
            self.assertEqual(tf.get_default_graph().get_operations(), [])
            self.assertAllClose(self.evaluate(tf.random_uniform([1])), self.evaluate(tf.constant([RANDOM])))

    if __name__ == "__main__":
        tf.test.main()
"""


def test_a_suite_runs_and_its_exit_code_tells(tmp_path):
    # TensorFlow's number for the seed that a test case sets.
    good = SUITE.replace("RANDOM", "0.10086262")
    done = exec_(tmp_path, good.replace("WANTED", "9"))
    assert done.returncode == 0, done.stderr
    assert "Ran 4 tests" in done.stderr
    assert "skipped=1" in done.stderr
    done = exec_(tmp_path, good.replace("WANTED", "8"))
    assert done.returncode == 1
    assert "FAILED (failures=1, skipped=1)" in done.stderr
    assert "Ran 1 test " in exec_(tmp_path, good.replace("WANTED", "9"), "SquareTest.testSquare").stderr


FLAGGED = """
    import tensorflow as tf
    flags = tf.app.flags
    FLAGS = flags.FLAGS
    flags.DEFINE_integer("steps", 3, "How many.")
    flags.DEFINE_string(flag_name="name", default_value="x", docstring="What.")
    tf.flags.DEFINE_boolean("fast", False, "Whether.")
    tf.flags.DEFINE_enum("kind", "a", ["a", "b"], "Which.")
    EARLY

    def main(argv):
        print(FLAGS.steps, FLAGS.name, FLAGS.fast, FLAGS.kind, argv[1:], "steps" in FLAGS, FLAGS["steps"].default)
        FLAGS.steps = 7
        print(FLAGS.steps)
        return 4

    if __name__ == "__main__":
        tf.app.run()
"""


def test_flags_are_read(tmp_path):
    text = FLAGGED.replace("EARLY", "")
    done = exec_(tmp_path, text)
    assert (done.stdout, done.returncode) == ("3 x False a [] True 3\n7\n", 4)
    done = exec_(tmp_path, text, "--steps=5", "--name", "y z", "--fast", "rest", "--kind=b", "--unknown=1")
    assert done.stdout.splitlines()[0] == "5 y z True b ['rest', '--unknown=1'] True 3"


def test_flags_may_be_looked_at_before_run(tmp_path):
    done = exec_(tmp_path, FLAGGED.replace("EARLY", "print(FLAGS.steps)"), "--steps=5")
    assert done.stdout.splitlines()[0] == "5"


def test_wrong_flags_and_help_are_said(tmp_path):
    text = FLAGGED.replace("EARLY", "")
    done = exec_(tmp_path, text, "--steps=five")
    assert done.returncode == 1
    assert done.stderr.splitlines()[:2] == [
        "FATAL Flags parsing error:",
        "  flag --steps=five: invalid literal for int() with base 10: 'five'",
    ]
    done = exec_(tmp_path, text, "--help")
    assert "--steps: How many." in done.stdout
    assert "(default: '3')" in done.stdout
    assert done.returncode == 1


def test_logging_is_printed_once(tmp_path):
    done = exec_(
        tmp_path,
        """
        import tensorflow as tf
        def main(_):
            tf.logging.set_verbosity(tf.logging.INFO)
            tf.logging.info("step %d", 3)
            tf.logging.debug("not this")
        tf.app.run(main)
        """,
    )
    assert (done.stderr, done.returncode) == ("INFO:tensorflow:step 3\n", 0)


def test_data_files_lie_beside_the_script(tmp_path):
    (tmp_path / "data.txt").write_text("content")
    done = exec_(
        tmp_path,
        """
        import tensorflow as tf
        print(tf.resource_loader.load_resource("data.txt"), tf.resource_loader.get_path_to_datafile("data.txt"))
        print(tf.resource_loader.get_data_files_path())
        """,
    )
    assert done.stdout == f"b'content' {tmp_path}/data.txt\n{tmp_path}\n"


def test_decorators_of_modes_leave_graphs(tmp_path):
    done = exec_(
        tmp_path,
        """
        import tensorflow as tf
        from tensorflow.python.eager import context
        from tensorflow.python.framework import test_util
        from tensorflow.python.ops import nn_grad
        from tensorflow.python.platform import test

        @test_util.run_all_in_graph_and_eager_modes
        class AllTest(tf.test.TestCase):
            def testAll(self):
                self.assertIsNotNone(tf.get_default_session())
                self.assertFalse(context.executing_eagerly())

        class SomeTest(test.TestCase):
            @test_util.run_deprecated_v1
            def testPlain(self):
                self.assertIsNone(tf.get_default_session())
            @test_util.run_in_graph_and_eager_modes
            def testSession(self):
                self.assertIsNotNone(tf.get_default_session())
            @test_util.run_in_graph_and_eager_modes(use_gpu=False)
            def testSessionToo(self):
                self.assertEqual(self.evaluate(tf.constant(3)), 3)
            @test_util.run_v1_only("graphs")
            @test_util.disable_xla("reason")
            def testReason(self):
                with context.graph_mode():
                    self.assertEqual(tf.gradients(tf.constant(1.0), []), [])
            @test.disable_with_predicate(lambda: True, "not here")
            def testNot(self):
                self.fail()

        if __name__ == "__main__":
            test.main()
        """,
    )
    assert done.returncode == 0, done.stderr
    assert "SomeTest.testNot - not here" in done.stderr + done.stdout
    assert "Ran 8 tests" in done.stderr
