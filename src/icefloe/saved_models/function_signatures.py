"""Signatures of functions: what `saved_model.save` makes of the functions that it is given to serve.

A signature's function takes tensors by name and returns a dict of tensors; it calls the function that it is made of.

Source: tensorflow/python/saved_model/signature_serialization.py (rules and messages).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from icefloe import errors
from icefloe.graph.build import apply_op
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.graph.type_specs import TensorSpec
from icefloe.lib.concrete_functions import ConcreteFunction
from icefloe.lib.nest import is_composite
from icefloe.lib.traced_functions import TracedFunction
from icefloe.proto import SignatureDef
from icefloe.saved_models import constants
from icefloe.saved_models.export_graph import ExportGraph
from icefloe.saved_models.function_specs import tensor_specs
from icefloe.saved_models.saved_objects import SignatureMap, children
from icefloe.saved_models.signatures import build_signature_def, build_tensor_info

_DEFAULT_ATTRIBUTE = "_default_save_signature"


def _concrete(function: Any) -> ConcreteFunction | None:
    if isinstance(function, ConcreteFunction):
        return function
    if isinstance(function, TracedFunction) and function.input_signature is not None:
        return function.get_concrete_function()
    return None


def chosen_signatures(root: Any, signatures: Any) -> dict[str, tuple[str, ConcreteFunction]]:
    """Return the functions to serve by the names of their signatures, each with the name of its function.

    signatures: a function, or functions by name; for None the only function of `root` that can be served, if there is
    just one.

    Raises: ValueError for what is no function, or has no input signature.
    """
    if signatures is None:
        found = _only_function(root)
        signatures = {} if found is None else found
    if not isinstance(signatures, Mapping):
        signatures = {constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signatures}
    out = {}
    for key, function in signatures.items():
        concrete = _concrete(function)
        if concrete is None:
            raise ValueError(
                f"Expected a TensorFlow function for which to generate a signature, but got {function}. Only "
                "`tf.functions` with an input signature or concrete functions can be used as a signature."
            )
        if not isinstance(key, str):
            raise TypeError(f"the name of a signature must be text, got {key!r}")
        if key in (constants.INIT_OP_SIGNATURE_KEY, constants.TRAIN_OP_SIGNATURE_KEY):
            raise KeyError(f"the signature name {key!r} is taken")
        name = function.name if isinstance(function, TracedFunction) else ""
        out[key] = (name, concrete)
    return out


def _only_function(root: Any) -> Any:
    possible = []
    for name, child in children(root):
        if not isinstance(child, (TracedFunction, ConcreteFunction)):
            continue
        if name == _DEFAULT_ATTRIBUTE:
            return child
        concrete = _concrete(child)
        if concrete is not None and _is_valid(concrete):
            possible.append(child)
    return possible[0] if len(possible) == 1 else None


def _is_valid(concrete: ConcreteFunction) -> bool:
    if concrete.structured_outputs is None or not concrete.outputs:
        return False
    try:
        normalized_outputs(concrete.structured_outputs, "unused", "unused")
    except ValueError:
        return False
    return True


def normalized_outputs(outputs: Any, function: str, key: str) -> dict[str, Any]:
    """Return what a function gives as a dict of tensors. Raises: ValueError if that cannot be."""
    if not isinstance(outputs, Mapping):
        if hasattr(outputs, "_asdict"):
            outputs = outputs._asdict()
        else:
            parts = outputs if isinstance(outputs, Sequence) else [outputs]
            outputs = {f"output_{i}": part for i, part in enumerate(parts)}
    for name, value in outputs.items():
        if not isinstance(name, (str, bytes)):
            raise ValueError(  # noqa: TRY004 (TensorFlow's class)
                f"Got a dictionary with a non-string key {name!r} in the output of the function {function} used to "
                f"generate the SavedModel signature {key!r}."
            )
        if not isinstance(value, (Tensor, SparseTensor)) and not is_composite(value):
            raise ValueError(
                f"Got a non-Tensor value {value!r} for key {name!r} in the output of the function {function} used to "
                f"generate the SavedModel signature {key!r}. Outputs for functions used as signatures must be a single "
                "Tensor, a sequence of Tensors, or a dictionary from string to Tensor."
            )
    return dict(outputs)


def wrapped(chosen: Mapping[str, tuple[str, ConcreteFunction]], export: ExportGraph) -> SignatureMap:
    """Return the functions of the signatures, which take tensors by name and return a dict.

    Raises: ValueError for results that cannot be served; UnimplementedError for composite tensors.
    """
    found = SignatureMap()
    for key, (name, concrete) in chosen.items():
        specs = tensor_specs(concrete)
        if len(specs) != len(concrete._leaves):
            raise errors.UnimplementedError(f"signature {key!r}: its function takes a composite tensor")
        outputs = normalized_outputs(concrete.structured_outputs, concrete._name, key)
        composite = [output for output, value in outputs.items() if not isinstance(value, Tensor)]
        if composite:
            raise errors.UnimplementedError(f"signature {key!r}: its output {composite[0]!r} is a composite tensor")
        found[key] = _wrapper(key, name, concrete, specs, export)
    return found


def _wrapper(
    key: str, name: str, concrete: ConcreteFunction, specs: Mapping[str, TensorSpec], export: ExportGraph
) -> ConcreteFunction:
    exported = export.function(concrete)
    keywords = list(specs)

    def signature_wrapper(**inputs: Any) -> dict[str, Any]:
        outputs = exported.call([inputs[k] for k in keywords], export.tensor_of)
        return normalized_outputs(outputs, concrete._name, key)

    signature_wrapper.__name__ = f"signature_wrapper_{name}" if name else "signature_wrapper"
    with export.graph.as_default():
        return TracedFunction(signature_wrapper).get_concrete_function(**specs)


def signature_def(key: str, concrete: ConcreteFunction, export: ExportGraph) -> SignatureDef:
    """Add a call of a signature's function to the graph and return the SignatureDef that names its tensors."""
    with export.graph.as_default():
        inputs = {
            name: apply_op("Placeholder", dtype=spec.dtype, shape=spec.shape, name=f"{key}_{name}")
            for name, spec in tensor_specs(concrete).items()
        }
    op = export.call(export.function(concrete), list(inputs.values()))
    outputs = _by_name(concrete.structured_outputs, op.outputs)
    return build_signature_def(
        {name: build_tensor_info(tensor) for name, tensor in inputs.items()},
        {name: build_tensor_info(tensor) for name, tensor in outputs.items()},
        constants.PREDICT_METHOD_NAME,
    )


def _by_name(structure: Mapping[str, Any], tensors: Sequence[Tensor]) -> dict[str, Tensor]:
    """Return the results of a call by name; they are in the order of the sorted names."""
    return dict(zip(sorted(structure), tensors, strict=True))
