"""`Dataset`, an immutable description of a sequence of elements, and `Iterator`, a position in such a sequence.

An element is a tuple of components, each what a tensor's slot holds. A transformation is a Dataset that has others as
inputs; its iterator draws from theirs, so a call of `next` goes as deep as the pipeline is long and no deeper. Nothing
runs ahead of what is asked for: prefetching and parallel transformations give the same elements in the same order as
plain ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from icefloe import errors
from icefloe.datatypes import DType
from icefloe.shapes import Dims

INFINITE = -1
UNKNOWN = -2

Element: TypeAlias = tuple[Any, ...]
# What an iterator saves: numbers, strings, None, tensors, elements, and lists and dicts of these. See `state`.
State: TypeAlias = dict[str, Any]
# A graph's function: (values, context of the run) -> values.
Function: TypeAlias = Callable[..., list[Any]]


@dataclass(frozen=True, slots=True)
class Spec:
    """What is known of every element: the dtype and static shape of each component."""

    dtypes: tuple[DType, ...]
    shapes: tuple[Dims, ...]


@dataclass(frozen=True, slots=True)
class Recipe:
    """The op call that made a dataset: its inputs, a list argument as a tuple, and its attrs as kernels get them."""

    op: str
    inputs: tuple[Any, ...]
    attrs: dict[str, Any]


class Context:
    """What the iterators of one pipeline share.

    run: the RunContext of the call under way, or None. It changes from call to call.
    """

    def __init__(self, run: Any = None) -> None:
        self.run = run
        self._functions: dict[int, Any] = {}
        self._memo: dict[int, tuple[Any, Any]] = {}

    def check(self) -> None:
        """Do nothing while the run may go on. Loops that may be long call it at each turn.

        Raises: DeadlineExceededError, CancelledError.
        """
        if self.run is not None:
            self.run.check()

    def bind(self, function: Function, captured: Sequence[Any]) -> Callable[[Sequence[Any]], list[Any]]:
        """Return what calls `function` with given values and then the captured ones.

        The function's random streams and other state of nodes are this context's own: they start anew with each
        iterator of a whole pipeline, and go on while its parts are iterated again and again.
        """
        separate = getattr(function, "separate", None)
        own = function if separate is None else separate(self._functions)
        tail = list(captured)

        def call(values: Sequence[Any]) -> list[Any]:
            return own([*values, *tail], self.run)

        return call

    def bind_plain(self, function: Function, captured: Sequence[Any]) -> Callable[[Sequence[Any]], list[Any]]:
        """Return what `bind` does for a function whose OutOfRangeError does not mean the end, but is an error."""
        call = self.bind(function, captured)

        def call_plain(values: Sequence[Any]) -> list[Any]:
            try:
                return call(values)
            except errors.OutOfRangeError as error:
                raise errors.InternalError(
                    "A function of a dataset returned `OutOfRange`. This indicates an implementation error as "
                    f"`OutOfRange` errors are not expected to be returned here. Original message: {error.message}"
                ) from error

        return call_plain

    def memo(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what `make` gave at the first call for the object `key`."""
        found = self._memo.get(id(key))
        if found is None:
            found = self._memo[id(key)] = (key, make())
        return found[1]


class Iterator:
    """A position in the elements of a dataset. Used by one thread at a time."""

    def next(self) -> Element | None:
        """Return the next element, or None at the end, then and from then on.

        Raises: errors of the transformation and of its functions; the iterator can go on behind the failed element.
        """
        raise NotImplementedError

    def save(self) -> State:
        """Return the position, for `restore`."""
        raise NotImplementedError

    def restore(self, state: State) -> None:
        """Take the position from what an iterator of an equal pipeline saved. Only on an iterator not used yet.

        Raises: KeyError, TypeError and the like for a state of another kind.
        """
        raise NotImplementedError


class Dataset:
    """An immutable description of a sequence of elements.

    kind: TensorFlow's name of the transformation.
    recipe: the op call that made it, or None where no op did.
    """

    kind: ClassVar[str] = ""
    recipe: Recipe | None = None

    def __init__(self, spec: Spec, *inputs: Dataset) -> None:
        self.spec = spec
        self.inputs = inputs

    def __repr__(self) -> str:
        return f"{self.kind}DatasetOp::Dataset"

    def iterator(self, context: Context) -> Iterator:
        """Return an iterator at the first element."""
        raise NotImplementedError

    def cardinality(self, context: Context | None = None) -> int:
        """Return the number of elements, INFINITE or UNKNOWN.

        context: functions may be called to find it out.
        """
        return UNKNOWN

    def get(self, index: int, context: Context) -> Element:
        """Return the element at `index`.

        Raises: OutOfRangeError outside the sequence; UnimplementedError where only iteration tells.
        """
        raise errors.UnimplementedError(f"Random access is not implemented for dataset {self!r}")

    def indexing_problem(self) -> str | None:
        """Return why elements cannot be taken in any order, or None if they can."""
        return f"FAILED_PRECONDITION: {self.kind}Dataset does not support random access."

    def check_index(self, index: int, context: Context) -> None:
        """Raises: OutOfRangeError outside the sequence; FailedPreconditionError if its length is not known."""
        size = self.cardinality(context)
        if size < 0:
            which = "infinite" if size == INFINITE else "unknown"
            raise errors.FailedPreconditionError(
                f"Dataset of type {self!r} has {which} cardinality, which does not support random access."
            )
        if not 0 <= index < size:
            raise errors.OutOfRangeError(f"Index out of range [0, {size}):{index}")


class OneInput(Dataset):
    """A transformation of one dataset. By default as long as that and open to random access where that is."""

    def __init__(self, source: Dataset, spec: Spec | None = None) -> None:
        super().__init__(source.spec if spec is None else spec, source)
        self.source = source

    def cardinality(self, context: Context | None = None) -> int:
        return self.source.cardinality(context)


class Through(Iterator):
    """An iterator whose position is that of its input."""

    def __init__(self, source: Iterator) -> None:
        self.source = source

    def next(self) -> Element | None:
        return self.source.next()

    def save(self) -> State:
        return {"input": self.source.save()}

    def restore(self, state: State) -> None:
        self.source.restore(state["input"])


class Ending(Iterator):
    """An iterator that lets go of its input, `source`, at the end.

    numbers: the attributes that are saved beside the input's position.
    """

    numbers: ClassVar[tuple[str, ...]] = ()

    def __init__(self, source: Iterator | None) -> None:
        self.source = source

    def save(self) -> State:
        state: State = {name: getattr(self, name) for name in self.numbers}
        state["input"] = None if self.source is None else self.source.save()
        return state

    def restore(self, state: State) -> None:
        for name in self.numbers:
            setattr(self, name, int(state[name]))
        if state["input"] is None:
            self.source = None
        elif self.source is not None:
            self.source.restore(state["input"])


def as_dataset(value: Any) -> Dataset:
    """Return the dataset in a scalar variant. Raises: InvalidArgumentError if it is none."""
    if not isinstance(value, Dataset) and getattr(value, "shape", None) == ():
        value = value[()]
    if not isinstance(value, Dataset):
        raise errors.InvalidArgumentError("The given variant is no dataset: tensor must be a scalar dataset variant.")
    return value


def check_types(expected: Sequence[DType], got: Sequence[DType]) -> None:
    """Raises: InvalidArgumentError if an element has other dtypes than expected."""
    if len(expected) != len(got):
        raise errors.InvalidArgumentError(
            f"Number of components does not match: expected {len(expected)} types but got {len(got)}."
        )
    for i, (a, b) in enumerate(zip(expected, got)):
        if a != b:
            raise errors.InvalidArgumentError(
                f"Data type mismatch at component {i}: expected {a.name} but got {b.name}."
            )


def check_shapes(expected: Sequence[Dims], got: Sequence[Dims]) -> None:
    """Raises: InvalidArgumentError if static shapes cannot be the same."""
    from icefloe.resources.elements import fits
    from icefloe.shapes import shape_text

    if len(expected) != len(got):
        raise errors.InvalidArgumentError(
            f"Number of components does not match: expected {len(expected)} shapes but got {len(got)}."
        )
    for i, (a, b) in enumerate(zip(expected, got)):
        if not fits(a, b):
            raise errors.InvalidArgumentError(
                f"Incompatible shapes at component {i}: expected {shape_text(a)} but got {shape_text(b)}."
            )
