"""`Tensor`: one output of an operation, an edge of the graph.

Operators are put on the class by `graph.operators`. `==` compares identity, as in TensorFlow 1, until
`enable_tensor_equality`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from icefloe import datatypes, errors, shapes, stacks

if TYPE_CHECKING:
    from icefloe.graph.graph import Graph
    from icefloe.graph.operation import Operation


class _Pending:
    """Stands for a shape that is inferred when first asked for."""


PENDING: Any = _Pending()

# What a resource or variant handle refers to: (dtype, shape) of each tensor behind it.
HandleData = tuple[tuple[datatypes.DType, shapes.Dims], ...]

_NUMPY_METHODS = frozenset(("T", "astype", "ravel", "transpose", "reshape", "clip", "size", "tolist", "data"))


class OperatorNotAllowedInGraphError(TypeError):
    """A Python statement needs the value of a tensor, which is known only when the graph runs."""


class Reference:
    """A hashable stand-in for a tensor; equal to another of the same tensor."""

    __slots__ = ("_referenced",)

    def __init__(self, referenced: Any) -> None:
        self._referenced = referenced

    def deref(self) -> Any:
        """Return the tensor."""
        return self._referenced

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and other._referenced is self._referenced

    def __hash__(self) -> int:
        return id(self._referenced)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._referenced!r}>"


class Tensor:
    """Output `value_index` of operation `op`. Made by building ops or by loading a graph, never directly.

    dtype: DType of its elements; None for an output of an op that the op table does not know.
    """

    __slots__ = ("__dict__", "__weakref__", "_dims", "_handle_data", "dtype", "op", "value_index")

    OVERLOADABLE_OPERATORS = frozenset(
        (
            *("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__div__", "__rdiv__"),
            *("__truediv__", "__rtruediv__", "__floordiv__", "__rfloordiv__", "__mod__", "__rmod__", "__pow__"),
            *("__rpow__", "__matmul__", "__rmatmul__", "__lt__", "__le__", "__gt__", "__ge__", "__ne__", "__eq__"),
            *("__and__", "__rand__", "__or__", "__ror__", "__xor__", "__rxor__", "__invert__", "__neg__", "__abs__"),
            "__getitem__",
        )
    )
    # numpy must leave `array + tensor` to the tensor.
    __array_priority__ = 100
    _USE_EQUALITY = False

    def __init__(self, op: Operation, value_index: int, dtype: Any) -> None:
        self.op = op
        self.value_index = value_index
        self.dtype: datatypes.DType = dtype
        self._dims: Any = PENDING
        self._handle_data: HandleData | None = None

    @property
    def name(self) -> str:
        """`<op name>:<index>`."""
        return f"{self.op.name}:{self.value_index}"

    @property
    def graph(self) -> Graph:
        """The graph it belongs to."""
        return self.op.graph

    @property
    def device(self) -> str:
        """The device string of its op."""
        return self.op.device

    def _static_dims(self) -> shapes.Dims:
        """Return the static shape in the plain form, inferring it if that was put off."""
        if self._dims is PENDING:
            self.op.graph._infer_shapes(self.op)
        return self._dims

    @property
    def shape(self) -> shapes.TensorShape:
        """The static shape, as far as it is known."""
        return shapes.TensorShape(self._static_dims())

    def get_shape(self) -> shapes.TensorShape:
        """Return `shape`."""
        return self.shape

    @property
    def ndim(self) -> int | None:
        """The rank, or None if it is unknown."""
        dims = self._static_dims()
        return None if dims is None else len(dims)

    def set_shape(self, shape: Any) -> None:
        """Add to what is known of the static shape. Raises: ValueError if it contradicts what is known."""
        try:
            self._dims = shapes.merge(self._static_dims(), shapes.to_tuple(shape))
        except errors.InvalidArgumentError as error:
            raise ValueError(error.message) from None

    def _shape_as_list(self) -> list[int | None] | None:
        dims = self._static_dims()
        return None if dims is None else list(dims)

    def _shape_tuple(self) -> shapes.Dims:
        return self._static_dims()

    def _rank(self) -> int | None:
        return self.ndim

    def consumers(self) -> list[Operation]:
        """Return the operations that take this tensor, in creation order; one that takes it twice, twice."""
        return self.op.graph._consumers_of(self)

    def _as_node_def_input(self) -> str:
        return self.op.name if self.value_index == 0 else f"{self.op.name}:{self.value_index}"

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Return the value, run in `session` or the default one. Raises: ValueError if that has another graph."""
        return default_session(self.op.graph, session, "evaluate tensor", "`eval(session=sess)`").run(self, feed_dict)

    def ref(self) -> Reference:
        """Return a hashable reference, for use as a key."""
        return Reference(self)

    def experimental_ref(self) -> Reference:
        """Return `ref()`, under its old name."""
        return Reference(self)

    def __tf_tensor__(self, dtype: datatypes.DType | None = None, name: str | None = None) -> Tensor:
        if dtype is not None and not dtype.is_compatible_with(self.dtype):
            prefix = "" if name is None else f"{name}: "
            raise ValueError(
                f"{prefix}Tensor conversion requested dtype {dtype.name} for Tensor with dtype {self.dtype.name}: "
                f"{self!r}"
            )
        return self

    def __str__(self) -> str:
        shape = self.shape
        parts = [f'"{self.name}"']
        if shape.rank is not None:
            parts.append(f"shape={shape}")
        if self.dtype:
            parts.append(f"dtype={self.dtype.name}")
        if self.device:
            parts.append(f"device={self.device}")
        return f"Tensor({', '.join(parts)})"

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name if self.dtype else 'unknown'}>"

    def __hash__(self) -> int:
        if Tensor._USE_EQUALITY and self.op.graph.building_function:
            raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")
        return id(self)

    def __copy__(self) -> Tensor:
        return self

    def __reduce__(self) -> Any:
        raise TypeError(f"cannot pickle {self!r}: it belongs to its graph, which pickles as a whole")

    def __getattr__(self, name: str) -> Any:
        if name in _NUMPY_METHODS:
            raise AttributeError(
                f"{type(self).__name__} object has no attribute '{name}'. \n"
                "        If you are looking for numpy-related methods, please run the following:\n"
                "        tf.experimental.numpy.experimental_enable_numpy_behavior()\n      "
            )
        eager = ": there is no eager execution, Session().run gives a tensor's value" if name == "numpy" else ""
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'{eager}")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may indicate that you're "
            "trying to pass a Tensor to a NumPy call, which is not supported."
        )

    def __len__(self) -> int:
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). "
            "Please call `x.shape` rather than `len(x)` for shape information."
        )

    def __bool__(self) -> bool:
        raise OperatorNotAllowedInGraphError(
            "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed in Graph mode: its value is known only "
            "when the graph runs. Use `if t is not None:` to test whether a tensor is defined, "
            "and `tf.cond` to choose by its value."
        )

    def __iter__(self) -> Any:
        raise OperatorNotAllowedInGraphError(
            "Iterating over a symbolic `tf.Tensor` is not allowed in Graph mode: its value is known only when the "
            "graph runs. Use `tf.unstack`, `tf.map_fn` or `tf.while_loop`."
        )

    if TYPE_CHECKING:  # `graph.operators` puts them here

        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __floordiv__(self, other: Any) -> Tensor: ...
        def __rfloordiv__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __rmod__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __rmatmul__(self, other: Any) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __rand__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __ror__(self, other: Any) -> Tensor: ...
        def __xor__(self, other: Any) -> Tensor: ...
        def __rxor__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __getitem__(self, slice_spec: Any) -> Tensor: ...

    @staticmethod
    def _override_operator(operator: str, function: Callable[..., Any]) -> None:
        """Put `function` on the class as an operator. Raises: ValueError if it is none of `OVERLOADABLE_OPERATORS`."""
        if operator not in Tensor.OVERLOADABLE_OPERATORS:
            raise ValueError(
                f"Overriding {operator} is disallowed. Allowed operators are {Tensor.OVERLOADABLE_OPERATORS}."
            )
        setattr(Tensor, operator, function)


def default_session(
    graph: Graph, session: Any, what: str, call: str, *, block: str = "`with sess.as_default()`"
) -> Any:
    """Return `session`, or the default one, if it runs `graph`.

    what: such as `evaluate tensor`; call: how to pass a session; block: how to make one the default.

    Raises: ValueError in TensorFlow's words if there is none or it runs another graph.
    """
    noun = what.rpartition(" ")[2]
    if session is None:
        session = stacks.SESSIONS.top()
        bare = call.strip("`")
        if session is None:
            raise ValueError(
                f"Cannot {what} using `{bare.partition('(')[0]}()`: No default session is registered. "
                f"Use {block} or pass an explicit session to `{bare}`"
            )
        if session.graph is not graph:
            raise ValueError(
                f"Cannot use the default session to {what}: the {noun}'s graph is different from the session's graph. "
                f"Pass an explicit session to {call}."
            )
    elif session.graph is not graph:
        raise ValueError(
            f"Cannot use the given session to {what}: the {noun}'s graph is different from the session's graph."
        )
    return session


def enable_tensor_equality() -> None:
    """Make `==` on tensors build an Equal op, as TensorFlow 2 does."""
    Tensor._USE_EQUALITY = True


def disable_tensor_equality() -> None:
    """Make `==` on tensors compare identity, as TensorFlow 1 does; this is the default."""
    Tensor._USE_EQUALITY = False
