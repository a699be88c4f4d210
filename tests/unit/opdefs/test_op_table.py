"""The op table is TensorFlow's registry, and the family map is true."""

from __future__ import annotations

import importlib

import pytest

from icefloe import errors, opdefs
from icefloe.graph import registry
from icefloe.proto import OpDef


def test_table_has_the_whole_registry() -> None:
    names = opdefs.names()
    assert len(names) == 1910
    assert {"Const", "MatMul", "SaveV2", "StatefulPartitionedCall", "Einsum"} <= set(names)


def test_signature_of_a_list_op() -> None:
    concat = opdefs.signature("ConcatV2")
    assert [(a.name, a.number_attr, a.type_attr) for a in concat.inputs] == [("values", "N", "T"), ("axis", "", "Tidx")]
    assert concat.attrs["N"].minimum == 2
    assert concat.returns_bare
    assert not opdefs.signature("Split").returns_bare
    assert opdefs.signature("Assign").inputs[0].is_ref


def test_no_documentation_is_kept() -> None:
    assert not any(opdefs.get(n).summary or opdefs.get(n).description for n in opdefs.names())


def test_unknown_op_names_near_ones() -> None:
    with pytest.raises(errors.NotFoundError, match="Did you mean 'MatMul'") as caught:
        opdefs.get("MatMull")
    assert caught.value.code == errors.NOT_FOUND


@pytest.mark.parametrize("module", sorted({opdefs.module(n) or "" for n in opdefs.names()} - {""}))
def test_family_map_names_the_module_that_registers(module: str) -> None:
    importlib.import_module(f"icefloe.ops.{module}")
    registered = {*registry.KERNELS, *registry.SHAPES, *registry.GRADIENTS}
    missing = [n for n in opdefs.names() if opdefs.module(n) == module and n not in registered]
    assert not missing


def test_every_registered_op_is_in_the_table_and_the_map() -> None:
    import pkgutil

    import icefloe.ops

    for info in pkgutil.walk_packages(icefloe.ops.__path__, "icefloe.ops."):
        importlib.import_module(info.name)
    registered = {*registry.KERNELS, *registry.SHAPES, *registry.GRADIENTS}
    assert not sorted(registered - set(opdefs.names()))
    assert not [op for op in sorted(registered) if opdefs.module(op) is None]


def test_every_kernel_has_a_shape_rule() -> None:
    for name in opdefs.names():
        registry.load(name)
    with_outputs = {name for name in registry.KERNELS if opdefs.signature(name).outputs}
    assert not sorted(with_outputs - set(registry.SHAPES))


def test_an_op_of_ones_own_can_be_registered() -> None:
    mine = OpDef(name="OpOfMyOwn", input_arg=[{"name": "x", "type": 1}])
    try:
        opdefs.register(mine)
        opdefs.register(mine)
        assert opdefs.signature("OpOfMyOwn").inputs[0].name == "x"
        with pytest.raises(errors.AlreadyExistsError, match="'OpOfMyOwn' is registered already"):
            opdefs.register(OpDef(name="OpOfMyOwn"))
    finally:
        opdefs._table().pop("OpOfMyOwn")
