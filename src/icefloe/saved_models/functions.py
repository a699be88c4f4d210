"""The functions of a TensorFlow 2 SavedModel, by their path in its object graph, as callables on arrays.

    model.functions["encoder.call"](x, training=False)

A function has one concrete function for each kind of arguments that it was traced for. A call takes the first that
fits, adds one call node for it to the model's graph, and runs that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from icefloe import errors
from icefloe.graph import build
from icefloe.graph.graph import Graph
from icefloe.graph.type_specs import TensorSpec
from icefloe.proto import FunctionSpec, MetaGraphDef, NameAttrList, SavedObjectGraph
from icefloe.saved_models.captures import Captures, paths_of
from icefloe.saved_models.structures import decode, leaves, matched, replaced

_SCOPE = "icefloe_functions"


class MissingFunctionError(errors.NotFoundError, KeyError):
    """A model has no function of this path."""

    __str__ = errors.NotFoundError.__str__


class ConcreteFunction:
    """A function for one kind of arguments. inputs: what it takes, `(args, kwargs)` with TensorSpecs; outputs: what it
    returns.
    """

    def __init__(self, name: str, model: _Model) -> None:
        stored = model.objects.concrete_functions[name]
        self.name = name
        try:
            self.inputs = decode(stored.canonicalized_input_signature)
            self.outputs = decode(stored.output_signature)
        except (TypeError, ValueError) as error:
            if isinstance(error, errors.OpError):
                raise
            raise errors.DataLossError(f"function {name!r}: its signature cannot be read: {error}") from None
        form = self.inputs if isinstance(self.inputs, tuple) and len(self.inputs) == 2 else (None, None)
        if not isinstance(form[0], (tuple, list)) or not isinstance(form[1], dict):
            raise errors.DataLossError(f"function {name!r}: its signature is no pair of arguments and keywords")
        self._bound = list(stored.bound_inputs)
        self._model = model
        self._call: tuple[list[Any], list[Any]] | None = None

    @property
    def specs(self) -> list[TensorSpec]:
        """The TensorSpecs that it takes, flat."""
        return [leaf for leaf in leaves(self.inputs) if isinstance(leaf, TensorSpec)]

    def run(self, values: list[Any]) -> Any:
        """Return its results for these values of its TensorSpecs."""
        try:
            if self._call is None:
                self._call = self._add_call()
            placeholders, results = self._call
            found = self._model.session.run(results, dict(zip(placeholders, values, strict=True)))
        except errors.OpError:
            raise
        except (TypeError, ValueError) as error:
            raise errors.InvalidArgumentError(f"function {self.name!r}: {error}") from error
        tensors = [leaf for leaf in leaves(self.outputs) if isinstance(leaf, TensorSpec)]
        if len(tensors) != len(found):
            return found
        return replaced(self.outputs, iter(found))

    def _add_call(self) -> tuple[list[Any], list[Any]]:
        graph = self._model.graph
        definition = graph.functions.get(self.name)
        if definition is None:
            raise errors.NotFoundError(f"function {self.name!r} is not in the library of the graph")
        captured = [self._model.captures.tensor(node) for node in self._bound]
        results = [arg.type for arg in definition.signature.output_arg]
        specs = self.specs
        if len(specs) + len(captured) != len(definition.signature.input_arg):
            raise errors.InvalidArgumentError(
                f"function {self.name!r} takes {len(definition.signature.input_arg)} arguments; the object graph names "
                f"{len(specs)} and {len(captured)} captures"
            )
        with graph.as_default(), graph.name_scope(f"{_SCOPE}/{len(self._model.called)}"):
            placeholders = [build.apply_op("Placeholder", dtype=spec.dtype, shape=spec.shape) for spec in specs]
            outputs = build.apply_op(
                "StatefulPartitionedCall",
                [*placeholders, *captured],
                Tout=results,
                f=NameAttrList(name=self.name),
            )
        self._model.called.append(self.name)
        return placeholders, outputs if isinstance(outputs, list) else []


class Function:
    """A function of a model: `function(*args, **kwargs)` returns arrays in the structure of the original."""

    def __init__(self, path: str, spec: FunctionSpec, names: list[str], model: _Model) -> None:
        self.path = path
        self.concrete_functions = [
            ConcreteFunction(name, model) for name in names if name in model.objects.concrete_functions
        ]
        self._names, self._defaults = _arguments(spec)

    def __repr__(self) -> str:
        return f"<Function {self.path!r} of {len(self.concrete_functions)} concrete functions>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the results for arguments given as to the Python function that it was.

        Raises: InvalidArgumentError if no concrete function takes such arguments, with those that there are.
        """
        for given in self._forms(args, kwargs):
            for concrete in self.concrete_functions:
                values = matched(concrete.inputs, given)
                if values is not None:
                    return concrete.run(values)
        taken = "; ".join(_text(concrete.inputs) for concrete in self.concrete_functions) or "none"
        raise errors.InvalidArgumentError(
            f"function {self.path!r} was not traced for such arguments; it takes: {taken}"
        )

    def _forms(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
        """Yield the arguments in the forms that a file may have them in: all by position, or as they were given."""
        rest = dict(kwargs)
        full = list(args)
        for name in self._names[len(args) :]:
            if name in rest:
                full.append(rest.pop(name))
            elif name in self._defaults:
                full.append(self._defaults[name])
            else:
                break
        else:
            yield tuple(full), rest
        yield args, kwargs
        named = dict(zip(self._names, args, strict=False))
        if len(named) == len(args):
            yield (), {**named, **kwargs}


def _arguments(spec: FunctionSpec) -> tuple[list[str], dict[str, Any]]:
    """Return the names of the positional arguments, and the defaults of the last of them."""
    full = spec.fullargspec
    if full.WhichOneof("kind") != "named_tuple_value":
        return [], {}
    parts = {pair.key: decode(pair.value) for pair in full.named_tuple_value.values}
    names = [str(name) for name in parts.get("args") or ()]
    if names and (spec.is_method or names[0] == "self"):
        names = names[1:]
    defaults = list(parts.get("defaults") or ())
    return names, dict(zip(names[len(names) - len(defaults) :], defaults, strict=False))


def _text(inputs: Any) -> str:
    args, kwargs = inputs
    parts = [_shown(arg) for arg in args] + [f"{key}={_shown(value)}" for key, value in kwargs.items()]
    return f"({', '.join(parts)})"


def _shown(value: Any) -> str:
    if isinstance(value, TensorSpec):
        dims = (
            "?" if value.shape.rank is None else ", ".join("?" if d is None else str(d) for d in value.shape.as_list())
        )
        return f"{value.name or 'tensor'}: {value.dtype.name} [{dims}]"
    return repr(value)


class _Model:
    """What functions share: the model's graph and session, its object graph and captures, the calls made so far."""

    def __init__(self, graph: Graph, session: Any, info: MetaGraphDef) -> None:
        self.graph = graph
        self.session = session
        self.objects = info.object_graph_def
        self.captures = Captures(graph, info)
        self.called: list[str] = []


def function_paths(objects: SavedObjectGraph) -> dict[str, int]:
    """Return the nodes of the functions in an object graph by path, without those that are a function's traces."""
    found = {}
    for path, node in paths_of(objects).items():
        kind = objects.nodes[node].WhichOneof("kind")
        is_trace = path.rpartition(".")[2].startswith("trace_")
        if kind == "function" or (kind == "bare_concrete_function" and not is_trace):
            found[path] = node
    return found


class Functions(Mapping[str, Function]):
    """The functions of a model by path; empty for a model of TensorFlow 1."""

    def __init__(self, graph: Graph, session: Any, info: MetaGraphDef) -> None:
        self._graph, self._session, self._info = graph, session, info
        self._model: _Model | None = None
        self._made: dict[str, Function] = {}
        self._nodes = function_paths(info.object_graph_def)

    def __getitem__(self, path: str) -> Function:
        if path not in self._made:
            if path not in self._nodes:
                listed = ", ".join(map(repr, list(self._nodes)[:20])) or "none"
                raise MissingFunctionError(f"no function {path!r}; the functions are: {listed}")
            if self._model is None:
                self._model = _Model(self._graph, self._session, self._info)
            item = self._info.object_graph_def.nodes[self._nodes[path]]
            if item.WhichOneof("kind") == "function":
                names, spec = list(item.function.concrete_functions), item.function.function_spec
            else:
                bare = item.bare_concrete_function
                names, spec = [bare.concrete_function_name], bare.function_spec
            self._made[path] = Function(path, spec, names, self._model)
        return self._made[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    def __repr__(self) -> str:
        return f"<Functions {', '.join(map(repr, self._nodes))}>"
