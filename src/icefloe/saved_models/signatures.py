"""Signatures: which tensors of a graph a served model takes and gives.

Source: tensorflow/python/saved_model/signature_def_utils_impl.py, utils_impl.py (rules and messages).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from icefloe import datatypes, errors
from icefloe.graph.attributes import as_attr
from icefloe.graph.graph import get_default_graph
from icefloe.graph.naming import prepend_name_scope
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.proto import SignatureDef, TensorInfo, TensorShapeProto
from icefloe.saved_models import constants

_STRING = datatypes.string.as_datatype_enum
_FLOAT = datatypes.float32.as_datatype_enum


def build_tensor_info(tensor: Any) -> TensorInfo:
    """Return name, dtype and shape of a tensor or variable, or of the tensors of a SparseTensor or RaggedTensor."""
    if getattr(type(tensor), "is_ragged", False):
        from icefloe.graph.spec_protos import spec_to_proto

        composite = TensorInfo()
        composite.composite_tensor.type_spec.CopyFrom(spec_to_proto(tensor._type_spec))
        for part in tensor.component_tensors():
            composite.composite_tensor.components.append(build_tensor_info(part))
        return composite
    info = TensorInfo(
        dtype=datatypes.as_dtype(tensor.dtype).as_datatype_enum, tensor_shape=tensor.get_shape().as_proto()
    )
    if isinstance(tensor, SparseTensor):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        info.name = tensor.name
    return info


def get_tensor_from_tensor_info(tensor_info: Any, graph: Any = None, import_scope: str | None = None) -> Any:
    """Return the tensor, SparseTensor or RaggedTensor that `tensor_info` describes, in `graph` or the default one.

    import_scope: scope to put before the names.

    Raises: KeyError if there is no such tensor; ValueError if it describes none; UnimplementedError for composites of
    other kinds.
    """
    graph = graph or get_default_graph()

    def tensor(name: str) -> Tensor:
        found: Tensor = graph.get_tensor_by_name(prepend_name_scope(name, import_scope))
        return found

    encoding = tensor_info.WhichOneof("encoding")
    if encoding == "name":
        return tensor(tensor_info.name)
    if encoding == "coo_sparse":
        parts = tensor_info.coo_sparse
        names = (parts.indices_tensor_name, parts.values_tensor_name, parts.dense_shape_tensor_name)
        return SparseTensor(*[tensor(name) for name in names])
    if encoding == "composite_tensor":
        parts = tensor_info.composite_tensor
        if parts.type_spec.type_spec_class != parts.type_spec.RAGGED_TENSOR_SPEC:
            raise errors.UnimplementedError(
                "a TensorInfo of a composite tensor other than a SparseTensor or RaggedTensor"
            )
        from icefloe.lib.ragged_tensor import RaggedTensor

        flat, *splits = [tensor(part.name) for part in parts.components]
        return RaggedTensor.from_nested_row_splits(flat, splits, validate=False)
    raise ValueError(
        f"Invalid TensorInfo.encoding: {encoding}. Expected `coo_sparse`, `composite_tensor`, or `name` for a dense "
        "tensor."
    )


def op_signature_def(op: Any, key: str) -> SignatureDef:
    """Return a SignatureDef with one output, `key`, that names an operation or tensor."""
    info = TensorInfo(name=op.name, tensor_shape=TensorShapeProto(unknown_rank=True))
    return build_signature_def(outputs={key: info})


def build_signature_def(
    inputs: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any] | None = None,
    method_name: str | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> SignatureDef:
    """Return a SignatureDef.

    inputs, outputs: TensorInfos by what the signature calls them. defaults: TensorProtos, or constants of the graph,
    of inputs that may be left out.

    Raises: ValueError if a default is a tensor that is no constant.
    """
    signature = SignatureDef()
    for field, infos in ((signature.inputs, inputs), (signature.outputs, outputs)):
        for key, info in (infos or {}).items():
            field[key].CopyFrom(info)
    if method_name is not None:
        signature.method_name = method_name
    for key, default in (defaults or {}).items():
        if isinstance(default, Tensor):
            if default.op.type != "Const":
                raise ValueError(f"Unable to convert object {default} of type {type(default)} to TensorProto.")
            default = as_attr(default.op.node_def.attr["value"]).tensor
        signature.defaults[key].CopyFrom(default)
    return signature


def regression_signature_def(examples: Any, predictions: Any) -> SignatureDef:
    """Return the signature of a regression: string `examples` in, float `predictions` out. Raises: ValueError."""
    if examples is None:
        raise ValueError("Regression `examples` cannot be None.")
    if not isinstance(examples, Tensor):
        raise ValueError(  # noqa: TRY004 (as TensorFlow)
            f"Expected regression `examples` to be of type Tensor. Found `examples` of type {type(examples)}."
        )
    if predictions is None:
        raise ValueError("Regression `predictions` cannot be None.")
    given = build_tensor_info(examples)
    if given.dtype != _STRING:
        raise ValueError(f"Regression input tensors must be of type string. Found tensors with type {given.dtype}.")
    made = build_tensor_info(predictions)
    if made.dtype != _FLOAT:
        raise ValueError(f"Regression output tensors must be of type float. Found tensors with type {made.dtype}.")
    return build_signature_def(
        {constants.REGRESS_INPUTS: given}, {constants.REGRESS_OUTPUTS: made}, constants.REGRESS_METHOD_NAME
    )


def classification_signature_def(examples: Any, classes: Any, scores: Any) -> SignatureDef:
    """Return the signature of a classification: string `examples` in, string `classes` and float `scores`, or one of
    them, out. Raises: ValueError.
    """
    if examples is None:
        raise ValueError("Classification `examples` cannot be None.")
    if not isinstance(examples, Tensor):
        raise ValueError(  # noqa: TRY004 (as TensorFlow)
            f"Classification `examples` must be a string Tensor. Found `examples` of type {type(examples)}."
        )
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    given = build_tensor_info(examples)
    if given.dtype != _STRING:
        raise ValueError(f"Classification input tensors must be of type string. Found tensors of type {given.dtype}")
    outputs = {}
    if classes is not None:
        info = outputs[constants.CLASSIFY_OUTPUT_CLASSES] = build_tensor_info(classes)
        if info.dtype != _STRING:
            raise ValueError(
                f"Classification classes must be of type string Tensor. Found tensors of type {info.dtype}."
            )
    if scores is not None:
        info = outputs[constants.CLASSIFY_OUTPUT_SCORES] = build_tensor_info(scores)
        if info.dtype != _FLOAT:
            raise ValueError("Classification scores must be a float Tensor.")
    return build_signature_def({constants.CLASSIFY_INPUTS: given}, outputs, constants.CLASSIFY_METHOD_NAME)


def predict_signature_def(inputs: Mapping[str, Any] | None, outputs: Mapping[str, Any] | None) -> SignatureDef:
    """Return the signature of a prediction from tensors by name to tensors by name. Raises: ValueError if none."""
    if not inputs:
        raise ValueError("Prediction `inputs` cannot be None or empty.")
    if not outputs:
        raise ValueError("Prediction `outputs` cannot be None or empty.")
    return build_signature_def(
        {key: build_tensor_info(tensor) for key, tensor in inputs.items()},
        {key: build_tensor_info(tensor) for key, tensor in outputs.items()},
        constants.PREDICT_METHOD_NAME,
    )


def is_valid_signature(signature_def: Any) -> bool:
    """Whether it is a signature of a classification, regression or prediction that can be served."""
    if signature_def is None:
        return False
    inputs = {key: info.dtype for key, info in signature_def.inputs.items()}
    outputs = {key: info.dtype for key, info in signature_def.outputs.items()}
    if signature_def.method_name == constants.PREDICT_METHOD_NAME:
        return bool(inputs and outputs)
    if signature_def.method_name == constants.REGRESS_METHOD_NAME:
        return inputs == {constants.REGRESS_INPUTS: _STRING} and outputs == {constants.REGRESS_OUTPUTS: _FLOAT}
    if signature_def.method_name == constants.CLASSIFY_METHOD_NAME:
        wanted = {constants.CLASSIFY_OUTPUT_CLASSES: _STRING, constants.CLASSIFY_OUTPUT_SCORES: _FLOAT}
        fit = all(wanted.get(key) == dtype for key, dtype in outputs.items())
        return inputs == {constants.CLASSIFY_INPUTS: _STRING} and bool(outputs) and fit
    return False
