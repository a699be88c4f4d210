"""`Defun`: functions of a graph's library made from Python functions.

    @Defun(tf.float32, tf.float32)
    def plus_minus(x, y):
        return x + y, x - y

    a, b = plus_minus(2.0, 3.0)

The Python function runs once, when the function is first needed. Calling it adds a node whose op type is the function's
name. Tensors from outside that it uses become arguments; variables are made outside of it.

Source: tensorflow/python/framework/function.py.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from icefloe import datatypes
from icefloe.graph.collections import GraphKeys
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import device
from icefloe.graph.func_graph import DefunGraph, placeholder
from icefloe.graph.function_def import to_function_def
from icefloe.graph.graph import Graph, get_default_graph
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.lib.variable_resource import ResourceVariable
from icefloe.lib.variable_scope import get_variable_scope, variable_scope
from icefloe.lib.variable_store import STORE_KEY, default_store
from icefloe.proto import AttrValue, FunctionDef

_MANY = 1_000_000


class Defun:
    """Decorator that makes a Python function a function of the library.

    input_types: the dtypes of its arguments; without them the function is made anew for the types of each call.

    func_name: its name, by default the Python function's with a hash of what it does. out_names: names of its results.
    grad_func: the function, made by `Defun`, that computes its gradient. python_grad_func: a Python function
    `(op, *grads)` that builds it. shape_func: a Python function that gives the static shapes of a call's results.
    noinline: keep calls as they are. capture_by_value: copy nodes from outside into it, instead of taking arguments for
    them. `experimental_*`, `_implements`, `_reference`: attrs of the function.
    """

    def __init__(self, *input_types: Any, **kwargs: Any) -> None:
        self._input_types = input_types
        self._options = kwargs

    def __call__(self, func: Callable[..., Any]) -> Any:
        """Return the function that `func` builds.

        Raises: ValueError if `func` is no function, has defaults or takes keywords, or another number of arguments.
        """
        if not callable(func):
            raise ValueError(f"Function {func} must be a callable.")  # noqa: TRY004 (as TensorFlow)
        spec = inspect.getfullargspec(func)
        if spec.varkw or spec.defaults:
            raise ValueError(
                f"Functions with argument defaults or keywords arguments are not supported. {func} has defaults "
                f"{spec.defaults} and keywords {spec.varkw}."
            )
        names = spec.args[1:] if inspect.ismethod(func) else spec.args
        least = len(names)
        most = _MANY if spec.varargs else least
        if self._input_types:
            number = len(self._input_types)
            if not least <= number <= most:
                raise ValueError(
                    "The number of tf.function input types is not compatible with the allowed arguments of "
                    f"{func}. The tf.function have {number} input types, while the python function allows minimum "
                    f"{least} and maximum {most} arguments."
                )
            return DefinedFunction(func, names, self._input_types, **self._options)
        if most == 0:
            return DefinedFunction(func, [], [], **self._options)
        return OverloadedFunction(func, names, **self._options)


class DefinedFunction:
    """A function for arguments of given types."""

    def __init__(
        self,
        func: Callable[..., Any] | None,
        argnames: Sequence[str],
        input_types: Sequence[Any],
        func_name: str | None = None,
        grad_func: Any = None,
        python_grad_func: Any = None,
        out_names: Sequence[str] | None = None,
        shape_func: Any = None,
        capture_by_value: bool = False,
        allowlisted_stateful_ops: Iterable[Any] = (),
        capture_resource_var_by_value: bool = True,
        **kwargs: Any,
    ) -> None:
        self._func = func
        self._func_name = func_name
        self._input_types = input_types
        self._arg_names = [argnames[i] if i < len(argnames) else f"arg{i}" for i in range(len(input_types))]
        self._grad_func = grad_func
        self._python_grad_func = python_grad_func
        self._out_names = out_names
        self._shape_func = shape_func
        self._capture_by_value = capture_by_value
        self._allowlisted_stateful_ops = allowlisted_stateful_ops
        self._capture_resource_var_by_value = capture_resource_var_by_value
        self._extra_kwargs = kwargs
        self._definition: Any = None
        self._op_def: Any = None
        self._extra_inputs: list[Tensor] = []
        self._stateful_ops: list[tuple[str, str]] = []
        # The functions that it calls, and their gradients' names.
        self._called: dict[str, tuple[Any, str | None]] = {}
        # It is put on the device of the innermost block around its definition.
        around = get_default_graph()._device_functions_outer_to_inner
        self._device = around[-1] if around else None

    @property
    def name(self) -> str:
        """Its name."""
        self._define()
        assert self._func_name is not None
        return self._func_name

    @property
    def definition(self) -> Any:
        """A copy of its FunctionDef."""
        self._define()
        return FunctionDef.FromString(self._definition.SerializeToString())

    cached_definition = definition

    @property
    def _signature(self) -> Any:
        self._define()
        return self._op_def

    def set_grad_func(self, grad_func: DefinedFunction) -> None:
        """Say which function computes its gradient."""
        assert not self._grad_func
        assert isinstance(grad_func, DefinedFunction)
        self._grad_func = grad_func

    @property
    def grad_func_name(self) -> str | None:
        """The name of the function that computes its gradient, or None."""
        return self._grad_func.name if self._grad_func else None

    @property
    def python_grad_func(self) -> Any:
        """The Python function that builds its gradient, or None."""
        return self._python_grad_func

    @property
    def declared_input_types(self) -> Sequence[Any]:
        """The dtypes of the arguments, without those taken in from outside."""
        return self._input_types

    @property
    def captured_inputs(self) -> list[Tensor]:
        """The tensors from outside that it takes in."""
        self._define()
        return self._extra_inputs

    @property
    def stateful_ops(self) -> list[tuple[str, str]]:
        """Pairs of name and type of its ops that have state."""
        self._define()
        return self._stateful_ops

    def _define(self) -> None:
        if self._definition is not None:
            return
        assert self._func is not None
        body = self._body()
        name = self._func_name or _function_name(self._func)
        if self._func_name is None and self._grad_func:
            name += f"_{self._grad_func.name}"
        attrs = _attrs_of(name, dict(self._extra_kwargs))
        definition = to_function_def(
            body,
            name,
            body.inputs,
            body.outputs,
            append_hash=self._func_name is None,
            output_names=self._out_names or (),
            description=self._func.__doc__ or "",
        )
        for key, value in attrs.items():
            definition.attr[key].CopyFrom(value)
        self._extra_inputs = body.extra_inputs
        self._called = {key: (f, body._function_gradients.get(key)) for key, f in body.functions.items()}
        self._stateful_ops = [(op.name, op.type) for op in body.get_operations() if op._is_stateful]
        self._definition = definition
        self._op_def = definition.signature
        self._func_name = definition.signature.name

    def _body(self) -> DefunGraph:
        assert self._func is not None
        outer = get_default_graph()
        scope = get_variable_scope()
        name = self._func_name or _function_name(self._func)
        body = DefunGraph(name, self._capture_by_value, self._allowlisted_stateful_ops)
        # Variables are found by name in either graph.
        keys = (*GraphKeys._VARIABLE_COLLECTIONS, STORE_KEY)
        body._collections = {key: outer.get_collection_ref(key) for key in keys}

        def getter(getter: Any, name: str, **options: Any) -> Any:
            return self._outside_variable(body, scope, name, options)

        with body.as_default(), device(self._device):
            for argument, dtype in zip(self._arg_names, self._input_types):
                body.inputs.append(placeholder(body, datatypes.as_dtype(dtype), None, argument))
            with variable_scope("", custom_getter=getter):
                outputs = self._func(*body.inputs)
            if outputs is None:
                outputs = []
            elif not isinstance(outputs, (list, tuple)):
                outputs = (outputs,)
            if any(output is None for output in outputs):
                raise ValueError(f"Function {name} can not return None.")
            tensors = [convert_to_tensor(output) for output in outputs]
            body.outputs = [t if t.graph is body else body.capture(t) for t in tensors]
        return body

    def _outside_variable(self, body: DefunGraph, scope: Any, name: str, options: dict[str, Any]) -> Any:
        """Return a variable of the graph outside; of a resource variable its value, read there."""
        kept = ("shape", "dtype", "initializer", "reuse", "trainable", "collections", "use_resource")
        with body.outer_graph.as_default():
            variable = scope.get_variable(default_store(), name, **{k: options[k] for k in kept if k in options})
            body.extra_vars.append(variable)
            if self._capture_resource_var_by_value and isinstance(variable, ResourceVariable):
                return variable.value()
            return variable

    def add_to_graph(self, g: Graph) -> None:
        """Add it to the library of `g`, with the functions it calls and the one that computes its gradient.

        Raises: InvalidArgumentError if another function has the name; ValueError if it has two gradients.
        """
        self._define()
        if self._grad_func and self._python_grad_func:
            raise ValueError(f"Gradient defined twice for function {self.name}")
        g.add_function(self._definition, self.grad_func_name)
        for function, gradient in self._called.values():
            g.add_function(function, gradient)
        if self._grad_func:
            self._grad_func.add_to_graph(g)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Add a call to the default graph; return its result, a tuple of them, or the operation if there is none.

        name: of the node. noinline: keep the call as it is.

        Raises: ValueError for another number of arguments or other keywords.
        """
        graph = get_default_graph()
        self.add_to_graph(graph)
        inputs = [convert_to_tensor(arg) for arg in args] + self._extra_inputs
        signature = self._signature
        if len(inputs) != len(signature.input_arg):
            raise ValueError(f"Expected {len(signature.input_arg)} arguments, got {len(inputs)}.")
        name = kwargs.pop("name", None) or self.name
        op = graph._create_op_internal(self.name, inputs, name=name, attrs=_attrs_of(self.name, kwargs))
        # Whoever builds gradients finds `python_grad_func` by it.
        op.__dict__["__defun"] = self
        if self._shape_func is not None:
            self._set_shapes(op)
        if not op.outputs:
            return op
        return op.outputs[0] if len(op.outputs) == 1 else tuple(op.outputs)

    def _set_shapes(self, op: Operation) -> None:
        shapes = self._shape_func(op)
        if len(shapes) != len(op.outputs):
            raise ValueError(
                f"shape_func {self._shape_func} produced {len(shapes)} shapes, which does not match "
                f"{len(op.outputs)} outputs."
            )
        for tensor, shape in zip(op.outputs, shapes):
            tensor.set_shape(shape)


class OverloadedFunction:
    """A function that is made anew for the types of each call's arguments."""

    def __init__(
        self,
        func: Callable[..., Any],
        argnames: Sequence[str],
        func_name: str | None = None,
        grad_func: Any = None,
        python_grad_func: Any = None,
        out_names: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        assert grad_func is None or isinstance(grad_func, OverloadedFunction)
        self._func = func
        self._argnames = argnames
        self._func_name = func_name
        self._grad_func = grad_func
        self._options = {"python_grad_func": python_grad_func, "out_names": out_names, **kwargs}
        self._by_types: dict[str, DefinedFunction] = {}

    def instantiate(self, input_types: Sequence[Any]) -> DefinedFunction:
        """Return the function for arguments of these types."""
        key = _types_text(input_types)
        defined = self._by_types.get(key)
        if defined is None:
            name = None if self._func_name is None else f"{self._func_name}_{key}"
            defined = DefinedFunction(self._func, self._argnames, input_types, name, **self._options)
            results = [datatypes.as_dtype(arg.type) for arg in defined._signature.output_arg]
            if self._grad_func:
                defined._grad_func = self._grad_func.instantiate([*input_types, *results])
            self._by_types[key] = defined
        return defined

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Add a call to the default graph; see `DefinedFunction.__call__`."""
        tensors = [convert_to_tensor(arg) for arg in args]
        return self.instantiate([tensor.dtype for tensor in tensors])(*tensors, **kwargs)


def _function_name(func: Any) -> str:
    if inspect.isfunction(func):
        return func.__name__
    if inspect.ismethod(func):
        return f"{type(func.__self__).__name__}.{func.__func__.__name__}"
    return str(type(func))


# What the types of arguments are called in names.
_TYPE_TEXTS = {
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "bfloat16": "b16",
    "int2": "i2",
    "int4": "i4",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint2": "u2",
    "uint4": "u4",
    "uint8": "i8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "complex64": "c64",
    "complex128": "c128",
    "string": "s",
    "bool": "b",
    "qint8": "qi8",
    "quint8": "qu8",
    "qint16": "qi16",
    "quint16": "qu16",
    "qint32": "qi32",
    "float8_e5m2": "f8e5m2",
    "float8_e4m3fn": "f8e4m3fn",
    "float8_e4m3fnuz": "f8e4m3fnuz",
    "float8_e4m3b11fnuz": "f8e4m3b11fnuz",
    "float8_e5m2fnuz": "f8e5m2fnuz",
    "float4_e2m1fn": "f4e2m1fn",
}


def _types_text(types: Sequence[Any]) -> str:
    unknown = [t for t in types if t.name not in _TYPE_TEXTS]
    if unknown:
        raise ValueError(f"Unsupported dtypes {unknown} in `types`. Supported dtypes are {list(_TYPE_TEXTS)}.")
    return "".join(_TYPE_TEXTS[t.name] for t in types)


def _attrs_of(func_name: str, options: dict[str, Any]) -> dict[str, AttrValue]:
    """Return the attrs that keywords of a function or a call stand for. Raises: ValueError for others."""
    attrs: dict[str, AttrValue] = {}
    noinline = options.pop("noinline", None)
    if noinline is not None:
        attrs["_noinline"] = AttrValue(b=bool(noinline))
    attrs["_disable_call_shape_inference"] = AttrValue(b=True)
    compiled = options.pop("compiled", None)
    separate = options.pop("separate_compiled_gradients", None)
    if compiled is not None:
        attrs["_XlaCompile"] = AttrValue(b=bool(compiled))
        attrs["_XlaSeparateCompiledGradients"] = AttrValue(b=bool(separate))
        scope = get_default_graph()._attr_scope_map.get("_XlaScope")
        attrs["_XlaScope"] = AttrValue(s=f"function_{func_name}".encode()) if scope is None else scope
    for key in [k for k in options if k.startswith("experimental_") or k in ("_implements", "_reference")]:
        attrs[key] = _option_attr(key, options.pop(key))
    if options:
        raise ValueError(f"Unknown keyword arguments: {options.keys()}.")
    return attrs


def _option_attr(name: str, value: Any) -> AttrValue:
    if not name.startswith("experimental_") and not isinstance(value, str):
        raise ValueError(f"Attribute {name} must be str. Got {type(value)}.")
    if isinstance(value, bool):
        return AttrValue(b=value)
    if isinstance(value, int):
        return AttrValue(i=value)
    if isinstance(value, float):
        return AttrValue(f=value)
    if isinstance(value, str):
        return AttrValue(s=value.encode())
    raise ValueError(f"Attribute {name} must be bool, int, float, or str. Got {type(value)}.")
