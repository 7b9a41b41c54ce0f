"""The repository as the rules see it: its modules parsed once, its comments by line, its files as git lists them."""

from __future__ import annotations

import ast
import io
import subprocess
import tokenize
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "bylaw"


class Module:
    """A Python file; made from text alone, it is a sample that shows what a rule catches."""

    def __init__(self, text: str, path: Path = PACKAGE / "sample.py") -> None:
        self.text = text
        self.path = path

    @property
    def file(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def name(self) -> str:
        parts = self.path.relative_to(ROOT / "src").with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, filename=str(self.path))

    @cached_property
    def comments(self) -> dict[int, str]:
        """The comment on each line that has one."""
        tokens = tokenize.generate_tokens(io.StringIO(self.text).readline)
        return {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}

    def at(self, line: int) -> str:
        return f"{self.file}:{line}: {self.lines[line - 1].strip()}"

    def nodes(self) -> Iterator[ast.AST]:
        return ast.walk(self.tree)


@cache
def modules(*folders: str) -> tuple[Module, ...]:
    """Every Python file below the folders of the repository."""
    paths = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return tuple(Module(path.read_text(encoding="utf-8"), path) for path in paths)


@cache
def files() -> tuple[Path, ...]:
    """Every file that is, or would be, in the repository."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout, so nothing says which files belong to the repository")
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout
    return tuple(path for name in sorted(filter(None, listed.split("\0"))) if (path := ROOT / name).is_file())
