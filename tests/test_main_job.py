"""`make run`: the example runs on the committed fixture and leaves its files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_main_job(tmp_path: Path) -> None:
    script = ROOT / "examples" / "main_job.py"
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script), str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("= [0.6254492  1.3739233  0.20126814 0.        ]") == 2
    assert "global_step = 31" in done.stdout
    assert "total = 30.0" in done.stdout
    assert {p.name for p in tmp_path.iterdir()} == {
        "checkpoint",
        "model.ckpt-31.data-00000-of-00001",
        "model.ckpt-31.index",
        "model.ckpt-31.meta",
        "other.pb",
    }
