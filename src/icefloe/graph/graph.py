"""`Graph`, and the default graph of each thread.

The class is put together from parts that each have their file: `naming` (names and scopes), `scopes` (devices,
control inputs, ...), `edges` (finding operations and tensors), `collections`, and `graph_def` (writing itself out).
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import Any

from icefloe import errors, opdefs, stacks
from icefloe.graph import collector, op_text, shape_inference, thread_scopes
from icefloe.graph.collections import Collections
from icefloe.graph.control_flow_nodes import place_in_context
from icefloe.graph.edges import Edges
from icefloe.graph.graph_def import GraphDefs
from icefloe.graph.naming import VALID_OP_NAME, NameScopes, ThreadState
from icefloe.graph.node_creation import complete_attrs
from icefloe.graph.operation import Operation, argument_types
from icefloe.graph.scopes import Scopes
from icefloe.graph.tensor import Tensor
from icefloe.proto import AttrValue, OpDef, VersionDef

GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
# A graph with functions needs at least this consumer.
_MIN_CONSUMER_OF_FUNCTIONS = 12


class Graph(NameScopes, Scopes, Edges, Collections, GraphDefs):
    """A dataflow graph: operations and the tensors between them, with TensorFlow 1's names and behaviour.

    mutations: how often an existing node was changed; adding nodes does not count.
    functions: the function library, name -> FunctionDef.
    signature_defs, meta_info_def: what the MetaGraphDef says that the graph was read from, name -> SignatureDef and a
    MetaInfoDef; no signatures and None for another graph.
    """

    _building_function = False

    @property
    def building_function(self) -> bool:
        """Whether this graph is the body of a function."""
        return self._building_function

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._ops: list[Operation] = []
        self._by_name: dict[str, Operation] = {}
        self.mutations = 0
        self.functions: dict[str, Any] = {}
        self._function_signatures: dict[str, opdefs.Signature] = {}
        self._function_gradients: dict[str, str] = {}
        # The bodies of functions that were built here, for their static shapes.
        self._function_graphs: dict[str, Any] = {}
        self._consumers: dict[int, dict[int, list[Operation]]] = {}
        self._control_consumers: dict[int, list[Operation]] = {}
        self._indexed = 0
        self._used_outputs: dict[str, int] | None = None
        self._names: dict[str, int] | None = {}
        self._thread_local = ThreadState()
        self._default_original_op: Operation | None = None
        self._control_flow_context: Any = None
        self._control_dependencies_stack = []
        self._device_stack = []
        self._colocation_stack: list[Any] = []
        self._attr_scope_map: dict[str, Any] = {}
        self._op_to_kernel_label_map: dict[str, str] = {}
        self._gradient_override_map: dict[str, str] = {}
        self._container = ""
        self._collections: dict[Any, list[Any]] = {}
        self._seed: int | None = None
        self._seeds_given = 0
        self._finalized = False
        self._unfeedable: set[int] = set()
        self._unfetchable: set[Operation] = set()
        self._versions = VersionDef(producer=GRAPH_DEF_VERSION, min_consumer=GRAPH_DEF_VERSION_MIN_CONSUMER)
        self._source: Any = None
        self.signature_defs: dict[str, Any] = {}
        self.meta_info_def: Any = None
        # What attr `_output_shapes` said of imported nodes: node id -> TensorShapeProto of each output.
        self._shape_hints: dict[int, list[Any]] = {}

    # State

    @property
    def seed(self) -> int | None:
        """The graph-level seed of random ops, or None."""
        return self._seed

    @seed.setter
    def seed(self, value: int | None) -> None:
        self._seed = value

    @property
    def version(self) -> int:
        """A number that grows with every operation added."""
        return len(self._ops)

    @property
    def graph_def_versions(self) -> VersionDef:
        """A copy of the GraphDef versions this graph was made with or read from."""
        return VersionDef.FromString(self._versions.SerializeToString())

    @property
    def finalized(self) -> bool:
        """Whether nothing may be added any more."""
        return self._finalized

    def finalize(self) -> None:
        """Let nothing be added any more."""
        self._finalized = True

    def _unsafe_unfinalize(self) -> None:
        self._finalized = False

    def _check_not_finalized(self) -> None:
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    def new_operations(self) -> list[Operation]:
        """Return operations that were added without this object's knowledge: none, as there is no other."""
        return []

    def Dismantle(self) -> None:
        """Let go of all operations, tensors and functions; the graph is of no use afterwards."""
        self._ops.clear()
        self._by_name.clear()
        self.functions = {}
        self._collections.clear()
        self._source = None
        self._mutated()

    def switch_to_thread_local(self) -> None:
        """Let each thread have devices, colocation and control inputs of its own, from those open now."""
        thread_scopes.separate(self)

    def get(self) -> Graph:
        """Return self, for use as a context manager."""
        return self

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, *exc_info: object) -> None:
        return None

    def as_default(self) -> contextlib.AbstractContextManager[Graph]:
        """Make this the default graph of the thread inside a `with` block."""
        return stacks.GRAPHS.using(self)  # type: ignore[return-value]

    def prevent_feeding(self, tensor: Tensor) -> None:
        """Let `tensor` be fed no more."""
        tensor.__dict__["_unfeedable"] = True

    def is_feedable(self, tensor: Tensor) -> bool:
        """Whether `tensor` may be fed."""
        return not getattr(tensor, "__dict__", {}).get("_unfeedable", False)

    def prevent_fetching(self, op: Operation) -> None:
        """Let `op` and its outputs be fetched no more."""
        self._unfetchable.add(op)

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Whether it may be fetched."""
        op = tensor_or_op.op if isinstance(tensor_or_op, Tensor) else tensor_or_op
        return op not in self._unfetchable

    @contextlib.contextmanager
    def _variable_creator_scope(self, creator: Any, priority: int = 100) -> Iterator[None]:
        """Let `creator(next_creator, **kwargs)` make the variables of the block; lower priorities are asked last."""
        state = self._thread_local
        old = state.variable_creators
        new = state.variable_creators = tuple(sorted([*old, (priority, creator)], key=lambda item: item[0]))
        try:
            yield
        finally:
            if state.variable_creators is not new:
                raise RuntimeError("Exiting variable_creator_scope without proper nesting.")
            state.variable_creators = old

    @property
    def _variable_creator_stack(self) -> list[Any]:
        return list(self._thread_local.variable_creators)

    @_variable_creator_stack.setter
    def _variable_creator_stack(self, creators: Iterable[Any]) -> None:
        self._thread_local.variable_creators = tuple(creators)

    # Ops

    def op_def_for_type(self, type: str) -> OpDef:
        """Return the OpDef of an op type or library function. Raises: NotFoundError if there is none."""
        signature = self._find_signature(type)
        return opdefs.get(type) if signature is None else signature.op_def

    def create_op(
        self,
        op_type: str,
        inputs: Iterable[Tensor],
        dtypes: Any = None,
        input_types: Any = None,
        name: str | None = None,
        attrs: dict[str, AttrValue] | None = None,
        op_def: Any = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Operation:
        """Add a node and return it; attrs it lacks take their defaults.

        inputs: tensors in signature order, lists flattened. attrs: AttrValues.

        Raises: RuntimeError if the op is unknown or the graph finalized; TypeError, ValueError if inputs or attrs do
        not fit.
        """
        inputs = tuple(inputs)
        for i, tensor in enumerate(inputs):
            if not isinstance(tensor, Tensor):
                raise TypeError(f"Input #{i} is not a tensor: {tensor}")
        return self._create_op_internal(op_type, inputs, dtypes, input_types, name, attrs, op_def, compute_device)

    def _create_op_internal(
        self,
        op_type: str,
        inputs: Iterable[Tensor],
        dtypes: Any = None,
        input_types: Any = None,
        name: str | None = None,
        attrs: dict[str, AttrValue] | None = None,
        op_def: Any = None,
        compute_device: bool = True,
    ) -> Operation:
        inputs = tuple(inputs)
        signature = self._find_signature(op_type)
        if signature is None:
            raise RuntimeError(
                f"Op type not registered '{op_type}'. Is it a custom op, or a function of another graph?"
            )
        full = complete_attrs(signature, inputs, attrs, name or op_type)
        return self._new_op(signature, name or op_type, inputs, full, check=True)

    def _new_op(
        self,
        signature: opdefs.Signature,
        name: str,
        inputs: tuple[Tensor, ...],
        attrs: dict[str, AttrValue],
        *,
        check: bool = False,
    ) -> Operation:
        """Add a node whose attrs are complete. A name that ends in a slash is taken as it is, without it.

        check: compare number and types of the inputs with the signature.
        """
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        if isinstance(name, bytes):
            name = name.decode()
        with self._lock:
            name = name[:-1] if name[-1] == "/" else self.unique_name(name)
            if not VALID_OP_NAME.match(name):
                raise ValueError(
                    f"`{name}` is not a valid node name. Accepted names conform to Regex /{VALID_OP_NAME}/"
                )
            if name in self._by_name:
                raise ValueError(f"Duplicate node name in graph: '{name}'")
            op = Operation(self, len(self._ops), name, signature.name)
            op._attrs = attrs
            op._inputs = inputs
            op._signature = signature
            op._original_op = self._default_original_op
            op._defined_at = _user_frame()
            if self._control_dependencies_stack:
                op._control_inputs = self._control_dependencies_for_inputs([t.op for t in inputs])
            try:
                op._outputs = [Tensor(op, i, t) for i, t in enumerate(argument_types(op, signature.outputs))]
                if check:
                    self._check_inputs(op)
                shape_inference.infer_new(op)
            except errors.OpError as error:
                raise ValueError(error.message) from None
            self._ops.append(op)
            self._by_name[name] = op
            mutations = self.mutations
            context = self._control_flow_context
            if context is not None or any(t.op._control_flow_context is not None for t in inputs):
                op._control_flow_context = context
                place_in_context(op)
            self._apply_scopes(op)
            self.mutations = mutations
            return op

    def _check_inputs(self, op: Operation) -> None:
        assert op.signature is not None
        expected = argument_types(op, op.signature.inputs)
        if len(expected) != len(op.inputs):
            raise ValueError(op_text.input_count_text(expected, len(op.inputs), op.signature, op.name))
        for i, (dtype, tensor) in enumerate(zip(expected, op.inputs)):
            fits = tensor.dtype == dtype if dtype._is_ref_dtype else tensor.dtype.base_dtype == dtype
            if not fits:
                raise ValueError(op_text.input_type_text(i, op.name, tensor.name, tensor.dtype, dtype))

    def _infer_shapes(self, op: Operation) -> None:
        """Infer the shapes that were put off and that those of `op` depend on."""
        with self._lock, collector.paused():
            shape_inference.infer_pending(op)

    # Functions

    def _is_function(self, name: str) -> bool:
        return name in self.functions

    def _get_function(self, name: str) -> Any:
        return self.functions.get(name)

    def add_function(self, function: Any, gradient: str | None = None) -> None:
        """Add a FunctionDef to the library; one of the same name must be equal.

        gradient: name of the function that computes its gradient.

        Raises: InvalidArgumentError if another function has the name; RuntimeError if the graph is finalized.
        """
        self._check_not_finalized()
        name = function.signature.name
        known = self.functions.get(name)
        if known is not None and known.SerializeToString(deterministic=True) != function.SerializeToString(
            deterministic=True
        ):
            raise errors.InvalidArgumentError(
                f"Cannot add function '{name}' because a different function with the same name already exists."
            )
        if known is None:
            self.functions[name] = function
            if self._source is not None:
                self._source.library_changed = True
        if gradient:
            self._function_gradients[name] = gradient
            if self._source is not None:
                self._source.library_changed = True
        if self._versions.min_consumer < _MIN_CONSUMER_OF_FUNCTIONS:
            self._versions.min_consumer = _MIN_CONSUMER_OF_FUNCTIONS

    def __repr__(self) -> str:
        return f"<icefloe.Graph with {len(self._ops)} operations at {id(self):#x}>"


_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _user_frame() -> tuple[str, int, str] | None:
    """Return (file, line, function) of the innermost caller outside this package."""
    frame = sys._getframe(2)
    for _ in range(50):
        code = frame.f_code
        if not code.co_filename.startswith(_PACKAGE):
            return code.co_filename, frame.f_lineno, code.co_name
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return None


class _GlobalGraph(threading.local):
    graph: Graph | None = None


_GLOBAL = _GlobalGraph()


def get_default_graph() -> Graph:
    """Return the innermost graph made default in this thread, else the thread's global one."""
    top = stacks.GRAPHS.top()
    return global_default_graph() if top is None else top  # type: ignore[return-value]


def global_default_graph() -> Graph:
    """Return the thread's default graph outside of all `with` blocks."""
    if _GLOBAL.graph is None:
        _GLOBAL.graph = Graph()
    return _GLOBAL.graph


def has_default_graph() -> bool:
    """Whether a graph was made default inside a `with` block."""
    return stacks.GRAPHS.top() is not None


def reset_default_graph() -> None:
    """Drop the thread's global default graph. Raises: AssertionError inside a block that makes a graph default."""
    if not stacks.GRAPHS.is_cleared():
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit the nesting "
            "and create a new graph."
        )
    _GLOBAL.graph = None


def graph_of_inputs(values: list[Any], graph: Graph | None = None) -> Graph:
    """Return the graph that all tensors and ops in `values` belong to, or the default one if there is none.

    Lists are looked through one level deep.

    Raises: ValueError if they belong to several.
    """
    default = get_default_graph()
    if default.building_function:
        return default
    first: Any = None
    for value in values:
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(item, (Tensor, Operation)):
                found: Any = item.graph
            else:
                convert = getattr(item, "_as_graph_element", None)
                if convert is None or isinstance(item, type):
                    continue
                found = getattr(convert(), "graph", None)
                if found is None:
                    continue
            if graph is None:
                graph, first = found, item
            elif found is not graph:
                if first is None:
                    raise ValueError(f"{item} is not from the passed-in graph.")
                raise ValueError(f"{item} must be from the same graph as {first} (graphs are {found} and {graph}).")
    return graph or default
