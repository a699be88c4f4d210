"""State files as people, editors and other systems leave them."""

from __future__ import annotations

import pytest

import icefloe as tf
from cases.directories import save
from icefloe import ckpt, errors
from icefloe.checkpoint.state_text import read_text

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

NAME = "model_checkpoint_path"
READ_AS_M2 = {
    "carriage returns": f'{NAME}: "m-2"\r\nall_{NAME}s: "m-2"\r\n'.encode(),
    "byte order mark": f'\ufeff{NAME}: "m-2"\n'.encode(),
    "utf-16": f'{NAME}: "m-2"\r\n'.encode("utf-16"),
    "latin-1": f'{NAME}: "/home/José/m-2"\n'.encode("latin-1"),
    "an escaped byte that is no UTF-8": rf'{NAME}: "/home/Jos\351/m-2"'.encode(),
    "windows": rf'{NAME}: "C:\\runs\\new\\m-2"'.encode(),
    "windows by hand": rf'{NAME}: "C:\runs\new\m-2"'.encode(),
    "windows by hand, no escape": rf'{NAME}: "D:\Users\x1\m-2"'.encode(),
    "no quotes": f"{NAME}: m-2\n".encode(),
    "another sign": f'{NAME} = "m-2"\n'.encode(),
    "a field of later": f'{NAME}: "m-2"\nwritten_by: "x"\n'.encode(),
    "a comment": f"# newest\n{NAME}: 'm-2'  # this\n".encode(),
    "an index": f'{NAME}: "m-2.index"\n'.encode(),
    "a data file": f'{NAME}: "/old/m-2.data-00000-of-00001"\n'.encode(),
    "a graph": f'{NAME}: "m-2.meta"\n'.encode(),
    "blanks": f'{NAME}: " m-2 "\n'.encode(),
    "a slash": f'{NAME}: "m-2/"\n'.encode(),
}


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    folder = tmp_path_factory.mktemp("three")
    for step in (1, 2, 3):
        save(folder / f"m-{step}", step)
    return folder


@pytest.mark.parametrize("data", READ_AS_M2.values(), ids=READ_AS_M2)
def test_what_is_meant_is_found(three, data, cli):
    state = three / "checkpoint"
    state.write_bytes(data)
    assert tf.train.latest_checkpoint(three) == str(three / "m-2")
    assert tf.open_checkpoint(three)["v"] == 2
    assert tf.open_checkpoint(state)["v"] == 2
    assert tf.identify(state).kind == "state"
    assert cli("ckpt", "state", three, "--fix").code == 0
    assert state.read_text().startswith(f'{NAME}: "m-2"\n')
    state.unlink()


@pytest.mark.parametrize(
    "data",
    [
        f'{NAME}: "m-2',  # cut off: it may have been m-20
        f'<<<<<<< HEAD\n{NAME}: "m-2"\n=======\n{NAME}: "m-1"\n>>>>>>> other\n',
        f"{NAME}: [",
        "\0" * 80,
        f'{NAME}: "m-2" {NAME}: ',
    ],
)
def test_what_may_mean_anything_is_refused(three, data, cli):
    state = three / "checkpoint"
    state.write_text(data)
    assert tf.train.latest_checkpoint(three) == str(three / "m-3")
    with pytest.raises(errors.DataLossError, match="not a checkpoint state file") as caught:
        ckpt.state(three, fix=True)
    assert "\0" not in str(caught.value)
    assert len(str(caught.value)) < 400
    result = cli("ckpt", "prune", three, "--yes")
    assert result.code == 1
    assert "--rebuild" in result.err
    assert state.read_text() == data
    state.unlink()


def test_a_path_that_is_escaped_is_no_drive():
    assert read_text(rf'{NAME}: "a\nb"'.encode()).model_checkpoint_path == "a\nb"
    assert read_text(rf'{NAME}: "C:\\runs\\m"'.encode()).model_checkpoint_path == r"C:\runs\m"
    assert read_text(rf'{NAME}: "C:\runs\m"'.encode()).model_checkpoint_path == r"C:\runs\m"
    found = read_text(f'{NAME}: "m"\nall_model_checkpoint_timestamps: 2.5\n'.encode())
    assert list(found.all_model_checkpoint_timestamps) == [2.5]
