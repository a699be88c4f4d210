"""A report lists everything that does not fit, and its error says all of it at once."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import icefloe as tf
from icefloe import datatypes, errors
from icefloe.saver.restore_report import MismatchError, MissingTensorsError, Stored, Wanted, compare

F, I32, I64 = datatypes.float32, datatypes.int32, datatypes.int64
STORED = {
    "dense/weights": Stored(F, (3, 4)),
    "dense/bias": Stored(F, (4,)),
    "step": Stored(I64, ()),
    "rows": Stored(F, (7, 2)),
}


def test_all_fit():
    report = compare([Wanted("dense/bias", F, (4,)), Wanted("step", I64, ())], STORED)
    assert report.fits
    assert report.unexpected == ("dense/weights", "rows")
    assert report.summary() == "2 tensors wanted: all match"


def test_everything_wrong_is_one_error():
    wanted = [
        Wanted("dense/kernel", F, (3, 4)),
        Wanted("other", F, None),
        Wanted("dense/bias", F, (5,)),
        Wanted("step", I32, ()),
        Wanted("rows", F, (7, 2), "7 2 0,3:0,2"),
    ]
    report = compare(wanted, STORED, "dir/model")
    error = report.error()
    assert isinstance(error, MissingTensorsError)
    assert isinstance(error, errors.NotFoundError)
    assert error.report is report
    assert str(error) == (
        "dir/model: Restoring from checkpoint failed: 5 tensors wanted: 2 missing from the checkpoint, 1 of another shape, 1 of another dtype. This is most likely due to a Variable name or other graph key that is missing from the checkpoint.\n"
        "  Key dense/kernel not found in checkpoint (wanted as float32 [3,4]); did you mean dense/weights?\n"
        "  Key other not found in checkpoint (wanted as float32 <unknown>)\n"
        "  tensor_name = dense/bias; Assign requires shapes of both tensors to match. lhs shape= [5] rhs shape= [4]\n"
        "  tensor_name = step; expected dtype int32 does not equal original dtype int64\n"
        "  In the checkpoint but not wanted: dense/weights"
    )


def test_mismatch_alone_is_invalid_argument():
    error = compare([Wanted("step", I32, ())], STORED).error()
    assert isinstance(error, MismatchError)
    assert error.code == errors.INVALID_ARGUMENT
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_parts_of_one_variable_are_reported_once():
    parts = [Wanted("gone", F, (4, 2), spec) for spec in ("4 2 0,2:0,2", "4 2 2,2:0,2")]
    assert len(compare(parts, STORED).missing) == 1
    wrong = [Wanted("rows", F, (8, 2), spec) for spec in ("8 2 0,4:0,2", "8 2 4,4:0,2")]
    assert len(compare(wrong, STORED).shape_mismatch) == 1


@pytest.mark.parametrize(("shape", "fits"), [((2, 7), True), ((14,), True), ((13,), False), ((None, 7), True)])
def test_reshaped_counts_elements(shape, fits):
    assert compare([Wanted("rows", F, shape, reshaped=True)], STORED).fits is fits


def test_unknown_sizes_fit():
    assert compare([Wanted("rows", F, (None, 2)), Wanted("dense/bias", F, None)], STORED).fits
    assert not compare([Wanted("rows", F, (None, 3))], STORED).fits


def test_reference_dtype_is_its_value_type():
    assert compare([Wanted("step", datatypes.as_dtype("int64_ref"), ())], STORED).fits


def test_long_lists_are_cut_in_the_message_not_in_the_report():
    report = compare([Wanted(f"v{i:02}/unlike", I32, ()) for i in range(50)], STORED)
    assert len(report.missing) == 50
    assert "... and 30 more" in str(report.error())


def test_as_data_is_json():
    report = compare([Wanted("dense/kernel", F, (3, None)), Wanted("step", I32, ())], STORED)
    data = json.loads(json.dumps(report.as_data()))
    assert data["missing"][0]["suggestions"] == ["dense/weights"]
    assert data["missing"][0]["shape"] == [3, None]
    assert data["dtype_mismatch"][0]["stored_dtype"] == "int64"
    assert data["fits"] is False


def test_a_report_shows_as_one_line():
    report = compare([Wanted("dense/bias", F, (5,)), Wanted("step", I64, ())], STORED, "dir/model")
    assert repr(report) == "<RestoreReport 'dir/model': 2 tensors wanted: 1 of another shape>"


def test_what_something_else_has_is_meant_where_the_graph_was_built_twice():
    stored = {name: Stored(F, (2,)) for name in ("model/w", "model/b", "step")}

    def suggestions(*names):
        return compare([Wanted(name, F, (2,)) for name in names], stored).suggestions

    assert suggestions("model/w", "model/b", "model_1/w") == {"model_1/w": ["model/w"]}
    assert suggestions("model/w", "model/b", "model/w/ExponentialMovingAverage") == {
        "model/w/ExponentialMovingAverage": ["model/w"]
    }
    assert suggestions("model/w", "model/b", "step", "model/w/Adam", "model/b/Momentum") == {}
    assert suggestions("model/w", "model/b", "layer/w") == {}


def test_a_report_shows_what_was_done(tmp_path):
    tf.save_checkpoint(tmp_path / "m", {"w": np.float32([1, 2])})
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("w", [2])
        tf.get_variable("head", [3])
        report = tf.train.Saver().restore(session, tmp_path / "m", strict=False, init_missing=True)
    assert repr(report).endswith(": 2 tensors wanted: 1 missing from the checkpoint; 1 taken from it, 1 initialised>")
