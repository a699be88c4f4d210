"""Kernels that read files give what TensorFlow gave; and none reads what its session may not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import icefloe
from icefloe import errors
from icefloe.graph import build

from ops import files
from ops.case import Case, Golden, difference

ANSWERS = Golden(files.GOLDEN).answers
READING = [case for case in files.CASES if "outputs" in ANSWERS[case.id] and case.attrs.get("batch_size") != 0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("files")
    files.lay(made)
    return made


def run(case: Case, **config: str) -> list[np.ndarray]:
    with icefloe.Graph().as_default():
        out = build.apply_op(case.op, *case.inputs, **case.attrs)
        with icefloe.Session(config=icefloe.Config(**config)) as session:
            return session.run(list(out) if isinstance(out, (list, tuple)) else [out])


@pytest.mark.parametrize("case", files.CASES, ids=lambda case: case.id)
def test_as_tensorflow(case: Case, folder: Path) -> None:
    answer = ANSWERS[case.id]
    assert answer["fingerprint"] == case.fingerprint(), "the golden is old: run fixtures/make/file_kernels.py"
    placed = files.in_folder(case, folder)
    if "error" in answer:
        expected = getattr(errors, answer["error"], ValueError)
        with pytest.raises(expected):
            run(placed)
        return
    for got, want in zip(run(placed), answer["outputs"], strict=True):
        assert not (why := difference(got, want, case.tol)), why


@pytest.mark.parametrize("case", READING, ids=lambda case: case.id)
def test_no_files_where_none_may_be_read(case: Case, folder: Path) -> None:
    with pytest.raises(errors.PermissionDeniedError):
        run(files.in_folder(case, folder), files="none")
