"""The public namespace: every name resolves, nothing below shadows one, importing it costs next to nothing."""

from __future__ import annotations

import gzip
import importlib
import inspect
import json
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import icefloe
from icefloe import _names, datatypes, opdefs

ROOT = Path(__file__).resolve().parents[1]
NAMES = [(namespace, name) for namespace in _names.TABLE for name in _names.entries(namespace)]
# Modules of the top floor hold public names only; a test of layers says what may import them.
TABLES = {"_kind_names", "_layer_names", "_names", "_space_names", "_top_names"}
TOP = {*TABLES, *(n.split(".")[0] for n in _names.TABLE if n), "raw_ops"}


@pytest.mark.parametrize(("namespace", "name"), NAMES, ids=[f"{ns}.{n}".lstrip(".") for ns, n in NAMES])
def test_name_resolves(namespace: str, name: str) -> None:
    module = importlib.import_module(f"icefloe.{namespace}" if namespace else "icefloe")
    value = getattr(module, name)
    assert value is getattr(module, name)
    assert name in dir(module)
    assert name in module.__all__


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'icefloe' has no attribute 'nonsense'"):
        icefloe.nonsense
    with pytest.raises(AttributeError, match="module 'icefloe.nn' has no attribute 'nonsense'"):
        icefloe.nn.nonsense


def test_no_module_shadows_a_public_name() -> None:
    """Importing `icefloe.x` binds `icefloe.x`: below the top, x must not be a name that stands for something else."""
    public = _names.entries("")
    for module in pkgutil.iter_modules(icefloe.__path__):
        if module.name in public:
            assert public[module.name] == ("module", module.name), module.name
        elif module.name in TOP:
            assert module.name in TABLES


def test_a_name_is_listed_once_per_namespace() -> None:
    for namespace, modules in _names.TABLE.items():
        words = [word.partition("=")[0] for text in modules.values() for word in text.split()]
        assert len(words) == len(set(words)), (namespace, sorted(w for w in words if words.count(w) > 1))


def test_compat_v1_is_icefloe() -> None:
    v1 = importlib.import_module("icefloe.compat.v1")
    assert v1.Graph is icefloe.Graph
    assert v1.train.Saver is icefloe.train.Saver
    assert set(v1.__all__) == set(icefloe.__all__)


def test_import_loads_nothing() -> None:
    code = "import sys, icefloe; print(*sorted(m for m in sys.modules if m.startswith(('icefloe', 'numpy', 'google'))))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert loaded == ["icefloe", *(f"icefloe.{name}" for name in sorted(TABLES)), "icefloe._version"]


def test_stubs_are_current() -> None:
    path = ROOT / "fixtures" / "make" / "public_names.py"
    spec = importlib.util.spec_from_file_location("public_names", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for stub, text in module.stubs().items():
        assert stub.read_text() == text, f"{stub.name}: run make generate"


def _plain(value: Any) -> Any:
    if isinstance(value, datatypes.DType):
        return value.name
    return [_plain(v) for v in value] if isinstance(value, (list, tuple)) else value


def test_raw_ops_take_tensorflows_arguments() -> None:
    golden = json.loads(gzip.decompress((ROOT / "fixtures" / "lib" / "raw_ops.json.gz").read_bytes()))
    assert set(golden) <= set(dir(icefloe.raw_ops))
    for op, wanted in golden.items():
        parameters = inspect.signature(getattr(icefloe.raw_ops, op)).parameters.values()
        assert all(p.kind is p.KEYWORD_ONLY for p in parameters)
        ours = [[p.name] if p.default is p.empty else [p.name, _plain(p.default)] for p in parameters]
        assert ours.pop() == ["name", None]
        # The default of a tensor attr is not recorded.
        assert ours == [[a[0], None] if a[1:] == ["..."] else a for a in wanted], op


def test_raw_ops_describe_themselves() -> None:
    function = icefloe.raw_ops.MatMul
    assert str(inspect.signature(function)) == (
        "(*, a, b, transpose_a=False, transpose_b=False, grad_a=False, grad_b=False, name=None)"
    )
    assert "transpose_a: bool, default False" in function.__doc__
    assert "Returns: product: T." in function.__doc__
    with pytest.raises(TypeError, match="MatMul only takes keyword args"):
        function(1, 2)
    with pytest.raises(TypeError, match="missing a required argument: 'b'"):
        function(a=[[1.0]])
    with pytest.raises(AttributeError, match="no attribute 'MatMull'"):
        icefloe.raw_ops.MatMull
    assert len(dir(icefloe.raw_ops)) == len(opdefs.names())
