"""`icefloe graph downgrade`, `cast`, `unconst`, `rename` and `stitch`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import click

from icefloe_cli.graph.transformed import show_report, write_result
from icefloe_cli.graph_input import read_graph
from icefloe_cli.options import json_option

_FETCH = click.option("--fetch", "outputs", multiple=True, metavar="NAME", help="An output. May be repeated.")
_NO_CHECK = click.option("--no-check", is_flag=True, help="Do not run old and new on random values.")
_OUTPUT = click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False), help="The new graph; - is stdout."
)


@click.command("downgrade")
@click.argument("graph", type=click.Path())
@_OUTPUT
@click.option("--to", "release", required=True, metavar="VERSION", help="The release that is to read it, such as 1.15.")
@_FETCH
@_NO_CHECK
@json_option()
def downgrade(graph: str, output: str, release: str, outputs: tuple[str, ...], no_check: bool, as_json: bool) -> None:
    """Write GRAPH so that an older TensorFlow reads it.

    Attrs that the release does not know are taken out where they say no more than their defaults; newer ops become the
    older ones that compute the same. What has no older form is listed, and nothing is written. `icefloe inspect` says
    which release reads a graph as it is.

    \b
    Examples:
      icefloe graph downgrade frozen.pb --to 1.15 -o old.pb
      icefloe graph downgrade frozen.pb --to 1.4 --fetch softmax -o old.pb --json
    """
    import icefloe

    loaded = read_graph(graph)
    try:
        result = icefloe.graphs.downgrade(loaded, release, outputs or None, check=not no_check)
    except ValueError as error:
        if isinstance(error, icefloe.errors.OpError):
            raise
        raise click.BadParameter(str(error), param_hint="--to") from None
    write_result(result, output)
    show_report("graph.downgrade", graph, output, result, as_json)


@click.command("cast")
@click.argument("graph", type=click.Path())
@_OUTPUT
@_FETCH
@click.option(
    "--to",
    "dtype",
    type=click.Choice(["float16", "half", "bfloat16"]),
    default="float16",
    show_default=True,
    help="half is another name of float16.",
)
@click.option("--min-elements", type=click.IntRange(1), default=16, show_default=True, help="Leave smaller constants.")
@_NO_CHECK
@json_option()
def cast(
    graph: str, output: str, outputs: tuple[str, ...], dtype: str, min_elements: int, no_check: bool, as_json: bool
) -> None:
    """Write GRAPH with its constants stored in 16 bits, and cast back when it runs: half the file.

    \b
    Examples:
      icefloe graph cast frozen.pb -o small.pb
      icefloe graph cast frozen.pb --to bfloat16 --fetch softmax -o small.pb
    """
    import icefloe

    result = icefloe.graphs.cast(
        read_graph(graph),
        outputs or None,
        dtype="half" if dtype == "float16" else dtype,
        min_elements=min_elements,
        check=not no_check,
    )
    write_result(result, output)
    show_report("graph.cast", graph, output, result, as_json)


@click.command("unconst")
@click.argument("graph", type=click.Path())
@click.argument("prefix", type=click.Path())
@_FETCH
@click.option("--min-bytes", type=click.IntRange(1), default=1 << 20, show_default=True, help="Leave smaller ones.")
@_NO_CHECK
@json_option()
def unconst(graph: str, prefix: str, outputs: tuple[str, ...], min_bytes: int, no_check: bool, as_json: bool) -> None:
    """Write GRAPH as PREFIX.meta with its large constants as variables in the checkpoint PREFIX.

    A protocol buffer holds at most 2 GB; a checkpoint has no such limit.

    \b
    Examples:
      icefloe graph unconst frozen.pb model.ckpt
      icefloe restore model.ckpt.meta model.ckpt --fetch softmax:0 --feed x=@x.npy
    """
    import icefloe

    result = icefloe.graphs.unconst(read_graph(graph), prefix, outputs or None, min_bytes=min_bytes, check=not no_check)
    show_report("graph.unconst", graph, f"{prefix}.meta", result, as_json)


@click.command("rename")
@click.argument("graph", type=click.Path())
@click.argument("rules", nargs=-1, required=True, metavar="RULE...")
@_OUTPUT
@_FETCH
@_NO_CHECK
@json_option()
def rename(
    graph: str, rules: tuple[str, ...], output: str, outputs: tuple[str, ...], no_check: bool, as_json: bool
) -> None:
    """Write GRAPH with other names of nodes; inputs, control inputs and colocation follow.

    RULE is a substitution s/PATTERN/TEXT/ with a regular expression, OLD=NEW, or @FILE with a JSON object of names.
    Names in --fetch are those before.

    \b
    Examples:
      icefloe graph rename frozen.pb 's/^import\\///' -o renamed.pb
      icefloe graph rename frozen.pb Placeholder=images Softmax=probabilities -o renamed.pb
    """
    import icefloe

    loaded = read_graph(graph)
    result = icefloe.graphs.rename(loaded, _renaming(rules, loaded), outputs or None, check=not no_check)
    write_result(result, output)
    show_report("graph.rename", graph, output, result, as_json)


def _renaming(rules: tuple[str, ...], graph: Any) -> Callable[[str], str]:
    """Return the function that applies the rules in order. Raises: click.BadParameter for one that is none."""
    names: dict[str, str] = {}
    patterns: list[tuple[re.Pattern[str], str]] = []
    for rule in rules:
        if rule.startswith("@"):
            with open(rule[1:]) as file:
                names.update(json.load(file))
        elif re.match(r"s(\W).*\1.*\1$", rule):
            _, pattern, text, _ = re.split(rf"(?<!\\){re.escape(rule[1])}", rule)
            try:
                patterns.append((re.compile(pattern), text))
            except re.error as error:
                raise click.BadParameter(f"{rule!r}: {error}", param_hint="RULE") from None
        elif "=" in rule:
            old, _, new = rule.partition("=")
            names[old] = new
        else:
            raise click.BadParameter(f"expected s/PATTERN/TEXT/, OLD=NEW or @FILE, got {rule!r}", param_hint="RULE")
    lost = [name for name in names if name not in {op.name for op in graph.get_operations()}]
    if lost:
        raise KeyError(f"the graph has no nodes {', '.join(lost[:10])}")

    def change(name: str) -> str:
        name = names.get(name, name)
        for pattern, text in patterns:
            name = pattern.sub(text, name)
        return name

    return change


@click.command("stitch")
@click.argument("first", type=click.Path())
@click.argument("second", type=click.Path())
@click.option(
    "--join", "joints", multiple=True, required=True, metavar="INPUT=TENSOR", help="Input of SECOND = tensor."
)
@click.option("--prefix", default="", metavar="SCOPE", help="Name scope for the nodes of SECOND.")
@_OUTPUT
@_FETCH
@_NO_CHECK
@json_option()
def stitch(
    first: str,
    second: str,
    joints: tuple[str, ...],
    prefix: str,
    output: str,
    outputs: tuple[str, ...],
    no_check: bool,
    as_json: bool,
) -> None:
    """Write one graph in which tensors of FIRST are the inputs of SECOND.

    \b
    Examples:
      icefloe graph stitch resize.pb classify.pb --join images=resized -o whole.pb
      icefloe graph stitch backbone.pb head.pb --join features:0=out:0 --prefix head -o whole.pb
    """
    import icefloe

    pairs = {}
    for joint in joints:
        old, equals, new = joint.partition("=")
        if not equals:
            raise click.BadParameter(f"expected INPUT=TENSOR, got {joint!r}", param_hint="--join")
        pairs[old] = new
    result = icefloe.graphs.stitch(
        read_graph(first),
        read_graph(second),
        pairs,
        outputs or None,
        prefix=prefix,
        check=not no_check,
    )
    write_result(result, output)
    show_report("graph.stitch", first, output, result, as_json)
