"""Summaries of tensors: nodes that make serialized Summary messages, collected to be run together."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

from google.protobuf import json_format

from icefloe import datatypes
from icefloe.graph.build import apply_op
from icefloe.graph.collections import GraphKeys
from icefloe.graph.conversion import convert_to_tensor
from icefloe.graph.default_graph import add_to_collection, get_collection, name_scope
from icefloe.graph.tensor import Tensor
from icefloe.lib import messages
from icefloe.lib.text import as_str_any
from icefloe.proto import SummaryDescription, SummaryMetadata


def _clean(name: str | None) -> str | None:
    """Return a name with `_` for what a tag may not have, and say so."""
    if name is None:
        return None
    clean = re.sub(r"[^-/\w\.]", "_", name).lstrip("/")
    if clean != name:
        messages.info("Summary name %s is illegal; using %s instead.", name, clean)
    return clean


@contextlib.contextmanager
def _scope(
    name: str | None, family: str | None, values: Any, default_name: str | None = None
) -> Iterator[tuple[str, str]]:
    """Enter the scope of a summary and yield its tag and the scope's name."""
    name, family = _clean(name), _clean(family)
    with name_scope(name if family is None else f"{family}/{name}", default_name, values) as scope:
        tag = scope.rstrip("/")
        yield (tag if family is None else f"{family}/{tag}"), scope


def _collected(summary: Tensor, collections: Any) -> Tensor:
    for key in [GraphKeys.SUMMARIES] if collections is None else collections:
        add_to_collection(key, summary)
    return summary


def scalar(name: str, tensor: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """Return the summary of one number.

    collections: where it is added, default GraphKeys.SUMMARIES. family: what comes before its tag.
    """
    with _scope(name, family, [tensor]) as (tag, scope):
        return _collected(apply_op("ScalarSummary", tags=tag, values=tensor, name=scope), collections)


def image(name: str, tensor: Any, max_outputs: int = 3, collections: Any = None, family: str | None = None) -> Tensor:
    """Return the summary of up to `max_outputs` images of a batch, as PNG."""
    with _scope(name, family, [tensor]) as (tag, scope):
        summary = apply_op("ImageSummary", tag=tag, tensor=tensor, max_images=max_outputs, name=scope)
        return _collected(summary, collections)


def histogram(name: str, values: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """Return the summary of how values are distributed."""
    with _scope(name, family, [values], "HistogramSummary") as (tag, scope):
        return _collected(apply_op("HistogramSummary", tag=tag, values=values, name=scope), collections)


def audio(
    name: str, tensor: Any, sample_rate: Any, max_outputs: int = 3, collections: Any = None, family: str | None = None
) -> Tensor:
    """Return the summary of up to `max_outputs` clips of a batch, as WAV."""
    with _scope(name, family, [tensor]) as (tag, scope):
        rate = convert_to_tensor(sample_rate, dtype=datatypes.float32, name="sample_rate")
        inputs = {"tag": tag, "tensor": tensor, "sample_rate": rate}
        return _collected(apply_op("AudioSummaryV2", **inputs, max_outputs=max_outputs, name=scope), collections)


def text(name: str, tensor: Any, collections: Any = None) -> Tensor:
    """Return the summary of strings. Raises: ValueError for another dtype."""
    if tensor.dtype != datatypes.string:
        raise ValueError(f"Expected tensor {tensor.name} to have dtype string, got {tensor.dtype}")
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="text"))
    return tensor_summary(name=name, tensor=tensor, summary_metadata=metadata, collections=collections)


def tensor_summary(
    name: str,
    tensor: Any,
    summary_description: Any = None,
    collections: Any = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Tensor:
    """Return the summary of a tensor as it is, with metadata for what shows it."""
    metadata = SummaryMetadata() if summary_metadata is None else summary_metadata
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    with _scope(name, family, [tensor]) as (tag, scope):
        inputs = {"tensor": tensor, "tag": tag, "serialized_summary_metadata": metadata.SerializeToString()}
        return _collected(apply_op("TensorSummaryV2", **inputs, name=scope), collections)


def merge(inputs: Any, collections: Any = None, name: str | None = None) -> Tensor:
    """Return one summary of all in `inputs`; it is added to no collection by default."""
    name = _clean(name)
    with name_scope(name, "Merge", inputs):
        return _collected(apply_op("MergeSummary", inputs=inputs, name=name), collections or [])


def merge_all(key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None) -> Tensor | None:
    """Return one summary of all in a collection, None if there is none."""
    found = get_collection(key, scope)
    return merge(found, name=name) if found else None


def get_summary_description(node_def: Any) -> Any:
    """Return the SummaryDescription in a TensorSummary node. Raises: ValueError for another node."""
    if node_def.op != "TensorSummary":
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    description = SummaryDescription()
    json_format.Parse(as_str_any(node_def.attr["description"].s), description)
    return description
