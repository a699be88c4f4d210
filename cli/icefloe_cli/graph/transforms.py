"""`icefloe graph strip`, `extract`, `optimize` and `fix`: a graph in, a graph out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from icefloe_cli.graph.transformed import show_report, write_result
from icefloe_cli.graph_input import read_graph
from icefloe_cli.options import json_option

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _options(with_inputs: bool = True) -> Decorator:
    """Return what these commands have in common: the files, the outputs, the inputs, the check."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        options: list[Decorator] = [
            click.argument("graph", type=click.Path()),
            click.option(
                "-o", "--output", required=True, type=click.Path(dir_okay=False), help="The new graph; - is stdout."
            ),
            click.option("--fetch", "outputs", multiple=True, metavar="NAME", help="An output. May be repeated."),
        ]
        if with_inputs:
            options.append(
                click.option("--feed", "inputs", multiple=True, metavar="NAME", help="Feed this in place of its node.")
            )
        options += [
            click.option("--no-check", is_flag=True, help="Do not run old and new on random values."),
            json_option(),
        ]
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _finish(command: str, graph: str, output: str, result: Any, as_json: bool) -> None:
    write_result(result, output)
    show_report(command, graph, output, result, as_json)


@click.command("extract")
@_options()
def extract(
    graph: str, output: str, outputs: tuple[str, ...], inputs: tuple[str, ...], no_check: bool, as_json: bool
) -> None:
    """Write the part of GRAPH that its outputs need, and nothing else changed.

    Without --fetch the outputs of signatures are meant, or else the likeliest output. A tensor named by --feed becomes
    a placeholder, and what made it goes.

    \b
    Examples:
      icefloe graph extract detector.pb --fetch features:0 -o backbone.pb
      icefloe graph extract detector.pb --feed features:0 --fetch boxes:0 -o head.pb
    """
    import icefloe

    result = icefloe.graphs.extract(read_graph(graph), outputs or None, inputs, check=not no_check)
    _finish("graph.extract", graph, output, result, as_json)


@click.command("strip")
@_options()
@click.option("--keep-training", is_flag=True, help="Keep Identity, StopGradient and CheckNumerics nodes.")
@click.option("--keep-checks", is_flag=True, help="Go on waiting for assertions.")
@click.option("--devices", is_flag=True, help="Take device pins out.")
@click.option("--notes", is_flag=True, help="Take recorded shapes, colocation and other notes out.")
def strip(
    graph: str,
    output: str,
    outputs: tuple[str, ...],
    inputs: tuple[str, ...],
    no_check: bool,
    as_json: bool,
    keep_training: bool,
    keep_checks: bool,
    devices: bool,
    notes: bool,
) -> None:
    """Write GRAPH without what its outputs do not need: other nodes, checks, summaries, nodes of training.

    \b
    Examples:
      icefloe graph strip frozen.pb -o small.pb
      icefloe graph strip frozen.pb --fetch softmax --devices --notes -o small.pb
    """
    import icefloe

    result = icefloe.graphs.strip(
        read_graph(graph),
        outputs or None,
        inputs,
        training=not keep_training,
        checks=not keep_checks,
        devices=devices,
        notes=notes,
        check=not no_check,
    )
    _finish("graph.strip", graph, output, result, as_json)


@click.command("optimize")
@_options()
@click.option("--dropout", is_flag=True, help="Take dropout out too: the graph then gives other values.")
@click.option("--skip", multiple=True, metavar="PASS", help="Leave out a pass, as the report names it.")
def optimize(
    graph: str,
    output: str,
    outputs: tuple[str, ...],
    inputs: tuple[str, ...],
    no_check: bool,
    as_json: bool,
    dropout: bool,
    skip: tuple[str, ...],
) -> None:
    """Write GRAPH made for inference: constants computed, batch normalisations folded, identities and duplicates gone.

    The passes are identities, shapes, constants, batch_norms and duplicates. Old and new are run on the same random
    values; where they differ by more than rounding, nothing is written.

    \b
    Examples:
      icefloe graph optimize frozen.pb -o fast.pb
      icefloe graph optimize frozen.pb --skip duplicates --fetch softmax -o fast.pb --json
    """
    import icefloe

    passes = ["identities", "shapes", "constants", "batch_norms", "duplicates", *(["dropout"] if dropout else [])]
    unknown = set(skip) - set(passes)
    if unknown:
        raise click.BadParameter(f"no such pass: {', '.join(sorted(unknown))}", param_hint="--skip")
    result = icefloe.graphs.optimize(
        read_graph(graph),
        outputs or None,
        inputs,
        passes=[name for name in passes if name not in skip],
        check=not no_check,
    )
    _finish("graph.optimize", graph, output, result, as_json)


@click.command("fix")
@_options(with_inputs=False)
@click.option("--keep-devices", is_flag=True, help="Keep device pins.")
def fix(graph: str, output: str, outputs: tuple[str, ...], no_check: bool, as_json: bool, keep_devices: bool) -> None:
    """Write GRAPH repaired, so that TensorFlow and other tools read it.

    Repaired are ops on references where a freezer left constants (float against float_ref), TPU wrappers, control
    inputs on nodes that are gone, attrs that are missing or that an op does not have, recorded shapes that are wrong,
    and device pins.

    \b
    Examples:
      icefloe graph fix frozen.pb -o fixed.pb
      icefloe graph fix frozen.pb -o fixed.pbtxt --json
    """
    import icefloe

    result = icefloe.graphs.fix(
        read_graph(graph, broken=True), outputs or None, devices=not keep_devices, check=not no_check
    )
    _finish("graph.fix", graph, output, result, as_json)
