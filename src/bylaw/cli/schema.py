"""`bylaw schema`: what editors need to complete and check a contract file."""

from __future__ import annotations

import click
import msgspec

from bylaw.formats import formats

_LISTED = "\n".join(f"  {name:<10}  {known.title}" for name, known in sorted(formats().items()))


@click.command(name="schema", epilog=f"\b\nFormats:\n{_LISTED}")
@click.argument("format_name", metavar="FORMAT", type=click.Choice(sorted(formats())))
def command(format_name: str) -> None:
    """Print the JSON Schema of FORMAT.

    Refer to it from a file with a first line `# yaml-language-server: $schema=PATH`.
    """
    click.echo(msgspec.json.format(msgspec.json.encode(formats()[format_name].schema()), indent=2))
