"""Reading what an agent finds around it: files, commands, environment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from bylaw.reader import Bad, Document, Node, Problems, Scalar, Text
from bylaw.reader.shapes import wrong_type
from bylaw.sandbox import Copy, Workspace

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)")


class Duration(msgspec.Struct, frozen=True, kw_only=True):
    """The shape of a length of time: `30s`, `5m`, `1h`, or a number of seconds. Read as seconds."""

    says = "a length of time such as `30s` or `5m`"

    def read(self, node: Node, problems: Problems) -> float | Bad:
        if isinstance(node, Scalar):
            if isinstance(node.value, (int, float)) and not isinstance(node.value, bool) and node.value > 0:
                return float(node.value)
            found = _DURATION.fullmatch(node.value) if isinstance(node.value, str) else None
            if found is not None and float(found[1]) > 0:
                return float(found[1]) * _UNITS[found[2]]
        return wrong_type(self, node, problems)

    def schema(self) -> dict[str, Any]:
        return {
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0},
                {"type": "string", "pattern": f"^{_DURATION.pattern}$"},
            ]
        }


Seconds = Annotated[float, Duration()]


class Setup(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`setup`"

    commands: Annotated[tuple[str, ...], "run with `sh -c` before the agent"] = ()
    files: Annotated[Mapping[str, str], "path in the workspace to text"] = {}
    env: Annotated[Mapping[str, str], "variables for the agent"] = {}


class DirectoryFixture(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a `directory` fixture"

    type: Literal["directory"]
    source: Annotated[str, Text(min=1), "a directory, relative to this file"] = msgspec.field(name="from")
    path: Annotated[str, Text(min=1), "where it goes in the workspace"] = "."


def make_workspace(
    *,
    setup: Setup | None,
    fixtures: tuple[DirectoryFixture, ...],
    file: Path,
    problems: Problems,
    timeout_s: float,
    id_variables: tuple[str, ...] = (),
) -> Workspace:
    copies = []
    for fixture in fixtures:
        directory = (file.parent / fixture.source).resolve()
        if not directory.is_dir():
            problems.add("no-such-directory", f"there is no directory `{fixture.source}`", fixture.where("from"))
        copies.append(Copy(source=str(directory), target=fixture.path))
    return Workspace(
        files={} if setup is None else setup.files,
        commands=() if setup is None else setup.commands,
        variables={} if setup is None else setup.env,
        copies=tuple(copies),
        id_variables=id_variables,
        timeout_s=timeout_s,
    )
