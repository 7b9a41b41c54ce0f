"""`bylaw init`: a starter that works, to be changed."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

from bylaw.errors import Misuse

TEMPLATES = {
    "files": "an agent that reads and writes files of a project",
    "shell": "an agent that runs commands",
    "devops": "an agent that deploys and operates services",
    "research": "an agent that reads the web",
    "payments": "an agent that moves money",
}


@click.command(name="init")
@click.option("--template", type=click.Choice(list(TEMPLATES)), required=True, help="Which starter bundle to write.")
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), help="Where to write it; NAME.yaml here if not given."
)
def command(template: str, output: Path | None) -> None:
    """Write a starter bundle whose examples show what it denies and what it allows."""
    target = output or Path(f"{template}.yaml")
    text = (files("bylaw.cli") / "templates" / f"{template}.yaml").read_text(encoding="utf-8")
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise Misuse(f"{target} is there already; nothing was written") from error
    except OSError as error:
        raise Misuse(f"can't write {target}: {error.strerror}") from error
    click.echo(f"wrote {target}: {TEMPLATES[template]}")
    click.echo(f"try it:    bylaw run {target}")
    click.echo("then:      rename its tools to yours, and load it with CallGuard.from_yaml")
