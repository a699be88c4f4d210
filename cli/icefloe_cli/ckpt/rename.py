"""`icefloe ckpt rename`."""

from __future__ import annotations

import click

from icefloe_cli.ckpt.editing import edit_options, listing, one_output, show_json, summary, transfer, unmatched
from icefloe_cli.output import count, note


@click.command("rename")
@click.argument("checkpoint", type=click.Path())
@click.option("-s", "--rule", "rules", multiple=True, metavar="s/OLD/NEW/", help="As sed: any delimiter, flags g, i.")
@click.option("--regex", metavar="PATTERN", help="A regular expression; every match becomes --replace.")
@click.option("--replace", metavar="TEXT", help=r"What takes the place of --regex; \1 is its first group.")
@click.option("--map", "mapping", type=click.Path(), metavar="FILE", help="Old and new names: .json, .csv or .tsv.")
@click.option("--prefix", default="", help="Put this before all names.")
@click.option("--strip-prefix", default="", help="Take this off names that begin with it.")
@click.option("--meta", is_flag=True, help="Rename in the .meta beside it too: nodes, collections, Saver.")
@click.option("--strip-devices", "--strip-device", is_flag=True, help="With --meta: leave out the devices of nodes.")
@edit_options()
def rename(
    checkpoint: str,
    output_argument: str | None,
    rules: tuple[str, ...],
    regex: str | None,
    replace: str | None,
    mapping: str | None,
    prefix: str,
    strip_prefix: str,
    meta: bool,
    strip_devices: bool,
    output: str | None,
    verify: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Give the tensors of CHECKPOINT other names; the data are copied as they are.

    The map comes first; what it does not name goes through --strip-prefix, the rules in their order, and --prefix.
    Two tensors that would get one name are refused. Slices of partitioned tensors go along, and so do the object
    graph and its full names.

    \b
    Examples:
      icefloe ckpt rename model.ckpt new.ckpt -s 's,^old/,new/,'
      icefloe ckpt rename model.ckpt --map names.csv --dry-run
      icefloe ckpt rename model.ckpt new.ckpt --prefix encoder/ --meta
      icefloe ckpt rename model.ckpt --regex '/weights$' --replace /kernel
    """
    import icefloe

    if (regex is None) != (replace is None):
        raise click.UsageError("--regex and --replace belong together")
    if strip_devices and not meta:
        raise click.UsageError("--strip-devices is about the .meta: give --meta too")
    all_rules: list[str | tuple[str, str]] = [*rules]
    if regex is not None and replace is not None:
        all_rules.append((regex, replace))
    with transfer("renaming") as progress:
        report = icefloe.ckpt.rename(
            checkpoint,
            one_output(output_argument, output),
            all_rules,
            mapping=mapping,
            prefix=prefix,
            strip_prefix=strip_prefix,
            meta=meta,
            strip_devices=strip_devices,
            verify=verify,
            dry_run=dry_run,
            progress=progress,
        )
    unmatched(report.unmatched, "name of the map")
    for name, near in report.suggestions.items():
        note(f"  {name}: did you mean {' or '.join(near)}?")
    if as_json:
        show_json("rename", report)
        return
    listing("renamed", [f"{old} -> {new}" for old, new in report.renamed.items()], full=dry_run)
    listing("full names", [f"{old} -> {new}" for old, new in report.full_names.items()], full=dry_run)
    if not report.renamed and not report.full_names:
        note("no name changes")
    if report.meta is not None:
        click.echo(f"{report.meta}: {count(len(report.renamed_nodes), 'node')} renamed")
        listing("nodes that keep their names, as the new ones are taken", report.kept_nodes)
    summary(report)
