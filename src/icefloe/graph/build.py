"""Building ops from the op table.

    y = apply_op("MatMul", a, b, transpose_a=True, name="y")

`apply_op` converts what is no tensor to the dtype its neighbours have, infers the attrs that give types and lengths,
checks allowed types, strings
and minimums, names the node and returns its outputs: one Tensor, a list, a namedtuple, or the Operation where there
is none.

Source: tensorflow/python/framework/op_def_library.py (order of inference, messages).
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable
from typing import Any

from icefloe import datatypes, opdefs, stacks
from icefloe.graph import attributes
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.graph import Graph, get_default_graph, graph_of_inputs
from icefloe.graph.operation import Operation
from icefloe.graph.tensor import Tensor
from icefloe.proto import AttrValue

_NOTHING: Any = object()


def apply_op(op_type: str, *args: Any, name: str | None = None, **kwargs: Any) -> Any:
    """Add a node to the graph of its inputs, or the default one, and return its outputs.

    args: inputs in signature order. kwargs: inputs by name, and attrs; a name that is a Python keyword may have `_`
    at its end. An attr that is None takes its default.

    Raises: RuntimeError if the op is unknown; TypeError, ValueError in TensorFlow's words if inputs or attrs do not
    fit.
    """
    op = build_op(op_type, args, kwargs, name)
    assert op.signature is not None
    return _restructurer(op.signature)(op)


def build_op(op_type: str, args: tuple[Any, ...], kwargs: dict[str, Any], name: str | None = None) -> Operation:
    """Add a node as `apply_op` does and return the Operation. Raises: as `apply_op`."""
    plan = _plan(op_type) if opdefs.find(op_type) is not None else None
    graph = graph_of_inputs([*args, *kwargs.values()])
    if plan is None:
        signature = graph._find_signature(op_type)
        if signature is None:
            raise RuntimeError(f"Unrecognized Op name {op_type}")
        plan = _Plan(signature)
    if plan.removed_in and graph._versions.producer >= plan.removed_in:
        raise NotImplementedError(
            f"Op {op_type} is not available in GraphDef version {graph._versions.producer}. "
            f"It has been removed in version {plan.removed_in}. {plan.signature.op_def.deprecation.explanation}."
        )
    if len(args) > len(plan.inputs):
        raise TypeError(f"{op_type} takes {len(plan.inputs)} inputs, got {len(args)}")
    if stacks.GRAPHS.top() is graph:
        return _build(graph, plan, args, kwargs, name or op_type)
    with graph.as_default():
        return _build(graph, plan, args, kwargs, name or op_type)


def _build(graph: Graph, plan: _Plan, args: tuple[Any, ...], kwargs: dict[str, Any], name: str) -> Operation:
    state = graph._thread_local
    outer = state.name_stack
    state.name_stack, scope = graph._enter_scope(name)
    try:
        builder = _Builder(plan, args, kwargs)
        attrs = builder.run()
        inputs = tuple(builder.inputs)
        if not plan.has_ref_inputs:
            return graph._new_op(plan.signature, scope, inputs, attrs)
        # As in TensorFlow, of a list of references only the first counts.
        refs = [tensor for arg, tensor in zip(plan.inputs, inputs) if arg.is_ref]
        return _build_colocated(graph, plan, scope, inputs, refs, attrs)
    finally:
        state.name_stack = outer


def _build_colocated(
    graph: Graph,
    plan: _Plan,
    scope: str,
    inputs: tuple[Tensor, ...],
    refs: list[Tensor],
    attrs: dict[str, AttrValue],
) -> Operation:
    """Add a node beside the variables whose references it takes."""
    if not refs:
        return graph._new_op(plan.signature, scope, inputs, attrs)
    with graph.colocate_with(refs[0]):
        return _build_colocated(graph, plan, scope, inputs, refs[1:], attrs)


class _Plan:
    """What of a signature is the same at each call."""

    def __init__(self, signature: opdefs.Signature) -> None:
        self.signature = signature
        self.inputs = signature.inputs
        self.attrs = tuple(signature.attrs.values())
        self.has_ref_inputs = any(arg.is_ref for arg in signature.inputs)
        self.removed_in = signature.op_def.deprecation.version
        # type attrs: the default, and the allowed DataType numbers
        self.default_types: dict[str, datatypes.DType] = {}
        self.allowed_types: dict[str, tuple[int, ...]] = {}
        for spec in self.attrs:
            if spec.type in ("type", "list(type)") and spec.allowed is not None:
                self.allowed_types[spec.name] = tuple(spec.allowed.list.type)
            if spec.type == "type" and spec.default is not None:
                self.default_types[spec.name] = datatypes.as_dtype(spec.default.type)


@functools.cache
def _plan(op_type: str) -> _Plan:
    return _Plan(opdefs.signature(op_type))


class _Builder:
    """One call of `apply_op`: inputs converted and attrs inferred, in signature order."""

    __slots__ = ("args", "attrs", "inferred_from", "inputs", "kwargs", "op", "plan")

    def __init__(self, plan: _Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.plan = plan
        self.op = plan.signature.name
        self.args = args
        self.kwargs = kwargs
        # attr -> DType, list of DTypes, or int
        self.attrs: dict[str, Any] = {}
        self.inferred_from: dict[str, str] = {}
        self.inputs: list[Tensor] = []

    def run(self) -> dict[str, AttrValue]:
        """Fill `inputs` and return all attrs. Raises: TypeError, ValueError."""
        for i, arg in enumerate(self.plan.inputs):
            name, value = self._argument(i, arg)
            if arg.number_attr or arg.type_list_attr:
                self._take_list(arg, name, value)
            else:
                self._take_one(arg, name, value)
        attrs = self._remaining_attrs()
        if self.kwargs:
            raise TypeError(f"{self.op} got unexpected keyword arguments: {', '.join(sorted(self.kwargs))}.")
        return attrs

    def _argument(self, i: int, arg: opdefs.Arg) -> tuple[str, Any]:
        name = arg.name
        if i < len(self.args):
            if name in self.kwargs:
                raise TypeError(f"{self.op} got multiple values for argument '{name}'")
            return name, self.args[i]
        value = self.kwargs.pop(name, _NOTHING)
        if value is _NOTHING:
            name += "_"
            value = self.kwargs.pop(name, _NOTHING)
        if value is _NOTHING:
            raise TypeError(f"No argument for input {arg.name} found in {self.op}")
        return name, value

    # One tensor

    def _take_one(self, arg: opdefs.Arg, name: str, value: Any) -> None:
        expected: datatypes.DType | None = None
        if arg.dtype:
            expected = datatypes.as_dtype(arg.dtype)
        elif arg.type_attr:
            expected = self.attrs.get(arg.type_attr)
        if isinstance(value, Tensor):
            base = value.dtype.base_dtype
            if expected is not None and base is not expected:
                self._mismatch(arg, name, base)
            tensor = value
        else:
            tensor = self._convert_one(arg, name, value, expected)
            base = tensor.dtype.base_dtype
        if arg.type_attr and expected is None:
            self._check_type(base, arg.type_attr, name)
            self.attrs[arg.type_attr] = base
            self.inferred_from[arg.type_attr] = name
        self._append(arg, name, [tensor])

    def _convert_one(self, arg: opdefs.Arg, name: str, value: Any, expected: datatypes.DType | None) -> Tensor:
        default = self.plan.default_types.get(arg.type_attr) if expected is None else None
        allowed = self.plan.allowed_types.get(arg.type_attr) if default is not None else None
        try:
            if allowed:
                try:
                    inferred = convert_to_tensor(value, name=arg.name, as_ref=arg.is_ref)
                except TypeError:
                    inferred = None
                if inferred is not None and inferred.dtype.base_dtype.as_datatype_enum in allowed:
                    return inferred
            return convert_to_tensor(value, dtype=expected, name=arg.name, preferred_dtype=default, as_ref=arg.is_ref)
        except TypeError as error:
            if expected is None:
                raise
            raise TypeError(
                f"Expected {expected.name} passed to parameter '{arg.name}' of op '{self.op}', got {value!r} of type "
                f"'{type(value).__name__}' instead. Error: {error}"
            ) from error
        except ValueError:
            try:
                observed = convert_to_tensor(value, as_ref=arg.is_ref).dtype
            except ValueError as error:
                raise ValueError(f"Tried to convert '{name}' to a tensor and failed. Error: {error}") from error
            self._mismatch(arg, name, observed)
            raise

    def _mismatch(self, arg: opdefs.Arg, name: str, observed: datatypes.DType) -> None:
        prefix = f"Input '{name}' of '{self.op}' Op has type {observed.name} that does not match"
        if arg.dtype:
            raise TypeError(f"{prefix} expected type of {datatypes.as_dtype(arg.dtype).name}.")
        known = self.attrs.get(arg.type_attr, self.plan.default_types.get(arg.type_attr))
        if known is not None:
            source = self.inferred_from.get(arg.type_attr, "Default in OpDef")
            raise TypeError(f"{prefix} type {known.name} of argument '{source}'.")

    def _check_type(self, dtype: datatypes.DType, attr: str, name: str) -> None:
        allowed = self.plan.allowed_types.get(attr)
        if allowed is not None and dtype.as_datatype_enum not in allowed:
            names = ", ".join(datatypes.as_dtype(n).name for n in allowed)
            raise TypeError(
                f"Value passed to parameter '{name}' has DataType {dtype.name} not in list of allowed values: {names}"
            )

    def _append(self, arg: opdefs.Arg, name: str, tensors: list[Tensor]) -> None:
        if arg.is_ref:
            if not all(t.dtype._is_ref_dtype for t in tensors):
                raise TypeError(
                    f"'{self.op}' Op requires that input '{name}' be a mutable tensor (e.g.: a tf.Variable)"
                )
        self.inputs.extend(tensors)

    # A list of tensors

    def _take_list(self, arg: opdefs.Arg, name: str, values: Any) -> None:
        if not isinstance(values, (list, tuple)):
            raise TypeError(f"Expected list for '{name}' argument to '{self.op}' Op, not {values}.")
        tensors = self._convert_list(arg, name, values)
        bases = [t.dtype.base_dtype for t in tensors]
        if arg.number_attr:
            self._take_number(arg, name, len(tensors))
            if not arg.dtype and arg.type_attr not in self.attrs:
                if bases:
                    self._check_type(bases[0], arg.type_attr, name)
                    self.attrs[arg.type_attr] = bases[0]
                    self.inferred_from[arg.type_attr] = name
                elif arg.type_attr not in self.plan.default_types:
                    raise TypeError(
                        f"Don't know how to infer type variable from empty input list passed to input '{name}' of "
                        f"'{self.op}' Op."
                    )
        else:
            self._take_types(arg, name, bases)
        self._append(arg, name, tensors)

    def _convert_list(self, arg: opdefs.Arg, name: str, values: Any) -> list[Tensor]:
        expected: datatypes.DType | None = None
        preferred = None
        if arg.dtype:
            expected = datatypes.as_dtype(arg.dtype)
        elif arg.number_attr:
            expected = self.attrs.get(arg.type_attr)
            if expected is None:
                expected = next((v.dtype for v in values if isinstance(v, Tensor)), None)
            if expected is None:
                preferred = self.plan.default_types.get(arg.type_attr)
        if expected is not None and not arg.is_ref:
            expected = expected.base_dtype
        try:
            tensors = [
                convert_to_tensor(
                    value, dtype=expected, name=f"{arg.name}_{i}", preferred_dtype=preferred, as_ref=arg.is_ref
                )
                for i, value in enumerate(values)
            ]
            kinds = {t.dtype.base_dtype for t in tensors}
            if arg.number_attr and len(kinds) > 1:
                raise TypeError(f"Not all types matched for {arg.name} for {self.op}. Got {kinds}")
            return tensors
        except (TypeError, ValueError) as error:
            raise self._list_error(arg, name, values, expected) from error

    def _list_error(self, arg: opdefs.Arg, name: str, values: Any, expected: datatypes.DType | None) -> TypeError:
        observed = []
        for value in values:
            try:
                observed.append(convert_to_tensor(value, as_ref=arg.is_ref).dtype.base_dtype.name)
            except (TypeError, ValueError):
                observed.append("<NOT CONVERTIBLE TO TENSOR>")
        prefix = f"Tensors in list passed to '{name}' of '{self.op}' Op have types [{', '.join(observed)}]"
        if not arg.number_attr:
            return TypeError(f"{prefix} that are invalid. Tensors: {values}")
        if arg.dtype:
            return TypeError(f"{prefix} that do not match expected type {datatypes.as_dtype(arg.dtype).name}.")
        if arg.type_attr in self.attrs and expected is not None:
            return TypeError(f"{prefix} that do not match type {expected.name} inferred from earlier arguments.")
        return TypeError(f"{prefix} that don't all match.")

    def _take_number(self, arg: opdefs.Arg, name: str, length: int) -> None:
        known = self.attrs.get(arg.number_attr)
        if known is not None:
            if known != length:
                raise ValueError(
                    f"List argument '{name}' to '{self.op}' Op with length {length} must match length {known} "
                    f"of argument '{self.inferred_from[arg.number_attr]}'."
                )
            return
        self.attrs[arg.number_attr] = length
        self.inferred_from[arg.number_attr] = name
        spec = self.plan.signature.attrs[arg.number_attr]
        if spec.has_minimum and length < spec.minimum:
            raise ValueError(
                f"List argument '{name}' to '{self.op}' Op with length {length} shorter than minimum length "
                f"{spec.minimum}."
            )

    def _take_types(self, arg: opdefs.Arg, name: str, bases: list[datatypes.DType]) -> None:
        known = self.attrs.get(arg.type_list_attr)
        if known is None:
            for base in bases:
                self._check_type(base, arg.type_list_attr, name)
            self.attrs[arg.type_list_attr] = bases
            self.inferred_from[arg.type_list_attr] = name
        elif known != bases:
            actual = ", ".join(t.name for t in bases)
            wanted = ", ".join(t.name for t in known)
            raise TypeError(
                f"Input '{name}' of '{self.op}' Op has type list of {actual} that does not match type list {wanted} of "
                f"argument '{self.inferred_from[arg.type_list_attr]}'."
            )

    # Attrs

    def _remaining_attrs(self) -> dict[str, AttrValue]:
        result: dict[str, AttrValue] = {}
        inferred = self.attrs
        kwargs = self.kwargs
        for spec in self.plan.attrs:
            name = spec.name
            if name in inferred:
                if name in kwargs:
                    raise TypeError(f"Should not specify value for inferred attr '{name}' for {self.op}.")
                value = inferred[name]
            else:
                value = kwargs.pop(name, _NOTHING) if kwargs else _NOTHING
                if value is _NOTHING and kwargs:
                    value = kwargs.pop(name + "_", _NOTHING)
                if value is _NOTHING or value is None:
                    if spec.default is None:
                        if value is None:  # of a shape it means that the rank is unknown
                            result[name] = attributes.encode(None, spec.type, name)
                            continue
                        raise TypeError(f"No argument found for attr {name} for {self.op}")
                    result[name] = spec.default
                    continue
            if spec.type == "type" and name in inferred:
                result[name] = attributes.type_attr(value.as_datatype_enum)
                if self.plan.allowed_types.get(name):
                    self._check_type(value, name, name)
                continue
            result[name] = self._checked_attr(spec, value)
        return result

    def _checked_attr(self, spec: opdefs.AttrSpec, value: Any) -> AttrValue:
        if spec.type.endswith("func)") or spec.type == "func":
            _add_functions(value)
        encoded = attributes.encode(value, spec.type, spec.name)
        if spec.type.startswith("list(") and spec.has_minimum and len(value) < spec.minimum:
            raise ValueError(
                f"Attr '{spec.name}' of '{self.op}' Op passed list of length {len(value)} "
                f"less than minimum {spec.minimum}."
            )
        if spec.allowed is not None:
            if spec.type in ("string", "list(string)"):
                for item in [encoded.s] if spec.type == "string" else encoded.list.s:
                    self._check_string(item, spec)
            else:
                for number in [encoded.type] if spec.type == "type" else encoded.list.type:
                    self._check_type(datatypes.as_dtype(number), spec.name, spec.name)
        if spec.has_minimum and spec.type == "int" and encoded.i < spec.minimum:
            raise ValueError(
                f"Attr '{spec.name}' of '{self.op}' Op passed {encoded.i} less than minimum {spec.minimum}."
            )
        return encoded

    def _check_string(self, value: bytes, spec: opdefs.AttrSpec) -> None:
        assert spec.allowed is not None
        if value not in spec.allowed.list.s:
            allowed = '", "'.join(s.decode() for s in spec.allowed.list.s)
            raise ValueError(
                f"Attr '{spec.name}' of '{self.op}' Op passed string '{value.decode(errors='replace')}' not in: "
                f'"{allowed}".'
            )


def _add_functions(value: Any) -> None:
    for item in value if isinstance(value, (list, tuple)) else (value,):
        if hasattr(item, "add_to_graph"):
            item.add_to_graph(get_default_graph())


# Outputs


@functools.lru_cache(maxsize=4096)
def _result_class(op_type: str, fields: tuple[str, ...]) -> Any:
    return collections.namedtuple(op_type, fields, rename=True)


def _lengths(op: Operation, args: tuple[opdefs.Arg, ...]) -> list[int | None]:
    lengths: list[int | None] = []
    for arg in args:
        if arg.number_attr:
            lengths.append(op.kernel_attr(arg.number_attr))
        elif arg.type_list_attr:
            lengths.append(len(op.kernel_attr(arg.type_list_attr)))
        else:
            lengths.append(None)
    return lengths


def _only(op: Operation) -> Any:
    return op.outputs[0]


def _only_list(op: Operation) -> Any:
    outputs = op.outputs
    return op if not outputs and op._is_stateful else list(outputs)


def _several(op: Operation) -> Any:
    signature = op.signature
    assert signature is not None
    outputs = op.outputs
    values: list[Any] = []
    pos = 0
    for length in _lengths(op, signature.outputs):
        if length is None:
            values.append(outputs[pos])
            pos += 1
        else:
            values.append(outputs[pos : pos + length])
            pos += length
    return _result_class(op.type, tuple(arg.name for arg in signature.outputs))(*values)


def _itself(op: Operation) -> Any:
    return op


def _restructurer(signature: opdefs.Signature) -> Callable[[Operation], Any]:
    """Return the function that gives an op's outputs in the form its signature asks for."""
    outputs = signature.outputs
    if not outputs:
        return _itself
    if len(outputs) == 1:
        return _only_list if outputs[0].is_list else _only
    return _several
