"""Run as a program: saves over a checkpoint in child processes that are killed at each file-system call, and checks
after each that the directory loads as old or as new, and that the next save leaves nothing behind.

    python killing.py WHAT FOLDER     WHAT: a function of SAVES
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import icefloe as tf
from icefloe import ckpt
from icefloe.checkpoint import files

CALLS = ("create", "write", "sync", "sync_file", "sync_directory", "rename", "remove", "make_directory")
OLD, NEW, NEXT = 1, 2, 3


def content(seed: int) -> dict[str, np.ndarray]:
    return {f"v{i}": np.full((seed + 1, 2), seed * 10 + i, np.float32) for i in range(3)}


def save_plain(folder: Path, seed: int) -> None:
    tf.save_checkpoint(folder / "m", content(seed), shards=seed)


def _run(folder: Path, seed: int, **options: Any) -> None:
    """Save with a Saver: tensors, state file, .meta."""
    save = options.pop("save", {})
    with tf.Graph().as_default():
        for i, name in enumerate(("v0", "v1", "v2")):
            with tf.device(f"/cpu:{i % 2}"):
                tf.get_variable(name, initializer=np.full((2, 2), seed * 10 + i, np.float32), use_resource=False)
        saver = tf.train.Saver(**options)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            saver.save(session, str(folder / "m"), **save)


def save_saver(folder: Path, seed: int) -> None:
    _run(folder, seed)


def save_sharded(folder: Path, seed: int) -> None:
    _run(folder, seed, sharded=True)


def save_v1(folder: Path, seed: int) -> None:
    _run(folder, seed, write_version=1)


def save_steps(folder: Path, seed: int) -> None:
    """Each save is a new step, and the former one is deleted."""
    with tf.Graph().as_default():
        tf.get_variable("v0", initializer=np.full((2, 2), seed * 10, np.float32), use_resource=False)
        saver = tf.train.Saver(max_to_keep=1)
        latest = tf.train.get_checkpoint_state(folder)
        if latest is not None:
            saver.recover_last_checkpoints(latest.all_model_checkpoint_paths)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            saver.save(session, str(folder / "m"), global_step=seed)


SAVES: dict[str, Callable[[Path, int], None]] = {
    "plain": save_plain,
    "saver": save_saver,
    "sharded": save_sharded,
    "v1": save_v1,
    "steps": save_steps,
}


def killed_child(at: int, save: Callable[[Path, int], None], folder: Path) -> bool:
    """Save `NEW` in a child that is killed before its file-system call number `at`; return whether it came so far."""
    pid = os.fork()
    if not pid:
        count = 0

        def counting(call: Callable[..., Any]) -> Callable[..., Any]:
            def counted(*args: Any) -> Any:
                nonlocal count
                count += 1
                if count == at:
                    os.kill(os.getpid(), signal.SIGKILL)
                return call(*args)

            return counted

        for name in CALLS:
            setattr(files, name, counting(getattr(files, name)))
        try:
            save(folder, NEW)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(3)
        os._exit(0)
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL, status
        return True
    assert os.WEXITSTATUS(status) == 0, status
    return False


def which(folder: Path) -> int:
    """Return which save a directory loads as; every tensor is of that one."""
    latest = tf.train.latest_checkpoint(folder)
    with tf.open_checkpoint(latest or folder / "m") as reader:
        values = dict(reader)
        assert reader.verify().ok
    (seed,) = {int(v.flat[0]) // 10 for v in values.values()}
    for i, name in enumerate(sorted(values)):
        assert (values[name] == seed * 10 + i).all(), (name, values[name])
    for meta in folder.glob("*.meta"):
        with tf.Graph().as_default():
            tf.train.import_meta_graph(str(meta))
    return seed


def listing(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))


def main(what: str, root: Path) -> None:
    save = SAVES[what]
    clean = root / "clean"
    clean.mkdir()
    for seed in (OLD, NEXT):
        save(clean, seed)
    seen = []
    at = 0
    while True:
        at += 1
        folder = root / str(at)
        folder.mkdir()
        save(folder, OLD)
        if not killed_child(at, save, folder):
            break
        seen.append(which(folder))
        ckpt.clean(folder, older_than=0, dry_run=False)
        left = [n for n in listing(folder) if "tmp-" in n or "commit-" in n or "_temp" in n]
        assert not left, (at, left)
        assert which(folder) in (OLD, NEW)
        save(folder, NEXT)
        assert which(folder) == NEXT
        if what == "steps":
            # One that was complete when its saver died, or not deleted yet, is a checkpoint that no state file lists.
            ckpt.prune(folder, keep=1, dry_run=False)
            # Of one whose deletion was cut short the index is gone, so it is no checkpoint; the rest stays.
            for path in [*folder.glob("m-1.data*"), *folder.glob("m-1.meta")]:
                assert not (folder / "m-1.index").exists()
                path.unlink()
        assert listing(folder) == listing(clean), at
    # What is committed stays committed.
    assert seen == sorted(seen), seen
    assert {OLD, NEW} == set(seen), seen
    print(len(seen))


if __name__ == "__main__":
    os.fsync = lambda fd: None  # type: ignore[assignment]  # a kill does not lose what the system holds
    main(sys.argv[1], Path(sys.argv[2]))
