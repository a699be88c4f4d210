"""`Layer`: a function with variables that live in a variable scope and are found there by name.

    layer = tf.layers.Dense(10, name="logits")
    y = layer(x)                         # makes logits/kernel and logits/bias, then computes
    z = layer(x2)                        # uses them again

A layer without a name takes the class's name, made unique among variable scopes when it is first called.

Source: the layers of TensorFlow 1 (tensorflow/python/layers/base.py): names, collections and messages.
"""

from __future__ import annotations

import collections
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import get_collection_ref, name_scope
from icefloe.graph.graph import get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_shape import shape as shape_of
from icefloe.lib.initializers import GlorotUniform, Ones, Zeros
from icefloe.lib.math_cast import cast
from icefloe.lib.nest import flatten
from icefloe.lib.scopes import init_scope
from icefloe.lib.variable import Variable, VariableAggregation, VariableSynchronization
from icefloe.lib.variable_lists import global_variables, trainable_variables
from icefloe.lib.variable_scope import VariableScope, get_variable, variable_scope
from icefloe.shapes import TensorShape

ZEROS = Zeros()
ONES = Ones()
_NUMBERS = "_layer_numbers"
_ALLOWED = frozenset(("_scope", "_reuse", "activity_regularizer", "dynamic", "autocast", "input_shape", "batch_size"))


class InputSpec:
    """What a layer takes: rank, least and greatest rank, sizes of some axes, dtype."""

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: Any = None,
        allow_last_axis_squeeze: bool = False,
        name: str | None = None,
        optional: bool = False,
    ) -> None:
        self.dtype = None if dtype is None else datatypes.as_dtype(dtype).name
        self.shape = None if shape is None else TensorShape(shape)
        self.ndim = self.shape.rank if self.shape is not None else ndim
        self.max_ndim, self.min_ndim = max_ndim, min_ndim
        self.axes = {int(axis): axes[axis] for axis in axes} if axes else {}
        self.allow_last_axis_squeeze, self.name, self.optional = allow_last_axis_squeeze, name, optional

    def check(self, x: Any, index: int, layer: str) -> None:
        """Raise ValueError if a layer cannot take `x`."""
        shape = TensorShape(x.shape)
        where = f'Input {index} of layer "{layer}" is incompatible with the layer: '
        rank = shape.rank
        if rank is None:
            return
        received = f"Full shape received: {tuple(shape)}"
        if self.ndim is not None and rank != self.ndim:
            raise ValueError(f"{where}expected ndim={self.ndim}, found ndim={rank}. {received}")
        if self.max_ndim is not None and rank > self.max_ndim:
            raise ValueError(f"{where}expected max_ndim={self.max_ndim}, found ndim={rank}")
        if self.min_ndim is not None and rank < self.min_ndim:
            raise ValueError(f"{where}expected min_ndim={self.min_ndim}, found ndim={rank}. {received}")
        if self.dtype is not None and x.dtype.name != self.dtype:
            raise ValueError(f"{where}expected dtype={self.dtype}, found dtype={x.dtype}")
        sizes = shape.as_list()
        for axis, size in self.axes.items():
            if size is not None and sizes[axis] not in (size, None):
                raise ValueError(
                    f"{where}expected axis {axis} of input shape to have value {size}, but received input with shape "
                    f"{tuple(sizes)}"
                )
        if self.shape is not None and not self.shape.is_compatible_with(shape):
            raise ValueError(f"{where}expected shape={self.shape}, found shape={tuple(sizes)}")


class Layer:
    """Base of layers. A subclass makes its variables in `build(input_shape)` and computes in `call(inputs)`.

    trainable: whether its variables are trained. name: of its variable scope. dtype: of its variables, by default that
    of the first input. activity_regularizer: a function of the results that gives a loss.
    """

    def __init__(self, trainable: bool = True, name: Any = None, dtype: Any = None, **kwargs: Any) -> None:
        unknown = sorted(set(kwargs) - _ALLOWED)
        if unknown:
            raise TypeError("Keyword argument not understood:", unknown[0])
        scope = kwargs.get("_scope")
        self._reuse = kwargs.get("_reuse")
        self.activity_regularizer = kwargs.get("activity_regularizer")
        self.trainable = trainable
        self.built = False
        self.stateful = False
        self.input_spec: InputSpec | None = None
        self._dtype: Any = None if dtype is None else datatypes.as_dtype(dtype).name
        self._trainable_weights: list[Any] = []
        self._non_trainable_weights: list[Any] = []
        self._losses: list[Any] = []
        self._updates: list[Any] = []
        self._nodes: list[tuple[Any, Any]] = []
        self._scope: VariableScope | None = None
        self._current_scope: VariableScope | None = None
        if not name or isinstance(name, VariableScope):
            base_name = _snake_case(type(self).__name__)
            self._name = _numbered(base_name)
            self._base_name: Any = name.name if name else base_name
        else:
            self._name = self._base_name = name
        if scope:
            with variable_scope(scope) as captured:
                self._scope = captured

    # What it is

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The name of the dtype of its variables, None before the first call if none was given."""
        return self._dtype

    @property
    def scope_name(self) -> str:
        """The name of its variable scope. Raises: ValueError before the first call."""
        if self._scope is None:
            raise ValueError(
                f'No name available for layer scope because the layer "{self._name}" has not been used yet. The scope '
                "name  is determined the first time the layer instance is called. You must therefore call the layer "
                "before querying `scope_name`."
            )
        return self._scope.name

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that are trained."""
        return list(self._trainable_weights) + _of(self._inner(), "trainable_weights") if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables that are not trained."""
        inner = _of(self._inner(), "non_trainable_weights" if self.trainable else "weights")
        own = [] if self.trainable else self._trainable_weights
        return [*own, *self._non_trainable_weights, *inner]

    @property
    def weights(self) -> list[Any]:
        """All its variables, first those that are trained."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def variables(self) -> list[Any]:
        """All its variables."""
        return self.weights

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables that are trained."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The variables that are not trained."""
        return self.non_trainable_weights

    @property
    def losses(self) -> list[Any]:
        """The losses that its regularizers gave."""
        return list(self._losses) + _of(self._inner(), "losses")

    @property
    def updates(self) -> list[Any]:
        """The ops that must run at each step of training."""
        return list(self._updates) + _of(self._inner(), "updates")

    @property
    def input(self) -> Any:
        """The input of its only call. Raises: AttributeError if it was called not at all or more than once."""
        return self._only_call("input")[0]

    @property
    def output(self) -> Any:
        """The result of its only call. Raises: AttributeError if it was called not at all or more than once."""
        return self._only_call("output")[1]

    def _only_call(self, what: str) -> tuple[Any, Any]:
        if len(self._nodes) != 1:
            why = "has no inbound nodes" if not self._nodes else f"has multiple inbound nodes, the {what} is ambiguous"
            raise AttributeError(f"Layer {self.name} {why}.")
        return self._nodes[0]

    def count_params(self) -> int:
        """Return the number of elements of its variables. Raises: ValueError before it has any."""
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on {self.name}, but the layer isn't built. You can build it "
                "manually via: `layer.build(batch_input_shape)`."
            )
        return sum(variable.shape.num_elements() or 0 for variable in self.weights)

    def _inner(self) -> list[Layer]:
        """The layers in its attributes."""
        return [item for value in vars(self).values() for item in _listed(value) if isinstance(item, Layer)]

    # Making variables

    def build(self, input_shape: Any) -> None:
        """Make the variables for an input of this static shape."""
        self.built = True

    def add_weight(
        self,
        name: str,
        shape: Any,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        partitioner: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Return the variable of this name in the layer's scope; it is made if it is not there.

        Raises: ValueError if it should be trained and is synchronized on read.
        """
        if set(kwargs) - {"experimental_autocast"}:
            raise TypeError("Unknown keyword argument:", next(iter(kwargs)))
        if synchronization == VariableSynchronization.ON_READ:
            if trainable:
                raise ValueError(
                    "Synchronization value can be set to VariableSynchronization.ON_READ only for non-trainable "
                    "variables. You have specified trainable=True and synchronization=VariableSynchronization.ON_READ."
                )
            trainable = False
        elif trainable is None:
            trainable = True
        dtype = datatypes.as_dtype(dtype or self.dtype or datatypes.float32)
        with init_scope():
            existing = set(map(id, _parts(global_variables())))
        self._set_scope(None)
        reuse = self.built or self._reuse
        assert self._scope is not None
        with variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as scope:
            self._current_scope = scope
            with name_scope(self._name_scope()):
                variable = get_variable(
                    name,
                    shape=shape,
                    dtype=dtype,
                    initializer=_initializer(initializer or scope.initializer, dtype, name),
                    trainable=trainable and self.trainable,
                    constraint=constraint,
                    partitioner=partitioner,
                    use_resource=use_resource or scope.use_resource,
                    synchronization=synchronization,
                    aggregation=aggregation,
                )
                if regularizer and not any(id(part) in existing for part in _parts([variable])):
                    self._regularize(name, variable, regularizer)
        trained = trainable and self.trainable and is_trained(variable)
        kept = self._trainable_weights if trained else self._non_trainable_weights
        if all(variable is not other for other in kept):
            kept.append(variable)
        return variable

    def add_variable(self, *args: Any, **kwargs: Any) -> Any:
        """Do what `add_weight` does."""
        return self.add_weight(*args, **kwargs)

    def _regularize(self, name: str, variable: Any, regularizer: Callable[[Any], Any]) -> None:
        losses = []
        for part in _parts([variable]):
            with name_scope(f"{name}/Regularizer"):
                losses.append(regularizer(part))
        self.add_loss([loss for loss in losses if loss is not None])

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Note losses, also in the graph's collection of regularization losses."""
        new = [
            loss() if callable(loss) else loss for loss in (losses if isinstance(losses, (list, tuple)) else [losses])
        ]
        self._losses.extend(new)
        _collect(new, GraphKeys.REGULARIZATION_LOSSES)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Note ops, or functions that make them, that must run at each step of training."""
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            made = update() if callable(update) else update
            if isinstance(made, Tensor) or (not isinstance(made, Operation) and hasattr(made, "op")):
                made = made.op
            self._updates.append(made)

    # Calling

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Return what the layer computes of `inputs`."""
        return inputs

    def apply(self, *args: Any, **kwargs: Any) -> Any:
        """Do what calling the layer does."""
        return self(*args, **kwargs)

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Return what the layer computes of `inputs`; the first call makes the variables.

        scope: variable scope to take, at the first call.

        Raises: ValueError if the inputs do not fit.
        """
        scope = kwargs.pop("scope", None)
        self._set_scope(scope)
        assert self._scope is not None
        reuse = True if self.built else self._reuse
        with variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as current:
            self._current_scope = current
            if self._takes_scope():
                kwargs["scope"] = current
            with name_scope(self._name_scope()):
                outputs = self._call_inside(inputs, args, kwargs)
        _collect(self.updates, GraphKeys.UPDATE_OPS)
        return outputs

    def _call_inside(self, inputs: Any, args: Any, kwargs: Any) -> Any:
        if any(isinstance(x, (np.ndarray, float, int)) for x in flatten(inputs)):
            from icefloe.lib.nest import map_structure

            inputs = map_structure(
                lambda x: convert_to_tensor(x) if isinstance(x, (np.ndarray, float, int)) else x, inputs
            )
        flat = flatten(inputs)
        if self.input_spec is not None:
            for i, x in enumerate(flat):
                self.input_spec.check(x, i, self.name)
        if not self.built:
            if self._dtype is None and flat and hasattr(flat[0], "dtype"):
                self._dtype = datatypes.as_dtype(flat[0].dtype).base_dtype.name
            shapes = [x.shape for x in flat if hasattr(x, "shape")]
            self.build(shapes[0] if len(flat) == 1 and shapes else shapes)
            self.built = True
            if self.input_spec is not None:
                for i, x in enumerate(flat):
                    self.input_spec.check(x, i, self.name)
        outputs = self.call(inputs, *args, **kwargs)
        if outputs is None:
            raise ValueError(
                f"A layer's `call` method should return a Tensor or a list of Tensors, not None (layer: {self.name})."
            )
        if self.activity_regularizer:
            with name_scope("ActivityRegularizer"):
                for output in flatten(outputs):
                    loss = convert_to_tensor(self.activity_regularizer(output))
                    batch = cast(shape_of(output)[0], loss.dtype)
                    self.add_loss(loss / batch)
        self._nodes.append((inputs, outputs))
        return outputs

    def _takes_scope(self) -> bool:
        import inspect

        return "scope" in inspect.signature(self.call).parameters

    def _name_scope(self) -> str:
        assert self._current_scope is not None
        return self._current_scope.original_name_scope

    def _set_scope(self, scope: Any = None) -> None:
        if self._scope is not None:
            return
        if self._reuse:
            with variable_scope(scope if scope is not None else self._base_name) as captured:
                self._scope = captured
        else:
            with variable_scope(scope, default_name=self._base_name) as captured:
                self._scope = captured


# What layers have in common


def _snake_case(name: str) -> str:
    text = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    text = re.sub("([a-z])([A-Z])", r"\1_\2", text).lower()
    return text if text[0] != "_" else f"private{text}"


def _numbered(base_name: str) -> str:
    numbers: collections.Counter[str] = get_default_graph().__dict__.setdefault(_NUMBERS, collections.Counter())
    numbers[base_name] += 1
    return f"{base_name}_{numbers[base_name]}"


def _of(layers: Sequence[Layer], attribute: str) -> list[Any]:
    return [item for layer in layers for item in getattr(layer, attribute)]


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _parts(variables: Sequence[Any]) -> list[Any]:
    """Return variables, those that are split into parts as their parts."""
    return [
        part for variable in variables for part in ([variable] if isinstance(variable, Variable) else list(variable))
    ]


def is_trained(variable: Any) -> bool:
    """Whether a variable, or the first of its parts, is among those of the graph that are trained."""
    with init_scope():
        trained = set(map(id, _parts(trainable_variables())))
    return id(_parts([variable])[0]) in trained


def _collect(items: Sequence[Any], key: str) -> None:
    """Add to a collection of the default graph what is not in it."""
    collection = get_collection_ref(key)
    known = set(map(id, collection))
    for item in items:
        if id(item) not in known:
            known.add(id(item))
            collection.append(item)


def _initializer(initializer: Any, dtype: datatypes.DType, name: str) -> Any:
    if initializer is not None:
        return initializer() if isinstance(initializer, type) else initializer
    if dtype.is_floating or dtype.is_complex:
        return GlorotUniform()
    if dtype.is_integer or dtype.is_bool:
        return ZEROS
    raise ValueError(f"An initializer for variable {name} of type {dtype} is required for layer")


def activation_function(activation: Any) -> Any:
    """Return an activation: a callable as it is, or that of a name. Raises: ValueError for an unknown name."""
    if activation is None or callable(activation):
        return activation
    op = _ACTIVATIONS.get(activation)
    if op is None:
        raise ValueError(
            f"Unknown activation function: {activation!r}; pass a function, or one of {sorted(_ACTIVATIONS)}"
        )
    return (lambda x: x) if op == "" else (lambda x: apply_op(op, x))


_ACTIVATIONS = {
    "linear": "",
    "relu": "Relu",
    "relu6": "Relu6",
    "elu": "Elu",
    "selu": "Selu",
    "tanh": "Tanh",
    "sigmoid": "Sigmoid",
    "softmax": "Softmax",
    "softplus": "Softplus",
    "softsign": "Softsign",
    "exponential": "Exp",
}


def integers(value: Any, count: int, name: str, *, allow_zero: bool = False) -> tuple[int, ...]:
    """Return an integer or a sequence of `count` integers as a tuple of them. Raises: ValueError if it is neither."""
    text = f"The `{name}` argument must be a tuple of {count} integers. Received: {value}"
    if isinstance(value, int):
        sizes: tuple[Any, ...] = (value,) * count
    else:
        try:
            sizes = tuple(value)
        except TypeError:
            raise ValueError(text) from None
        if len(sizes) != count:
            raise ValueError(text)
        for size in sizes:
            try:
                int(size)
            except (ValueError, TypeError):
                raise ValueError(f"{text}including element {size} of type {type(size)}") from None
    low = {size for size in sizes if size < 0 or (size == 0 and not allow_zero)}
    if low:
        bound = ">= 0" if allow_zero else "> 0"
        raise ValueError(f"{text} including {low} that does not satisfy the requirement `{bound}`.")
    return sizes


def checked_format(data_format: Any) -> str:
    """Return a data format in lower case. Raises: ValueError if it is none."""
    text = "channels_last" if data_format is None else data_format.lower()
    if text not in ("channels_first", "channels_last"):
        raise ValueError(
            f'The `data_format` argument must be one of "channels_first", "channels_last". Received: {data_format}'
        )
    return text


def checked_padding(padding: Any) -> Any:
    """Return a padding in lower case. Raises: ValueError if it is none."""
    if isinstance(padding, (list, tuple)):
        return padding
    text = padding.lower()
    if text not in ("valid", "same"):
        raise ValueError(
            'The `padding` argument must be a list/tuple or one of "valid", "same" (or "causal", only for `Conv1D). '
            f"Received: {text}"
        )
    return text


def tensor_format(data_format: str, rank: int) -> str:
    """Return what ops call a data format of layers; rank: with batch and channels."""
    axes = {3: "W", 4: "HW", 5: "DHW"}[rank]
    return f"N{axes}C" if data_format == "channels_last" else f"NC{axes}"


def window_length(length: int | None, size: int, padding: Any, stride: int, dilation: int = 1) -> int | None:
    """Return how many windows of `size` there are along an axis; None if it is not known."""
    if length is None:
        return None
    dilated = size + (size - 1) * (dilation - 1)
    covered = length if padding == "same" else length - dilated + 1
    return (covered + stride - 1) // stride


def transposed_length(length: Any, size: int, padding: str, stride: int) -> Any:
    """Return the length that a transposed convolution gives along an axis, where `length` may be a tensor."""
    if length is None:
        return None
    made = length * stride
    return made if padding == "same" else made + max(size - stride, 0)
