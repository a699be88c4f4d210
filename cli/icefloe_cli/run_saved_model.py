"""`icefloe run` of a SavedModel: call a signature, or fetch from its graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from icefloe_cli.output import progress, shape_text
from icefloe_cli.printing import named_arrays
from icefloe_cli.sessions import checked_value, fetch_name, open_model, read_feeds
from icefloe_cli.values import split_feed


def run_saved_model(
    path: str,
    tags: Sequence[str] | None,
    signature: str | None,
    inputs: Sequence[str],
    fetches: Sequence[str],
    feeds: Sequence[str],
    allow_files: Sequence[str],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the values by name, and the same with what was called as JSON holds it.

    Raises: click.UsageError if it does not say what to call.
    """
    with open_model(path, tags, allow_files) as model:
        if fetches:
            if signature is not None or inputs:
                raise click.UsageError("Either FETCH and --feed, or --signature and --input.")
            names = [fetch_name(model.graph, name) for name in fetches]
            with progress("running"):
                values = model.session.run(names, read_feeds(model.graph, feeds))
            found = {name: value for name, value in zip(names, values, strict=True) if value is not None}
            return found, {"tags": list(model.tags), "fetches": named_arrays(found)}
        if feeds:
            raise click.UsageError("--feed names tensors of the graph, for FETCH; a signature takes --input KEY=VALUE.")
        chosen = _chosen(model, signature)
        given = {}
        for text in inputs:
            key, value = split_feed(text)
            spec = chosen.inputs.get(key)
            given[key] = checked_value(key, value, None if spec is None else spec.dtype)
        missing = [key for key in chosen.inputs if key not in given and key not in chosen.optional]
        if missing:
            unknown = [f"no input {key!r}" for key in given if key not in chosen.inputs]
            has = f"has {', '.join(unknown)}; it takes" if unknown else "takes"
            raise click.UsageError(f"Signature {chosen.name!r} {has}\n{_inputs(chosen)}")
        with progress("running"):
            found = chosen(**given)
        return found, {"tags": list(model.tags), "signature": chosen.name, "outputs": named_arrays(found)}


def _chosen(model: Any, name: str | None) -> Any:
    if name is None:
        names = list(model.signatures)
        name = "serving_default" if "serving_default" in names else names[0] if len(names) == 1 else None
        if name is None:
            listed = ", ".join(names) or "none: give the name of a tensor"
            raise click.UsageError(f"Say which --signature; there are: {listed}")
    return model.signatures[name]


def _inputs(signature: Any) -> str:
    lines = []
    for key, spec in signature.inputs.items():
        dtype = "?" if spec.dtype is None else spec.dtype.name
        optional = " (optional)" if key in signature.optional else ""
        lines.append(f"  --input {key}=VALUE   {dtype} {shape_text(spec.shape)}{optional}")
    return "\n".join(lines)
