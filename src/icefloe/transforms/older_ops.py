"""Older forms of ops, where they compute the very same.

A rule gets a body and a node of it, and changes the node, or adds others; it returns "" once it has, else why there is
no older form. What it leaves may have an older form in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from icefloe.datatypes import as_dtype
from icefloe.proto import NodeDef
from icefloe.transforms.bodies import Body, Dims
from icefloe.transforms.node_edits import attr_of, data_inputs

Rule = Callable[[Body, NodeDef], str]
RULES: dict[str, Rule] = {}
_FLOAT, _INT32, _INT64, _BOOL = 1, 3, 9, 10


def rule(*ops: str) -> Callable[[Rule], Rule]:
    """Register a rule for ops."""

    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(ops, function))
        return function

    return register


def _renamed(new: str, *attrs: str) -> Rule:
    """Return a rule that gives a node another op with the same arguments, and keeps these attrs."""

    def change(body: Body, node: NodeDef) -> str:
        body.become(node, new, data_inputs(node), **{name: attr_of(node, name) for name in attrs})
        if new.endswith("HashTable") and "_output_shapes" in node.attr:
            del node.attr["_output_shapes"]  # a handle is a scalar, the reference that older releases have a pair
        return ""

    return change


_TABLE = ("container", "shared_name", "use_node_name_sharing", "key_dtype", "value_dtype")
RULES.update(
    {
        "AddV2": _renamed("Add", "T"),
        "EnsureShape": _renamed("Identity", "T"),
        "Snapshot": _renamed("Identity", "T"),
        "CheckNumericsV2": _renamed("CheckNumerics", "T", "message"),
        "StatelessIf": _renamed("If", "Tcond", "Tin", "Tout", "then_branch", "else_branch", "output_shapes"),
        "StatelessWhile": _renamed("While", "T", "cond", "body", "output_shapes", "parallel_iterations"),
        "StatelessCase": _renamed("Case", "Tin", "Tout", "branches", "output_shapes"),
        "HashTableV2": _renamed("HashTable", *_TABLE),
        "MutableHashTableV2": _renamed("MutableHashTable", *_TABLE),
        "InitializeTableV2": _renamed("InitializeTable", "Tkey", "Tval"),
        "InitializeTableFromTextFileV2": _renamed(
            "InitializeTableFromTextFile", "key_index", "value_index", "vocab_size", "delimiter"
        ),
        "LookupTableFindV2": _renamed("LookupTableFind", "Tin", "Tout"),
        "LookupTableInsertV2": _renamed("LookupTableInsert", "Tin", "Tout"),
        "LookupTableSizeV2": _renamed("LookupTableSize"),
        "LookupTableExportV2": _renamed("LookupTableExport", "Tkeys", "Tvalues"),
        "LookupTableImportV2": _renamed("LookupTableImport", "Tin", "Tout"),
    }
)


def _type(node: NodeDef, name: str = "T") -> int:
    return attr_of(node, name).type


def _is(body: Body, text: str, *values: float) -> bool:
    """Whether a tensor is a constant that has one of these values throughout."""
    found = body.constant(text)
    return found is not None and found.size > 0 and any(bool(np.all(found == v)) for v in values)


def _fit(a: Dims, b: Dims) -> bool:
    """Whether two tensors have one shape, or one of them fails: no size 1 is spread over another."""
    if a is None or b is None or len(a) != len(b):
        return False
    return all(x == y or (None in (x, y) and 1 not in (x, y)) for x, y in zip(a, b))


@rule("PartitionedCall", "StatefulPartitionedCall")
def call(body: Body, node: NodeDef) -> str:
    """A call by the function's name as the op, as all releases know it."""
    if "f" not in node.attr:
        return "attr 'f' is missing"
    function = node.attr["f"].func
    node.op = function.name
    attrs = {key: value.SerializeToString() for key, value in function.attr.items()}
    old = {f"{node.name}:output:{i}": i for i in range(len(node.attr["Tout"].list.type))}
    node.ClearField("attr")
    for key, data in attrs.items():
        node.attr[key].MergeFromString(data)
    if body.function is not None:
        body.move({text: body.tensor(node, i) for text, i in old.items()})
    return ""


@rule("BatchMatMulV3")
def batch_mat_mul_v3(body: Body, node: NodeDef) -> str:
    """With one type throughout it is BatchMatMulV2."""
    types = {_type(node, name) for name in ("Ta", "Tb", "Tout")}
    if len(types) != 1:
        return "its types differ"
    flags = {name: attr_of(node, name).b for name in ("adj_x", "adj_y")}
    body.become(node, "BatchMatMulV2", data_inputs(node), T=types.pop(), **flags)
    return ""


@rule("BatchMatMulV2")
def batch_mat_mul_v2(body: Body, node: NodeDef) -> str:
    """With the same batch dimensions on both sides it is BatchMatMul."""
    a, b = (body.shape(text) for text in data_inputs(node))
    if a is None or b is None or not _fit(a[:-2], b[:-2]):
        return f"its batches are not known to have one shape: {_text(a)} and {_text(b)}"
    flags = {name: attr_of(node, name).b for name in ("adj_x", "adj_y")}
    body.become(node, "BatchMatMul", data_inputs(node), T=_type(node), **flags)
    return ""


def _text(shape: Dims) -> str:
    return "unknown" if shape is None else str(["?" if n is None else n for n in shape]).replace("'", "")


@rule("FusedBatchNormV3")
def fused_batch_norm_v3(body: Body, node: NodeDef) -> str:
    """Without its third reserved space it is FusedBatchNormV2."""
    if body.uses(body.tensor(node, 5)):
        return "its output reserve_space_3 is used"
    names = ("T", "U", "epsilon", "data_format", "is_training", "exponential_avg_factor")
    body.become(node, "FusedBatchNormV2", data_inputs(node), **{name: attr_of(node, name) for name in names})
    return ""


@rule("FusedBatchNormV2")
def fused_batch_norm_v2(body: Body, node: NodeDef) -> str:
    """With float32 throughout it is FusedBatchNorm."""
    if _type(node) != _FLOAT or _type(node, "U") != _FLOAT:
        return "it is not of float32 throughout"
    names = ("T", "epsilon", "data_format", "is_training", "exponential_avg_factor")
    body.become(node, "FusedBatchNorm", data_inputs(node), **{name: attr_of(node, name) for name in names})
    return ""


@rule("SelectV2")
def select_v2(body: Body, node: NodeDef) -> str:
    """Where the choices have one shape, and the condition too or is a scalar, it is Select; scalars are filled."""
    condition, *choices = data_inputs(node)
    shapes = [body.shape(text) for text in (condition, *choices)]
    full = next((i for i, s in enumerate(shapes) if s is not None and len(s)), 0)
    model, dtype = (condition, *choices)[full], _type(node)
    for i in (0, 1):
        if shapes[i + 1] == () and shapes[full] != ():
            model_type = _BOOL if full == 0 else dtype
            size = body.add("Shape", node, "shape", [model], T=model_type, out_type=_INT32)
            filled = body.add("Fill", node, "filled", [body.tensor(size), choices[i]], T=dtype)
            choices[i], shapes[i + 1] = body.tensor(filled), shapes[full]
    if not _fit(shapes[1], shapes[2]) or not (shapes[0] == () or _fit(shapes[0], shapes[1])):
        return f"it spreads, or may spread, shapes: {', '.join(map(_text, shapes))}"
    body.become(node, "Select", [condition, *choices], T=dtype)
    return ""


@rule("GatherV2")
def gather_v2(body: Body, node: NodeDef) -> str:
    """Along axis 0 it is Gather."""
    params, indices, axis = data_inputs(node)
    if not _is(body, axis, 0) or attr_of(node, "batch_dims").i:
        return "it does not gather along axis 0"
    body.become(node, "Gather", [params, indices], Tparams=_type(node, "Tparams"), Tindices=_type(node, "Tindices"))
    return ""


@rule("MatrixDiagV2", "MatrixDiagV3")
def matrix_diag(body: Body, node: NodeDef) -> str:
    """For the main diagonal of square matrices it is MatrixDiag."""
    diagonal, k, rows, columns, _ = data_inputs(node)
    if not (_is(body, k, 0) and _is(body, rows, -1) and _is(body, columns, -1)):
        return "it makes more than a main diagonal"
    padding = data_inputs(node)[4]
    if not _is(body, padding, 0):
        return "it pads with other than zero"
    body.become(node, "MatrixDiag", [diagonal], T=_type(node))
    return ""


@rule("MatrixDiagPartV2", "MatrixDiagPartV3")
def matrix_diag_part(body: Body, node: NodeDef) -> str:
    """For the main diagonal it is MatrixDiagPart."""
    if not _is(body, data_inputs(node)[1], 0):
        return "it takes more than the main diagonal"
    body.become(node, "MatrixDiagPart", data_inputs(node)[:1], T=_type(node))
    return ""


@rule("MatrixSetDiagV2", "MatrixSetDiagV3")
def matrix_set_diag(body: Body, node: NodeDef) -> str:
    """For the main diagonal it is MatrixSetDiag."""
    if not _is(body, data_inputs(node)[2], 0):
        return "it sets more than the main diagonal"
    body.become(node, "MatrixSetDiag", data_inputs(node)[:2], T=_type(node))
    return ""


def _types(node: NodeDef, *names: str) -> dict[str, Any]:
    """Return those of these attrs that a node has, so that defaults stay unwritten."""
    return {name: node.attr[name] for name in names if name in node.attr}


@rule("NonMaxSuppressionV5")
def non_max_suppression_v5(body: Body, node: NodeDef) -> str:
    """Without softening it is NonMaxSuppressionV4; the scores are gathered."""
    *inputs, sigma = data_inputs(node)
    if not _is(body, sigma, 0):
        return "soft_nms_sigma is not zero"
    types = {"T": _type(node), "T_threshold": _type(node)} if _type(node) != _FLOAT else {}
    padded = attr_of(node, "pad_to_max_output_size").b
    if body.uses(body.tensor(node, 1)):
        if padded:
            return "padded scores are used"
        old = body.tensor(node, 1)
        gathered = body.add(
            "Gather", node, "scores", [inputs[1], body.tensor(node)], Tparams=_type(node), Tindices=_INT32
        )
        body.move({old: body.tensor(gathered)})
    body.become_moved(node, "NonMaxSuppressionV4", inputs, {2: 1}, pad_to_max_output_size=padded, **types)
    return ""


@rule("NonMaxSuppressionV4")
def non_max_suppression_v4(body: Body, node: NodeDef) -> str:
    """Without padding it is NonMaxSuppressionV3; the results are counted."""
    if attr_of(node, "pad_to_max_output_size").b:
        return "it pads its results"
    if body.uses(body.tensor(node, 1)):
        old = body.tensor(node, 1)
        size = body.add("Size", node, "valid_outputs", [body.tensor(node)], T=_INT32, out_type=_INT32)
        body.move({old: body.tensor(size)})
    body.become(node, "NonMaxSuppressionV3", data_inputs(node), **_types(node, "T", "T_threshold"))
    return ""


@rule("NonMaxSuppressionV3")
def non_max_suppression_v3(body: Body, node: NodeDef) -> str:
    """Without a threshold for scores it is NonMaxSuppressionV2."""
    *inputs, threshold = data_inputs(node)
    if not _is(body, threshold, -np.inf):
        return "score_threshold is not -inf"
    body.become(node, "NonMaxSuppressionV2", inputs, **_types(node, "T", "T_threshold"))
    return ""


@rule("NonMaxSuppressionV2")
def non_max_suppression_v2(body: Body, node: NodeDef) -> str:
    """With a constant threshold it is NonMaxSuppression."""
    *inputs, threshold = data_inputs(node)
    value = body.constant(threshold)
    if value is None or _type(node) != _FLOAT:
        return "iou_threshold is no constant, or the boxes are not of float32"
    body.become(node, "NonMaxSuppression", inputs, iou_threshold=float(value))
    return ""


@rule("LeakyRelu")
def leaky_relu(body: Body, node: NodeDef) -> str:
    """For slopes up to 1 it is the larger one of x and slope * x."""
    slope = attr_of(node, "alpha").f
    if not 0 < slope <= 1:
        return f"its slope is {slope:g}"
    (x,) = data_inputs(node)
    dtype = _type(node)
    if ":" in x and not x.endswith(":0"):
        # TensorFlow's optimizer makes a LeakyRelu of this again, and takes output 0 for any other.
        x = body.tensor(body.add("Identity", node, "x", [x], T=dtype))
    alpha = body.add_constant(node, "alpha", np.array(slope, as_dtype(dtype).as_numpy_dtype))
    scaled = body.add("Mul", node, "scaled", [alpha, x], T=dtype)
    body.become(node, "Maximum", [x, body.tensor(scaled)], T=dtype)
    return ""


@rule("BroadcastTo")
def broadcast_to(body: Body, node: NodeDef) -> str:
    """It is a product with ones."""
    x, shape = data_inputs(node)
    dtype = as_dtype(_type(node))
    if not (dtype.is_floating or dtype.is_integer or dtype.is_complex or dtype.is_bool):
        return f"there is no product of dtype {dtype.name}"
    if _type(node, "Tidx") != _INT32:
        cast = body.add("Cast", node, "sizes", [shape], SrcT=_type(node, "Tidx"), DstT=_INT32)
        shape = body.tensor(cast)
    one = body.add_constant(node, "one", np.ones((), dtype.as_numpy_dtype))
    ones = body.add("Fill", node, "ones", [shape, one], T=int(dtype.as_datatype_enum))
    if dtype.is_bool:
        body.become(node, "LogicalAnd", [x, body.tensor(ones)])
    else:
        body.become(node, "Mul", [x, body.tensor(ones)], T=int(dtype.as_datatype_enum))
    return ""


@rule("ClipByValue")
def clip_by_value(body: Body, node: NodeDef) -> str:
    """It is Maximum of Minimum."""
    x, low, high = data_inputs(node)
    below = body.add("Minimum", node, "Minimum", [x, high], T=_type(node))
    body.become(node, "Maximum", [body.tensor(below), low], T=_type(node))
    return ""


@rule("PadV2")
def pad_v2(body: Body, node: NodeDef) -> str:
    """With zeros it is Pad."""
    x, paddings, value = data_inputs(node)
    if not _is(body, value, 0):
        return "it pads with other than a constant zero"
    body.become(node, "Pad", [x, paddings], T=_type(node), Tpaddings=_type(node, "Tpaddings"))
    return ""


@rule("IdentityN")
def identity_n(body: Body, node: NodeDef) -> str:
    """It is one Identity for each tensor."""
    tensors = [
        body.add("Identity", node, f"output_{i}", [text, *(t for t in node.input if t.startswith("^"))], T=dtype)
        for i, (text, dtype) in enumerate(zip(data_inputs(node), node.attr["T"].list.type))
    ]
    body.replace(node, [body.tensor(n) for n in tensors])
    return ""


@rule("ArgMax", "ArgMin")
def arg_max(body: Body, node: NodeDef) -> str:
    """It gives int64, which is cast."""
    output = _type(node, "output_type")
    if output not in (_INT32, _INT64):
        return f"its results are {as_dtype(output).name}"
    types = {"T": _type(node), "Tidx": _type(node, "Tidx")}
    wide = body.add(node.op, node, "int64", data_inputs(node), **types)
    body.become(node, "Cast", [body.tensor(wide)], SrcT=_INT64, DstT=output)
    return ""


@rule("UniqueV2", "UniqueWithCountsV2")
def unique_v2(body: Body, node: NodeDef) -> str:
    """Without an axis it is the form of before."""
    x, axis = data_inputs(node)
    value, shape = body.constant(axis), body.shape(x)
    if value is None or not (value.size == 0 or (shape is not None and len(shape) == 1 and np.all(value == 0))):
        return "it works along an axis"
    body.become(node, node.op.removesuffix("V2"), [x], T=_type(node), out_idx=_type(node, "out_idx"))
    return ""


@rule("ResourceGatherNd")
def resource_gather_nd(body: Body, node: NodeDef) -> str:
    """It is GatherNd of what is read."""
    handle, indices = data_inputs(node)
    read = body.add("ReadVariableOp", node, "read", [handle], dtype=_type(node, "dtype"))
    types = {"Tparams": _type(node, "dtype"), "Tindices": _type(node, "Tindices")}
    body.become(node, "GatherNd", [body.tensor(read), indices], **types)
    return ""


@rule("OnesLike")
def ones_like(body: Body, node: NodeDef) -> str:
    """It is Fill of a shape."""
    (x,) = data_inputs(node)
    dtype = as_dtype(_type(node))
    shape = body.add("Shape", node, "shape", [x], T=_type(node), out_type=_INT32)
    one = body.add_constant(node, "one", np.ones((), dtype.as_numpy_dtype))
    body.become(node, "Fill", [body.tensor(shape), one], T=_type(node))
    return ""
