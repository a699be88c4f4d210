"""Ops and signatures in one line, as TensorFlow's messages write them."""

from __future__ import annotations

from icefloe import datatypes, opdefs
from icefloe.graph import attributes

_FLAGS = ("is_commutative", "is_aggregate", "is_stateful", "allows_uninitialized_input")


def type_word(dtype: datatypes.DType) -> str:
    """Return a dtype as C++ names it: `float`, `half`, `int32`, `float_ref`."""
    word = {"float32": "float", "float64": "double", "float16": "half"}.get(
        dtype.base_dtype.name, dtype.base_dtype.name
    )
    return word + "_ref" if dtype._is_ref_dtype else word


def _args_text(args: tuple[opdefs.Arg, ...]) -> str:
    texts = []
    for arg in args:
        kind = type_word(datatypes.as_dtype(arg.dtype)) if arg.dtype else arg.type_attr or arg.type_list_attr
        if arg.number_attr:
            kind = f"{arg.number_attr}*{kind}"
        texts.append(f"{arg.name}:Ref({kind})" if arg.is_ref else f"{arg.name}:{kind}")
    return ", ".join(texts)


def signature_text(signature: opdefs.Signature) -> str:
    """Return `Op<name=...; signature=... -> ...; attr=...>`."""
    parts = [
        f"name={signature.name}",
        f"signature={_args_text(signature.inputs)} -> {_args_text(signature.outputs)}",
    ]
    for spec in signature.attrs.values():
        text = f"attr={spec.name}:{spec.type}"
        if spec.default is not None:
            text += f",default={attributes.summary(spec.default)}"
        if spec.has_minimum:
            text += f",min={spec.minimum}"
        if spec.allowed is not None:
            text += f",allowed={attributes.summary(spec.allowed)}"
        parts.append(text)
    parts.extend(f"{flag}=true" for flag in _FLAGS if getattr(signature, flag))
    return f"Op<{'; '.join(parts)}>"


def input_count_text(expected: list[datatypes.DType], given: int, signature: opdefs.Signature, node: str) -> str:
    """Return TensorFlow's message about a node with too few or too many inputs."""
    types = ", ".join(map(type_word, expected))
    return (
        f"NodeDef expected inputs '{types}' do not match {given} inputs specified; {signature_text(signature)}; "
        f"NodeDef: {{{{node {node}}}}}"
    )


def input_type_text(index: int, node: str, source: str, actual: datatypes.DType, expected: datatypes.DType) -> str:
    """Return TensorFlow's message about an input of the wrong type."""
    return (
        f"Input {index} of node {node} was passed {type_word(actual)} from {source} "
        f"incompatible with expected {type_word(expected)}."
    )


def missing_attr_text(attr: str, signature: opdefs.Signature, node: str) -> str:
    """Return TensorFlow's message about a node that lacks an attr."""
    return f"NodeDef missing attr '{attr}' from {signature_text(signature)}; NodeDef: {{{{node {node}}}}}"
