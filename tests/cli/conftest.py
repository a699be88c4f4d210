"""`cli(*args)` runs the command as a user does and returns exit code, stdout and stderr."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from icefloe_cli.main import cli as command

SAVERS = Path(__file__).resolve().parents[2] / "fixtures" / "savers"


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Return stdout as one JSON object that names its schema."""
        data = json.loads(self.out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
        assert data["schema"].startswith("icefloe.")
        assert data["schema"].endswith("/1")
        return data


@pytest.fixture
def cli() -> Any:
    def run(*args: Any, stdin: str | bytes | None = None) -> Outcome:
        result = CliRunner().invoke(command, [str(a) for a in args], input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Outcome(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def savers() -> Path:
    """The folder of checkpoints and graphs that TensorFlow wrote."""
    return SAVERS
