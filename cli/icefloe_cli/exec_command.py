"""`icefloe exec`: run a script written for TensorFlow 1 as it is."""

from __future__ import annotations

import click


class _AsPython(click.Command):
    """A command whose arguments are Python's: all that follows the script is the script's, options too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] in ("-h", "--help"):
            return super().parse_args(ctx, args)
        return super().parse_args(ctx, ["--", *args])


@click.command("exec", cls=_AsPython)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="SCRIPT.py [ARG]...")
@click.pass_context
def exec_(ctx: click.Context, command: tuple[str, ...]) -> None:
    """Run SCRIPT.py unchanged: its `import tensorflow as tf` gives icefloe's names.

    As python does, it also takes -m MODULE, -c CODE, and - for a script from stdin; what follows is the script's own.
    `tensorflow`, `tensorflow.compat.v1`, modules below `tensorflow.python` and messages of `tensorflow.core` are there
    in the script, in what it imports and in Pythons that it starts. An installed TensorFlow is not imported.

    A name that icefloe does not have ends the script with exit code 1 and one line that says which name, where, and
    what there is instead; `icefloe --debug exec ...` shows the traceback as well. Otherwise errors look as Python
    prints them and exit codes are the script's.

    \b
    Examples:
      icefloe exec train.py --steps=100
      icefloe exec -m trainer.task --job-dir out
      icefloe exec -c 'import tensorflow as tf; print(tf.Session().run(tf.constant(1) + 2))'
      icefloe exec - < script.py
    """
    import icefloe

    first = command[0]
    if first.startswith("-") and first != "-" and first[:2] not in ("-m", "-c"):
        raise click.UsageError(f"No such option {first!r} before a script; options after it are the script's.")
    if first in ("-m", "-c") and len(command) == 1:
        raise click.UsageError(f"{first} needs {'a module' if first == '-m' else 'code'}.")
    ctx.exit(icefloe.exec_script(command, debug=ctx.obj["debug"]))
