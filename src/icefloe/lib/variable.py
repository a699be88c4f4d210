"""`tf.Variable`: what reference and resource variables have in common.

`Variable(...)` makes a `RefVariable` (a VariableV2 node, TensorFlow 1's default) or, with `use_resource`, a
`ResourceVariable` (a VarHandleOp node).
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterator
from typing import Any

from icefloe.graph.conversion import register_tensor_conversion_function
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.graph.indexed_slices import IndexedSlices
from icefloe.graph.operation import Operation
from icefloe.graph.slicing import getitem
from icefloe.graph.tensor import Reference, Tensor
from icefloe.lib.save_slice_info import SaveSliceInfo as _SaveSliceInfo
from icefloe.shapes import TensorShape
from icefloe.stacks import SESSIONS

_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


class VariableSynchronization(enum.Enum):
    """When a distributed variable is aggregated."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How a distributed variable is aggregated."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3  # noqa: PIE796  (its older name)

    def __hash__(self) -> int:
        return hash(self.value)


def checked_modes(
    synchronization: Any, aggregation: Any, trainable: bool | None, name: str | None
) -> tuple[VariableSynchronization, VariableAggregation, bool]:
    """Return the three with their defaults. Raises: ValueError if one is no such mode."""
    try:
        aggregation = VariableAggregation.NONE if aggregation is None else VariableAggregation(_number(aggregation))
    except ValueError:
        raise ValueError(f"Invalid variable aggregation mode: {aggregation} for variable: {name}") from None
    try:
        synchronization = VariableSynchronization(0 if synchronization is None else _number(synchronization))
    except ValueError:
        raise ValueError(f"Invalid variable synchronization mode: {synchronization} for variable: {name}") from None
    if trainable is None:
        trainable = synchronization != VariableSynchronization.ON_READ
    return synchronization, aggregation, trainable


def _number(mode: Any) -> Any:
    return mode.value if isinstance(mode, enum.Enum) else mode


def _creation(**arguments: Any) -> Variable:
    """Make a reference or a resource variable, as `use_resource`, the variable scope and the toggle say in this
    order.
    """
    from icefloe.lib.variable_ref import RefVariable
    from icefloe.lib.variable_resource import ResourceVariable, resource_variables_enabled
    from icefloe.lib.variable_scope import get_variable_scope

    use_resource = arguments.pop("use_resource", None)
    if use_resource is None:
        use_resource = get_variable_scope().use_resource
    if use_resource is None:
        use_resource = resource_variables_enabled()
    arguments.pop("experimental_enable_variable_lifting", None)
    if use_resource:
        arguments.pop("expected_shape", None)
        return ResourceVariable(**arguments)
    return RefVariable(**arguments)


class _VariableType(type):
    """Makes `Variable(...)` return what the innermost `variable_creator_scope` makes of it."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is not Variable:
            return super().__call__(*args, **kwargs)
        arguments = _bound(*args, **kwargs)
        creator: Callable[..., Any] = _creation
        for _, outer in get_default_graph()._variable_creator_stack:
            creator = _wrapped(outer, creator)
        return creator(**arguments)


def _wrapped(outer: Callable[..., Any], inner: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **arguments: outer(inner, **arguments)


def _bound(
    initial_value: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    validate_shape: bool = True,
    caching_device: Any = None,
    name: str | None = None,
    variable_def: Any = None,
    dtype: Any = None,
    expected_shape: Any = None,
    import_scope: str | None = None,
    constraint: Any = None,
    use_resource: bool | None = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
    shape: Any = None,
) -> dict[str, Any]:
    return dict(locals())


class Variable(metaclass=_VariableType):
    """State that a session keeps between runs.

    initial_value: a tensor, what converts to one, or a callable that makes one.
    trainable: whether it goes into TRAINABLE_VARIABLES; by default it does, unless `synchronization` is ON_READ.
    collections: default GLOBAL_VARIABLES. validate_shape: False allows an initial value of unknown shape.
    caching_device: where reads are cached. variable_def: make it from this VariableDef and nodes that exist.
    import_scope: prefix of names in it.
    constraint: a function that optimizers apply after an update. use_resource: make a resource variable.
    expected_shape has no effect.

    Raises: ValueError, TypeError for arguments that contradict each other or the initial value.
    """

    SaveSliceInfo = _SaveSliceInfo
    __array_priority__ = 100
    is_tensor_like = True
    gathers_itself = False
    # Scripts ask whether a distribution strategy made it; there are none here.
    _distribute_strategy = None

    _trainable: bool
    _synchronization: VariableSynchronization
    _aggregation: VariableAggregation
    _initial_value: Tensor | None
    _initializer_op: Any
    _constraint: Any
    _caching_device: Any
    _save_slice_info: _SaveSliceInfo | None

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: str | None = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        shape: Any = None,
    ) -> None:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    # What each kind of variable has of its own.

    @property
    def name(self) -> str:
        """The name with output number, `v:0`."""
        raise NotImplementedError

    @property
    def dtype(self) -> Any:
        """The DType of its elements, a reference dtype of a reference variable."""
        raise NotImplementedError

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        raise NotImplementedError

    @property
    def op(self) -> Operation:
        """The node that holds it: VariableV2 or VarHandleOp."""
        raise NotImplementedError

    def value(self) -> Tensor:
        """Return the tensor of its value that was made with it, or a new read of a resource variable."""
        raise NotImplementedError

    def read_value(self) -> Tensor:
        """Return a tensor that reads it anew where it is run."""
        raise NotImplementedError

    def _ref(self) -> Tensor:
        raise NotImplementedError

    def _as_graph_element(self) -> Tensor:
        raise NotImplementedError

    def set_shape(self, shape: Any) -> None:
        """Add to the static shape. Raises: ValueError if it does not fit."""
        raise NotImplementedError

    def assign(
        self, value: Any, use_locking: bool | None = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Return an assignment of `value`; read_value: as the variable's new value, else the Operation."""
        raise NotImplementedError

    def assign_add(
        self, delta: Any, use_locking: bool | None = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Return an addition of `delta` to it."""
        raise NotImplementedError

    def assign_sub(
        self, delta: Any, use_locking: bool | None = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Return a subtraction of `delta` from it."""
        raise NotImplementedError

    def _scatter(self, kind: str, indices: Any, updates: Any, use_locking: bool, name: str | None) -> Any:
        """Add the Scatter op of this kind, `Add`, `NdUpdate`, ..."""
        raise NotImplementedError

    def count_up_to(self, limit: int) -> Tensor:
        """Return the value before it is raised by 1; running it fails with OutOfRangeError at `limit`."""
        raise NotImplementedError

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Return whether it has a value."""
        raise NotImplementedError

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return its VariableDef, names without `export_scope`, or None if it lies outside that scope."""
        raise NotImplementedError

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> Variable:
        """Return the variable that a VariableDef describes; its nodes must be in the default graph."""
        from icefloe.lib.variable_ref import RefVariable
        from icefloe.lib.variable_resource import ResourceVariable

        cls = ResourceVariable if variable_def.is_resource else RefVariable
        return cls(variable_def=variable_def, import_scope=import_scope)

    # What they share.

    @property
    def graph(self) -> Graph:
        """The graph it belongs to."""
        return self.op.graph

    @property
    def device(self) -> str:
        """The device of its node."""
        return self.op.device

    @property
    def trainable(self) -> bool:
        """Whether optimizers train it where they are told no variables."""
        return self._trainable

    @property
    def synchronization(self) -> VariableSynchronization:
        """When copies are brought together, as it was made."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """How copies are brought together, as it was made."""
        return self._aggregation

    @property
    def constraint(self) -> Any:
        """What optimizers apply to new values, or None."""
        return self._constraint

    @property
    def initializer(self) -> Any:
        """The operation that gives it its initial value."""
        return self._initializer_op

    @property
    def initial_value(self) -> Any:
        """The tensor of its initial value, which need not be in reach of a run."""
        return self._initial_value

    @property
    def _shared_name(self) -> str:
        return self.name[: self.name.index(":")]

    def get_shape(self) -> TensorShape:
        """Return the static shape."""
        return self.shape

    def eval(self, session: Any = None) -> Any:
        """Return its value in `session`, default the default session."""
        return self._as_graph_element().eval(session=session)

    def initialized_value(self) -> Tensor:
        """Return its value, or its initial value where it has none yet."""
        from icefloe.lib.control_flow_cond import cond
        from icefloe.lib.scopes import init_scope

        with init_scope():
            return cond(self.is_initialized(), self.read_value, lambda: self.initial_value)

    def load(self, value: Any, session: Any = None) -> None:
        """Give it this value in `session`, default the default session. Raises: ValueError if there is none."""
        session = session or SESSIONS.top()
        if session is None:
            raise ValueError("Either session argument should be provided or default session should be established")
        session.run(self.initializer, {self.initializer.inputs[1]: value})

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """Return rows of a resource variable. Raises: AttributeError for a reference variable; use `tf.gather`."""
        raise AttributeError("sparse_read is a method of resource variables; use tf.gather")

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """Return elements of a resource variable. Raises: AttributeError for a reference variable; use
        `tf.gather_nd`.
        """
        raise AttributeError("gather_nd is a method of resource variables; use tf.gather_nd")

    def _delta(self, sparse_delta: Any) -> tuple[Any, Any]:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"sparse_delta is not IndexedSlices: {sparse_delta}")
        return sparse_delta.indices, sparse_delta.values

    def scatter_add(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Return an addition of IndexedSlices. Raises: TypeError if it is none."""
        return self._scatter("Add", *self._delta(sparse_delta), use_locking, name)

    def scatter_sub(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Return a subtraction of IndexedSlices. Raises: TypeError if it is none."""
        return self._scatter("Sub", *self._delta(sparse_delta), use_locking, name)

    def scatter_mul(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Return a multiplication by IndexedSlices. Raises: TypeError if it is none."""
        return self._scatter("Mul", *self._delta(sparse_delta), use_locking, name)

    def scatter_div(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Return a division by IndexedSlices. Raises: TypeError if it is none."""
        return self._scatter("Div", *self._delta(sparse_delta), use_locking, name)

    def scatter_max(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Return the maximum with IndexedSlices. Raises: TypeError if it is none."""
        return self._scatter("Max", *self._delta(sparse_delta), use_locking, name)

    def scatter_min(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Return the minimum with IndexedSlices. Raises: TypeError if it is none."""
        return self._scatter("Min", *self._delta(sparse_delta), use_locking, name)

    def scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Return an assignment of IndexedSlices. Raises: TypeError if it is none."""
        return self._scatter("Update", *self._delta(sparse_delta), use_locking, name)

    def batch_scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        """Return an assignment of IndexedSlices within batches. Raises: TypeError if it is none."""
        from icefloe.lib.assignments import batch_scatter_update

        return batch_scatter_update(self, *self._delta(sparse_delta), use_locking=use_locking, name=name)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Return an addition of `updates` at index vectors."""
        return self._scatter("NdAdd", indices, updates, True, name)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Return a subtraction of `updates` at index vectors."""
        return self._scatter("NdSub", indices, updates, True, name)

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Return an assignment of `updates` at index vectors."""
        return self._scatter("NdUpdate", indices, updates, True, name)

    def scatter_nd_max(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Return the maximum with `updates` at index vectors."""
        return self._scatter("NdMax", indices, updates, True, name)

    def scatter_nd_min(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Return the minimum with `updates` at index vectors."""
        return self._scatter("NdMin", indices, updates, True, name)

    def _set_save_slice_info(self, save_slice_info: _SaveSliceInfo | None) -> None:
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self) -> _SaveSliceInfo | None:
        return self._save_slice_info

    def ref(self) -> Reference:
        """Return a hashable stand-in, for dicts and sets."""
        return Reference(self)

    def experimental_ref(self) -> Reference:
        """Return `ref()`, its older name."""
        return self.ref()

    def __getitem__(self, slice_spec: Any) -> Tensor:
        """Return a slice of its value, which has a method `assign(value)` that writes that slice of the variable."""
        sliced = getitem(self.value(), slice_spec)
        if sliced.op.type == "StridedSlice":
            sliced.assign = functools.partial(self._assign_slice, sliced.op)  # type: ignore[attr-defined]
        return sliced

    def _assign_slice(self, op: Operation, value: Any, name: str | None = None) -> Any:
        """Write what the StridedSlice node `op` reads."""
        masks = {key: op.get_attr(key) for key in _MASKS}
        begin, end, strides = op.inputs[1:]
        return self._strided_slice_assign(begin, end, strides, value, name or f"{op.name}/_assign", **masks)

    def _strided_slice_assign(
        self, begin: Any, end: Any, strides: Any, value: Any, name: str | None, **masks: int
    ) -> Any:
        raise NotImplementedError

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __iter__(self) -> Iterator[Any]:
        return iter(self.read_value())


def _operator(name: str) -> Callable[..., Any]:
    on_tensor = getattr(Tensor, name)

    def operate(self: Variable, *args: Any, **kwargs: Any) -> Any:
        return on_tensor(self.value(), *args, **kwargs)

    return functools.update_wrapper(operate, on_tensor)


def _convert(v: Variable, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Tensor:
    if dtype and not dtype.is_compatible_with(v.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type '{v.dtype.name}'"
        )
    return v._ref() if as_ref else v.value()


register_tensor_conversion_function(Variable, _convert)
for _name in Tensor.OVERLOADABLE_OPERATORS - {"__eq__", "__ne__", "__getitem__"}:
    if hasattr(Tensor, _name):
        setattr(Variable, _name, _operator(_name))
