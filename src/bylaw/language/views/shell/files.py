"""What a script itself put into files, by their bare names: it may run them a moment later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bylaw.language.views.shell.unknown import is_known

_COPIERS: Final = frozenset(("cp", "ln", "mv", "install"))
MOST: Final = 64


def _bare(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


class Files:
    """Texts that were written, and programs that were given another name. Which directory is meant is not known."""

    def __init__(self) -> None:
        self._texts: dict[str, str | None] = {}
        self._programs: dict[str, dict[str, None]] = {}

    def write(self, path: str, text: str | None, *, append: bool) -> None:
        """None is a text that is not known."""
        name = _bare(path)
        before = self._texts.get(name, "") if append else ""
        self._texts[name] = None if text is None or before is None else before + text

    def was_written(self, path: str) -> bool:
        return _bare(path) in self._texts

    def text(self, path: str) -> str | None:
        return self._texts.get(_bare(path))

    def note(self, words: Sequence[str]) -> None:
        """What the command copies, links or remembers under another name."""
        operands = [word for word in words[1:] if not word.startswith("-")]
        if words[0] == "hash" and "-p" in words and len(operands) > 1:
            self._name(operands[0], operands[1])
        elif words[0] in _COPIERS and len(operands) == 2:
            self._name(*operands)
            if self.was_written(operands[0]):
                self._texts[_bare(operands[1])] = self.text(operands[0])

    def _name(self, source: str, target: str) -> None:
        old, new = _bare(source), _bare(target)
        if old != new and is_known(old) and is_known(new) and len(self._programs) < MOST:
            self._programs.setdefault(new, {})[old] = None

    def programs(self, name: str) -> tuple[str, ...]:
        """The programs that the name may stand for, beside its own."""
        return tuple(self._programs.get(name, ()))
