"""Signatures of a loaded SavedModel, as callables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from icefloe import errors
from icefloe.datatypes import DType, as_dtype
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor_proto import make_ndarray
from icefloe.proto import SignatureDef, TensorInfo, TensorShapeProto
from icefloe.saved_models import constants
from icefloe.saved_models.signatures import get_tensor_from_tensor_info

_INTERNAL = frozenset((constants.INIT_OP_SIGNATURE_KEY, constants.TRAIN_OP_SIGNATURE_KEY))


@dataclass(frozen=True, slots=True)
class SignatureTensor:
    """An input or output of a signature.

    key: its name in the signature. name: that of the tensor in the graph, of the values of a SparseTensor.
    dtype: None where the file does not say a known one. shape: as `(None, 3)`, None for unknown rank.
    """

    key: str
    name: str
    dtype: DType | None
    shape: tuple[int | None, ...] | None
    is_sparse: bool = False


class Signature:
    """One thing a model does: `signature(x=array)` returns a dict of arrays by output key.

        y = model.signatures["serving_default"](x=[[1.0, 2.0]])["y"]

    name, method_name: as stored. inputs, outputs: SignatureTensors by key. optional: inputs with default values.
    """

    def __init__(self, name: str, definition: SignatureDef, session: Any) -> None:
        self.name = name
        self.method_name: str = definition.method_name
        self._definition = definition
        self._session = session
        self._found: dict[str, Any] = {}
        self.inputs = {key: self._tensor(key, definition.inputs[key]) for key in sorted(definition.inputs)}
        self.outputs = {key: self._tensor(key, definition.outputs[key]) for key in sorted(definition.outputs)}
        self.optional = frozenset(key for key in definition.defaults if key in self.inputs)

    @property
    def signature_def(self) -> SignatureDef:
        """The SignatureDef as it is stored."""
        return self._definition

    def _tensor(self, key: str, info: TensorInfo) -> SignatureTensor:
        sparse = info.WhichOneof("encoding") == "coo_sparse"
        name = info.coo_sparse.values_tensor_name if sparse else info.name
        dtype, shape = self._known(name)
        if info.dtype:
            try:
                dtype = as_dtype(info.dtype)
            except TypeError:
                dtype = None
        if info.HasField("tensor_shape") or sparse:
            shape = _shape(info.tensor_shape) if info.HasField("tensor_shape") else None
        return SignatureTensor(key, name, dtype, shape, sparse)

    def _known(self, name: str) -> tuple[DType | None, tuple[int | None, ...] | None]:
        """Return what the graph says of a tensor's dtype and shape; None where it says nothing or is broken."""
        try:
            tensor = self._session.graph.get_tensor_by_name(name)
            shape = tensor.shape
            return tensor.dtype, None if shape.rank is None else tuple(shape.as_list())
        except (KeyError, ValueError, TypeError, errors.OpError):
            return None, None

    def __repr__(self) -> str:
        return f"<Signature {self.name!r} ({', '.join(self.inputs)}) -> ({', '.join(self.outputs)})>"

    def __call__(self, *args: Any, **inputs: Any) -> dict[str, Any]:
        """Return the outputs by key for the inputs given by key; the only input may be given by position.

        Raises: InvalidArgumentError for inputs that are missing, unknown or of another shape or dtype.
        """
        if args:
            if len(args) > 1 or len(self.inputs) != 1:
                raise self._error(f"inputs are given by name: {self._keys(self.inputs)}")
            inputs = {next(iter(self.inputs)): args[0], **inputs}
        self._check_keys(inputs)
        feeds: dict[Any, Any] = {}
        for key, info in self._definition.defaults.items():
            if key in self.optional and key not in inputs:
                feeds[self._element(key, self._definition.inputs[key])] = make_ndarray(info)
        for key, value in inputs.items():
            feeds[self._element(key, self._definition.inputs[key])] = self._checked(self.inputs[key], value)
        fetches = {key: self._element(key, self._definition.outputs[key]) for key in self.outputs}
        try:
            found: dict[str, Any] = self._session.run(fetches, feeds)
        except errors.OpError:
            raise
        except (TypeError, ValueError) as error:
            raise self._error(str(error)) from error
        return found

    def _check_keys(self, inputs: Mapping[str, Any]) -> None:
        unknown = [key for key in inputs if key not in self.inputs]
        if unknown:
            raise self._error(f"no input {unknown[0]!r}; its inputs are {self._keys(self.inputs)}")
        missing = [key for key in self.inputs if key not in inputs and key not in self.optional]
        if missing:
            raise self._error(f"missing input {self._keys(missing)}; given were {self._keys(inputs) or 'none'}")

    @staticmethod
    def _keys(keys: Any) -> str:
        return ", ".join(map(repr, keys))

    def _error(self, what: str) -> errors.InvalidArgumentError:
        return errors.InvalidArgumentError(f"signature {self.name!r}: {what}")

    def _element(self, key: str, info: TensorInfo) -> Any:
        """Return the tensor or SparseTensor of an input or output."""
        try:
            return get_tensor_from_tensor_info(info, self._session.graph)
        except errors.OpError:
            raise
        except (KeyError, ValueError) as error:
            raise self._error(f"{key!r} names no tensor of the graph: {error.args[0]}") from None

    def _checked(self, spec: SignatureTensor, value: Any) -> Any:
        """Return the value as it is fed. Raises: InvalidArgumentError if its shape cannot be that of the input."""
        if spec.is_sparse or spec.shape is None or isinstance(value, SparseTensor):
            return value
        try:
            shape = np.shape(value)
        except ValueError as error:
            raise self._error(f"input {spec.key!r}: {error}") from None
        fits = len(shape) == len(spec.shape) and all(
            want is None or want == got for want, got in zip(spec.shape, shape, strict=True)
        )
        if not fits:
            raise self._error(f"input {spec.key!r}: expected shape {_text(spec.shape)}, got {_text(shape)}")
        return value


def _shape(proto: TensorShapeProto) -> tuple[int | None, ...] | None:
    return None if proto.unknown_rank else tuple(d.size if d.size >= 0 else None for d in proto.dim)


def _text(shape: tuple[int | None, ...]) -> str:
    return "[" + ", ".join("?" if size is None else str(size) for size in shape) + "]"


class Signatures(Mapping[str, Signature]):
    """The signatures of a model by name; those that only name an init or train op are left out."""

    def __init__(self, definitions: Mapping[str, SignatureDef], session: Any) -> None:
        self._definitions = {key: definitions[key] for key in sorted(definitions) if key not in _INTERNAL}
        self._session = session
        self._made: dict[str, Signature] = {}

    def __getitem__(self, name: str) -> Signature:
        if name not in self._made:
            if name not in self._definitions:
                raise MissingSignatureError.of(name, self._definitions)
            self._made[name] = Signature(name, self._definitions[name], self._session)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._definitions)

    def __len__(self) -> int:
        return len(self._definitions)

    def __repr__(self) -> str:
        return f"<Signatures {', '.join(map(repr, self._definitions))}>"


class MissingSignatureError(errors.NotFoundError, KeyError, ValueError):
    """A model has no signature of this name."""

    __str__ = errors.NotFoundError.__str__

    @classmethod
    def of(cls, name: str, known: Iterable[str]) -> MissingSignatureError:
        """Return the error that names those that there are."""
        listed = ", ".join(known) or "none"
        return cls(f'Could not find signature "{name}". Please choose from: {listed}')
