"""Connectionist temporal classification: losses and decoders of label sequences."""

from __future__ import annotations

from typing import Any

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import name_scope
from icefloe.graph.sparse_tensor import SparseTensor
from icefloe.graph.tensor import Tensor
from icefloe.lib.arguments import renamed
from icefloe.lib.array_create import ones_like, sequence_mask
from icefloe.lib.array_join import concat
from icefloe.lib.array_select import boolean_mask, gather_nd, pad, where, where_v2
from icefloe.lib.array_shape import expand_dims, reshape, shape, transpose
from icefloe.lib.map_fn import map_fn
from icefloe.lib.math_cast import cast
from icefloe.lib.math_elementwise import not_equal
from icefloe.lib.math_range import range
from icefloe.lib.math_reduce import reduce_max, reduce_sum


def ctc_loss(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Tensor:
    """Return the negative log probability of each sequence of labels.

    labels: SparseTensor int32 [batch, time]; inputs: logits [time, batch, classes], the last class blank.

    Raises: TypeError if labels is no SparseTensor.
    """
    if not isinstance(labels, SparseTensor):
        raise TypeError(
            f"Expected argument `labels` to be a SparseTensor. Received labels={labels} of type: "
            f"{type(labels).__name__}"
        )
    tensor = convert_to_tensor(renamed("logits", logits, "inputs", inputs), name="logits")
    if not time_major:
        tensor = transpose(tensor, [1, 0, 2])
    narrow = tensor.dtype in (datatypes.float16, datatypes.bfloat16)
    how: dict[str, Any] = {
        "preprocess_collapse_repeated": preprocess_collapse_repeated,
        "ctc_merge_repeated": ctc_merge_repeated,
        "ignore_longer_outputs_than_inputs": ignore_longer_outputs_than_inputs,
    }
    precise = cast(tensor, datatypes.float32) if narrow else tensor
    loss, _ = apply_op("CTCLoss", precise, labels.indices, labels.values, sequence_length, **how)
    result: Tensor = cast(loss, tensor.dtype) if narrow else loss
    return result


def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: int | None = None
) -> tuple[list[SparseTensor], Tensor]:
    """Return ([the best labels], their negative log probabilities), from the best class at each time."""
    how: dict[str, Any] = {"merge_repeated": merge_repeated}
    if blank_index is not None:
        how["blank_index"] = blank_index
    indices, values, dense_shape, score = apply_op("CTCGreedyDecoder", inputs, sequence_length, **how)
    return [SparseTensor(indices, values, dense_shape)], score


def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1, merge_repeated: bool = True
) -> tuple[list[SparseTensor], Tensor]:
    """Return (the `top_paths` best sequences of labels, their log probabilities)."""
    how: dict[str, Any] = {"beam_width": beam_width, "top_paths": top_paths, "merge_repeated": merge_repeated}
    indices, values, shapes, score = apply_op("CTCBeamSearchDecoder", inputs, sequence_length, **how)
    return [SparseTensor(*parts) for parts in zip(indices, values, shapes)], score


def ctc_beam_search_decoder_v2(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """Return (the `top_paths` best sequences of labels, their log probabilities), repeated labels kept."""
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, merge_repeated=False)


def _size(tensor: Tensor, axis: int) -> Any:
    size = tensor.shape[axis].value if tensor.shape.rank is not None else None
    return shape(tensor)[axis] if size is None else size


def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Return the sequences [batch, time] with runs of one label made one, and their new lengths."""
    with name_scope(name, "collapse_repeated_labels", [labels, seq_length]):
        labels = convert_to_tensor(labels, name="labels")
        seq_length = convert_to_tensor(seq_length, name="seq_length")
        first = ones_like(labels[:, :1], datatypes.bool)
        kept = concat([first, not_equal(labels[:, 1:], labels[:, :-1])], axis=1)
        longest = _size(labels, 1)
        kept = apply_op("LogicalAnd", kept, sequence_mask(seq_length, maxlen=longest))
        lengths = reduce_sum(cast(kept, datatypes.int32), axis=1)
        longest = reduce_max(lengths)
        places = sequence_mask(lengths, maxlen=longest)
        flat_labels, flat_kept = reshape(labels, [-1]), reshape(kept, [-1])
        flat_places = reshape(places, [-1])
        numbers = range(_size(flat_places, 0))
        indices = expand_dims(boolean_mask(numbers, flat_places), axis=1)
        flat = apply_op("ScatterNd", indices, boolean_mask(flat_labels, flat_kept), shape(flat_places))
        result = reshape(flat, [_size(labels, 0), longest])
        return result, cast(lengths, seq_length.dtype)


def ctc_unique_labels(labels: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Return (the distinct labels of each row in order, padded with zeros; the place of each label among them).

    labels: int [batch, length].
    """
    with name_scope(name, "ctc_unique_labels", [labels]):
        labels = convert_to_tensor(labels, name="labels")

        def one(row: Any) -> Any:
            found = apply_op("Unique", row)
            length = found.idx.shape[0].value
            length = shape(found.idx)[0] if length is None else length
            padded = pad(found.y, [[0, length - shape(found.y)[0]]])
            return [cast(padded, datatypes.int64), found.idx]

        places: tuple[Tensor, Tensor] = map_fn(one, labels, dtype=[datatypes.int64, datatypes.int32])
        return places


def ctc_loss_v2(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Return the negative log probability of each sequence of labels.

    labels: int [batch, length], or a SparseTensor int32 with `label_length` None. logits: [time, batch, classes], or
    batch first. blank_index: which class is blank, by default 0, negative from the end; needed for a SparseTensor.

    Raises: ValueError if a SparseTensor comes without `blank_index`.
    """
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError("Argument `blank_index` must be provided when labels is a SparseTensor.")
        return _sparse_loss(labels, logits, logit_length, logits_time_major, blank_index)
    blank = 0 if blank_index is None else blank_index
    with name_scope(name, "ctc_loss_dense", [logits, labels, label_length, logit_length]):
        labels = convert_to_tensor(labels, name="labels")
        label_length = convert_to_tensor(label_length, name="label_length")
        within = expand_dims(range(shape(labels)[1]), 0) < expand_dims(cast(label_length, datatypes.int32), 1)
        indices = where(within)
        values = cast(gather_nd(labels, indices), datatypes.int32)
        sparse = SparseTensor(indices, values, shape(labels, out_type=datatypes.int64))
        return _sparse_loss(sparse, logits, logit_length, logits_time_major, blank)


def _sparse_loss(labels: SparseTensor, logits: Any, logit_length: Any, time_major: bool, blank: int) -> Tensor:
    """Return the loss by the op whose blank is the last class: the classes after `blank` move down by one."""
    logits = convert_to_tensor(logits, name="logits")
    count = logits.shape[2].value
    if count is None:
        raise ValueError(f"the number of classes must be known, got logits of shape {logits.shape}")
    blank = blank + count if blank < 0 else blank
    if not 0 <= blank < count:
        raise ValueError(f"blank_index must be within the {count} classes, got {blank}")
    if blank != count - 1:
        logits = concat([logits[:, :, :blank], logits[:, :, blank + 1 :], logits[:, :, blank : blank + 1]], axis=2)
        moved = where_v2(labels.values < blank, labels.values, labels.values - 1)
        labels = SparseTensor(labels.indices, moved, labels.dense_shape)
    return ctc_loss(labels=labels, inputs=logits, sequence_length=logit_length, time_major=time_major)
