"""`icefloe saved-model run`."""

from __future__ import annotations

import os
from typing import Any

import click

from icefloe_cli.options import files_option, json_option
from icefloe_cli.output import emit_json, progress
from icefloe_cli.saved_model import tags_of


@click.command()
@click.option("--dir", "directory", required=True, type=click.Path(), help="The directory of the SavedModel.")
@click.option("--tag_set", required=True, metavar="TAG,...", help="The graph with just these tags.")
@click.option("--signature_def", required=True, metavar="KEY", help="The signature to call.")
@click.option("--inputs", default="", metavar="KEY=FILE[NAME];...", help="Inputs from .npy and .npz files.")
@click.option("--input_exprs", default="", metavar="KEY=LITERAL;...", help="Inputs as literals of Python.")
@click.option("--input_examples", default="", metavar="KEY=[{...}];...", help="Inputs of tf.train.Examples.")
@click.option("--outdir", type=click.Path(file_okay=False), help="Store each output as KEY.npy in this directory.")
@click.option("--overwrite", is_flag=True, help="Replace files in --outdir.")
@files_option()
@json_option()
def run(
    directory: str,
    tag_set: str,
    signature_def: str,
    inputs: str,
    input_exprs: str,
    input_examples: str,
    outdir: str | None,
    overwrite: bool,
    allow_files: tuple[str, ...],
    as_json: bool,
) -> None:
    """Call a signature of a SavedModel and print its outputs, with the flags of saved_model_cli.

    \b
    Examples:
      icefloe saved-model run --dir export/1 --tag_set serve --signature_def serving_default \\
          --input_exprs 'x=[[1, 2]]'
      icefloe saved-model run --dir export/1 --tag_set serve --signature_def classify \\
          --input_examples 'inputs=[{"age": [22.0]}]' --outdir results
    """
    import icefloe
    from icefloe_cli.printing import named_arrays
    from icefloe_cli.sessions import open_model

    with open_model(directory, tags_of(tag_set), allow_files) as model:
        signature = model.signatures[signature_def]
        given = icefloe.saved_model_inputs(inputs, input_exprs, input_examples, required=bool(signature.inputs))
        targets = _targets(outdir, list(signature.outputs), overwrite)
        with progress("running"):
            found = signature(**given)
    if as_json:
        emit_json("saved-model.run", {"signature": signature_def, "outputs": named_arrays(found)})
    for key, value in found.items():
        if not as_json:
            click.echo(f"Result for output key {key}:\n{value}")
        if key in targets:
            _store(targets[key], value)
            click.echo(f"Output {key} is saved to {targets[key]}", err=as_json)


def _targets(outdir: str | None, keys: list[str], overwrite: bool) -> dict[str, str]:
    """Return the file of each output. Raises: FailedPreconditionError if one is there and may not be replaced."""
    import icefloe

    if outdir is None:
        return {}
    targets = {key: os.path.join(outdir, f"{key.replace(os.sep, '_')}.npy") for key in keys}
    for path in targets.values():
        if not overwrite and os.path.exists(path):
            raise icefloe.errors.FailedPreconditionError(
                f'Output file {path} already exists. Add "--overwrite" to overwrite the existing output files.'
            )
    os.makedirs(outdir, exist_ok=True)
    return targets


def _store(path: str, value: Any) -> None:
    import numpy as np

    array = np.asarray(value)
    np.save(path, array.astype("S") if array.dtype == object else array)
