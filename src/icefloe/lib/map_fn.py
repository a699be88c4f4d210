"""`map_fn`: a function applied to each element along the first axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icefloe.graph.conversion import constant, convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.type_specs import TensorSpec, TypeSpec, invariant_spec, type_spec_from_value
from icefloe.lib.array_shape import shape
from icefloe.lib.control_flow_values import variables_to_tensors
from icefloe.lib.control_flow_while import while_loop
from icefloe.lib.functional import set_lengths, static_length, variables_cached
from icefloe.lib.nest import assert_same_structure, flatten, is_composite, pack_sequence_as
from icefloe.lib.tensor_array import TensorArray
from icefloe.shapes import TensorShape


def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """Return what `fn` gives for each element of `elems`, stacked along the first axis.

    elems: a tensor, SparseTensor, or nest of them; `fn` gets a nest of their elements at one index.
    fn_output_signature, by its old name dtype: a nest of dtypes or TypeSpecs like what `fn` returns, needed where that
    differs from `elems`. infer_shape: all results have one shape. The other arguments are those of `while_loop`.

    Raises: TypeError if `fn` cannot be called; ValueError if there are no elements, or of different numbers; TypeError
    or ValueError if `fn` returns another structure.
    """
    if not callable(fn):
        named = getattr(fn, "__name__", repr(fn))
        raise TypeError(f"The provided function {named} is not callable.fn must be callable.")
    wanted = dtype if fn_output_signature is None else fn_output_signature
    elems = variables_to_tensors(elems)
    flat = flatten(elems)
    if not flat:
        raise ValueError(
            f"elems must be a Tensor or (possibly nested) sequence of Tensors. Got {elems}, which does not contain any "
            "Tensors."
        )
    specs = [type_spec_from_value(elem) for elem in flat]
    result_specs = _result_specs(flat, wanted)
    like = elems if wanted is None else wanted
    with name_scope(name, "map", flat), variables_cached():
        flat = [_converted(elem) for elem in flat]
        _check_rank(flat[0])
        rows = [type_spec_from_value(elem).box_rows(elem) for elem in flat]
        length = static_length(rows)
        n: Any = length.value or shape(rows[0])[0]
        arrays = [TensorArray(t.dtype, size=n, dynamic_size=False, infer_shape=True) for t in rows]
        arrays = [array.unstack(tensor) for array, tensor in zip(arrays, rows)]
        counter = constant(0)
        boxes = [spec.box_spec() for spec in result_specs]
        results = [
            TensorArray(box.dtype, size=n, dynamic_size=False, infer_shape=infer_shape, element_shape=box.shape)
            for box in boxes
        ]

        def step(i: Any, written: Any) -> Any:
            parts = [array.read(i) for array in arrays]
            values = [spec.unbatch().unbox(part) for spec, part in zip(specs, parts)]
            result = fn(pack_sequence_as(elems, values))
            assert_same_structure(wanted or elems, result)
            boxed = [_boxed(value, spec) for value, spec in zip(flatten(result), result_specs)]
            written = [array.write(i, value) for array, value in zip(written, boxed)]
            return i + 1, written

        options = {"back_prop": back_prop, "swap_memory": swap_memory, "maximum_iterations": n}
        results = while_loop(
            lambda i, _: i < n, step, (counter, results), parallel_iterations=parallel_iterations or 10, **options
        )[1]
        stacked = [array.stack() for array in results]
        set_lengths(stacked, length)
        unboxed = [spec.batch(length.value).unbox(tensor) for spec, tensor in zip(result_specs, stacked)]
        return pack_sequence_as(like, unboxed)


def _converted(elem: Any) -> Any:
    return elem if is_composite(elem) else convert_to_tensor(elem, name="elem")


def _check_rank(elem: Any) -> None:
    rank = getattr(getattr(elem, "shape", None), "rank", None)
    if rank is not None and rank < 1:
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")


def _result_specs(elems: list[Any], wanted: Any) -> list[TypeSpec]:
    """Return the specs of what the function returns: those `wanted`, or of the kinds of its elements."""
    if wanted is None:
        return [_any_shape(elem).unbatch() for elem in elems]
    return [d if isinstance(d, TypeSpec) else TensorSpec(None, d) for d in flatten(wanted)]


def _any_shape(elem: Any) -> TypeSpec:
    """Return the spec of a value of the kind of `elem`, of any shape."""
    spec = type_spec_from_value(elem)
    if isinstance(spec, TensorSpec):
        return TensorSpec(None, spec.dtype)
    return invariant_spec(elem, TensorShape(None))


def _boxed(value: Any, spec: TypeSpec) -> Any:
    if isinstance(spec, TensorSpec):
        return value
    if not spec.is_compatible_with(value):
        raise ValueError(
            f"Error in map_fn:\n  Expected `fn` to return a:\n    {spec}\n  But it returned a:\n    "
            f"{type_spec_from_value(value)}\n    (value={value})\n  To fix, update the `fn_output_signature` (or "
            "`dtype`) argument to `map_fn`."
        )
    return spec.box(value)
