"""Products of matrices and tensors: matmul, matvec, tensordot, einsum."""

from __future__ import annotations

import collections
import math
import re
import string
from typing import Any

import numpy as np

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib.array_join import concat, stack
from icefloe.lib.array_select import gather, where
from icefloe.lib.array_shape import expand_dims, rank, reshape, shape, squeeze, transpose
from icefloe.lib.constants import hinted
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import conj
from icefloe.lib.math_range import range as range_
from icefloe.lib.math_reduce import reduce_prod


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the product of two matrices, or of the matrices in the last two axes of two batches.

    adjoint_a, adjoint_b: conjugate and transpose. a_is_sparse, b_is_sparse: use the algorithm for many zeros.

    Raises: ValueError if a matrix is to be both transposed and adjoined.
    """
    with name_scope(name, "MatMul", [a, b]) as scope:
        for what, transposed, adjoint in (("a", transpose_a, adjoint_a), ("b", transpose_b, adjoint_b)):
            if transposed and adjoint:
                raise ValueError(
                    f"Only one of `transpose_{what}` and `adjoint_{what}` can be True. Received "
                    f"`transpose_{what}`={transposed}, `adjoint_{what}`={adjoint}."
                )
        a = convert_to_tensor(a, name="a")
        b = hinted(b, a.dtype.base_dtype, name="b")
        widened = bool(output_type) and (output_type != a.dtype or output_type != b.dtype)
        grads = {"grad_x": grad_a, "grad_y": grad_b}
        batched = any(x.shape.rank is None or x.shape.rank > 2 for x in (a, b))
        if batched and not a_is_sparse and not b_is_sparse:
            if transpose_a:
                a, adjoint_a = conj(a), True
            if transpose_b:
                b, adjoint_b = conj(b), True
            return _batch_matmul(a, b, adjoint_a, adjoint_b, output_type if widened else None, grads, scope)
        if adjoint_a:
            a, transpose_a = conj(a), True
        if adjoint_b:
            b, transpose_b = conj(b), True
        if _multiplies_sparsely(a, b, a_is_sparse or b_is_sparse):
            product = apply_op(
                "SparseMatMul",
                a,
                b,
                transpose_a=transpose_a,
                transpose_b=transpose_b,
                a_is_sparse=a_is_sparse,
                b_is_sparse=b_is_sparse,
                name=scope,
            )
            both = a.dtype == b.dtype == datatypes.bfloat16
            return cast(product, datatypes.bfloat16) if both else product
        if widened:
            return _batch_matmul(a, b, transpose_a, transpose_b, output_type, grads, scope)
        return apply_op(
            "MatMul", a, b, transpose_a=transpose_a, transpose_b=transpose_b, grad_a=grad_a, grad_b=grad_b, name=scope
        )


def _batch_matmul(
    a: Tensor, b: Tensor, adj_x: bool, adj_y: bool, output_type: Any, grads: dict[str, bool], name: str
) -> Tensor:
    if output_type is not None:
        return apply_op("BatchMatMulV3", a, b, Tout=output_type, adj_x=adj_x, adj_y=adj_y, name=name, **grads)
    return apply_op("BatchMatMulV2", a, b, adj_x=adj_x, adj_y=adj_y, name=name, **grads)


def _multiplies_sparsely(a: Tensor, b: Tensor, asked: bool) -> bool:
    sparse_types = (datatypes.bfloat16, datatypes.float32)
    small = (datatypes.int8, datatypes.uint8)
    mixed = any(x.dtype == datatypes.bfloat16 and y.dtype not in small for x, y in ((a, b), (b, a)))
    return (asked and a.dtype in sparse_types and b.dtype in sparse_types) or (mixed and a.dtype != b.dtype)


def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the product of matrix `a` and vector `b`, or of batches of them."""
    with name_scope(name, "MatVec", [a, b]):
        output = matmul(
            a,
            expand_dims(b, axis=-1),
            transpose_a=transpose_a,
            adjoint_a=adjoint_a,
            a_is_sparse=a_is_sparse,
            b_is_sparse=b_is_sparse,
        )
        return squeeze(output, axis=-1)


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """Return the product of `a` and `b` summed over `axes`.

    axes: N, the last N of `a` with the first N of `b`; or a pair of axes or lists of axes; or a tensor [2, k].

    Raises: ValueError if the axes do not fit.
    """
    with name_scope(name, "Tensordot", [a, b, axes]) as scope:
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, name="b")
        a_axes, b_axes = _contracted_axes(a, axes)
        a_matrix, a_free, a_static = _as_matrix(a, a_axes, contracted_first=False)
        b_matrix, b_free, b_static = _as_matrix(b, b_axes, contracted_first=True)
        product = matmul(a_matrix, b_matrix)
        if isinstance(a_free, list) and isinstance(b_free, list):
            if product.shape.is_fully_defined() and product.shape.as_list() == a_free + b_free:
                return product
            return reshape(product, a_free + b_free, name=scope)
        a_free = convert_to_tensor(a_free, dtype=datatypes.int32)
        b_free = convert_to_tensor(b_free, dtype=datatypes.int32)
        result = reshape(product, concat([a_free, b_free], 0), name=scope)
        if a_static is not None and b_static is not None:
            result.set_shape(a_static + b_static)
        return result


def _contracted_axes(a: Tensor, axes: Any) -> tuple[Any, Any]:
    if isinstance(axes, (int, np.integer)):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        if a.shape.rank is None:
            a_rank = rank(a)
            return range_(a_rank - axes, a_rank, dtype=datatypes.int32), range_(axes, dtype=datatypes.int32)
        if axes > a.shape.rank:
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of tensor {a}.  Received {axes}, vs tensor "
                f"dimensions {a.shape.rank}."
            )
        return list(range(a.shape.rank - axes, a.shape.rank)), list(range(axes))
    if not isinstance(axes, (list, tuple)):
        axes = convert_to_tensor(axes, name="axes", dtype=datatypes.int32)
        return axes[0], axes[1]
    if len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
    a_axes, b_axes = axes
    if isinstance(a_axes, (int, np.integer)) and isinstance(b_axes, (int, np.integer)):
        a_axes, b_axes = [a_axes], [b_axes]
    if len(a_axes) != len(b_axes):
        raise ValueError(f"Different number of contraction axes `a` and `b`, {len(a_axes)} != {len(b_axes)}.")
    return a_axes, b_axes


def _as_matrix(x: Tensor, axes: Any, *, contracted_first: bool) -> tuple[Tensor, Any, list[int | None] | None]:
    """Return `x` as a matrix of its contracted and its free axes, the sizes of the free ones, and those as far as
    known.
    """
    if x.shape.is_fully_defined() and isinstance(axes, (list, tuple)):
        sizes: Any = x.shape.as_list()
        axes = [i if i >= 0 else i + len(sizes) for i in axes]
        free = [i for i in range(len(sizes)) if i not in axes]
        free_sizes = [sizes[i] for i in free]
        wanted = [math.prod(free_sizes), math.prod(sizes[i] for i in axes)]
        perm = free + list(axes)
        if contracted_first:
            wanted, perm = wanted[::-1], list(axes) + free
        if perm != list(range(len(sizes))):
            x = transpose(x, perm)
        if x.shape.as_list() != wanted:
            x = reshape(x, wanted)
        return x, free_sizes, free_sizes
    static = None
    if x.shape.rank is not None and isinstance(axes, (list, tuple)):
        known = x.shape.as_list()
        axes = [i if i >= 0 else i + len(known) for i in axes]
        free_axes = [i for i in range(len(known)) if i not in axes]
        static = [known[i] for i in free_axes]
        axes = convert_to_tensor(axes, dtype=datatypes.int32, name="axes")
        free_tensor = convert_to_tensor(free_axes, dtype=datatypes.int32, name="free")
        x_shape = shape(x)
    else:
        x_shape = shape(x)
        x_rank = rank(x)
        axes = convert_to_tensor(axes, dtype=datatypes.int32, name="axes")
        axes = where(axes >= 0, axes, axes + x_rank)
        free_tensor, _ = apply_op("ListDiff", range_(x_rank), axes, out_idx=datatypes.int32)
    free_sizes_t = gather(x_shape, free_tensor)
    axes_sizes = gather(x_shape, axes)
    free_size = reduce_prod(free_sizes_t)
    axes_size = reduce_prod(axes_sizes)
    order = [axes, free_tensor] if contracted_first else [free_tensor, axes]
    perm_t = concat(order, 0)
    wanted_t = stack([axes_size, free_size] if contracted_first else [free_size, axes_size])
    return reshape(transpose(x, perm_t), wanted_t), free_sizes_t, static


def einsum(equation: str, *inputs: Any, name: str | None = None, optimize: str = "greedy") -> Tensor:
    """Return the sum of products that `equation` describes, such as "ij,jk->ik"; "..." stands for broadcast axes.

    optimize: how the order of more than two inputs is chosen.

    Raises: ValueError for an equation that does not fit the inputs.
    """
    with name_scope(name, "einsum", [equation, inputs]):
        tensors = list(inputs)
        resolved, labels, ellipsis = _resolved_equation(equation, len(tensors))
        if len(tensors) <= 2:
            return apply_op("Einsum", tensors, equation=_with_dots(resolved, ellipsis))
        sizes = _label_sizes(equation, tensors, labels, ellipsis)
        for operands, step in _contractions(resolved, labels, sizes, optimize):
            pair = [tensors.pop(i) for i in operands]
            tensors.append(apply_op("Einsum", pair, equation=_with_dots(step, ellipsis)))
        return tensors[0]


def _with_dots(equation: str, ellipsis: str | None) -> str:
    return equation.replace(ellipsis, "...") if ellipsis else equation


def _resolved_equation(equation: str, count: int) -> tuple[str, list[str], str | None]:
    """Return the equation without blanks, with an explicit output and one letter for "...", its input labels, that
    letter.
    """
    resolved, ellipsis = equation.replace(" ", ""), None
    if "..." in equation:
        ellipsis = "0"
        if ellipsis in resolved:
            raise ValueError(f'Invalid character "{ellipsis}" in equation: {equation}.')
        resolved = resolved.replace("...", ellipsis)
    allowed = "a-zA-Z" + (ellipsis or "")
    match = re.match(f"^([{allowed},]*)(->[{allowed}]*)?$", resolved)
    if not match:
        raise ValueError(f"Subscripts have incorrect format: {resolved}")
    labels = match.group(1).split(",")
    if count != len(labels):
        raise ValueError(f'Got {count} inputs for equation "{equation}", expecting {len(labels)}')
    if match.group(2) is None:
        counts = collections.Counter(match.group(1))
        output = "".join(x for x in sorted(counts) if x != "," and counts[x] == 1)
        resolved += "->" + output
    else:
        output = match.group(2)[2:]
    if len(set(output)) != len(output):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
    for label in output:
        if label != ellipsis and label not in match.group(1):
            raise ValueError(f"Output subscripts contain the label {label} not present in the input subscripts.")
    return resolved, labels, ellipsis


def _label_sizes(equation: str, tensors: list[Any], labels: list[str], ellipsis: str | None) -> dict[str, int]:
    """Return the size of each label, 1 where it is unknown; that of the ellipsis is the product of its axes."""
    found: dict[str, int] = collections.defaultdict(lambda: 1)
    for i, (letters, tensor) in enumerate(zip(labels, tensors)):
        tensor_shape = convert_to_tensor(tensor).shape
        if tensor_shape.rank is None:
            continue
        sizes = tensor_shape.as_list()
        start = letters.find(ellipsis) if ellipsis else -1
        if start != -1:
            if letters.count(ellipsis or "") > 1:
                raise ValueError(f"Too many ellipses in input label {_with_dots(letters, ellipsis)}.")
            if len(letters) > len(sizes) + 1:
                raise ValueError(
                    f"Too many named labels in {i}th subscript string of equation {equation} for input shape {sizes} "
                )
            end = start + len(sizes) + 1 - len(letters)
            sizes[start:end] = [math.prod(size for size in sizes[start:end] if size)]
        elif len(letters) != len(sizes):
            raise ValueError(
                f"Number of named labels in input #{i} of equation {equation} must be equal to the number of "
                f"dimensions in shape {sizes}"
            )
        for size, letter in zip(sizes, letters):
            if size is not None:
                found[letter] = max(found[letter], size)
    return found


def _contractions(
    resolved: str, labels: list[str], sizes: dict[str, int], optimize: Any
) -> list[tuple[tuple[int, ...], str]]:
    """Return the operands to contract, step by step, each with its equation; a result goes to the end of the list."""
    shapes = [np.broadcast_to(np.float32(0), tuple(sizes[letter] for letter in letters)) for letters in labels]
    plain = resolved.replace("0", _spare_letter(resolved))
    path = np.einsum_path(plain, *shapes, optimize=optimize)[0][1:]
    output = resolved.partition("->")[2]
    operands = list(labels)
    steps = []
    for number, chosen in enumerate(path, 1):
        places = tuple(sorted(chosen, reverse=True))
        taken = [operands.pop(place) for place in places]
        if number == len(path):
            result = output
        else:
            seen = "".join(taken)
            kept = set(seen) & set("".join([*operands, output]))
            result = "".join(sorted(kept, key=seen.find))
        operands.append(result)
        steps.append((places, f"{','.join(taken)}->{result}"))
    return steps


def _spare_letter(equation: str) -> str:
    """Return a letter that stands for the ellipsis, which numpy takes no digit for."""
    return next(letter for letter in string.ascii_letters if letter not in equation)
