"""What variables may hold at a place in a script, as far as the script itself says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Self

from bylaw.language.views.shell.unknown import ANYTHING, variable
from bylaw.language.views.unreadable import Unreadable

Value = tuple[str, ...]
"""What a variable holds: an array, of one text for most."""

MOST_VALUES: Final = 256
MOST_NAMES: Final = 256
LONGEST: Final = 65_536

SET_BY_THE_SHELL: Final = frozenset(
    [
        "_",
        "BASHOPTS",
        "BASHPID",
        "BASH_ARGV",
        "BASH_ARGV0",
        "BASH_COMMAND",
        "BASH_EXECUTION_STRING",
        "BASH_REMATCH",
        "COPROC",
        "DIRSTACK",
        "EPOCHREALTIME",
        "EPOCHSECONDS",
        "EUID",
        "FUNCNAME",
        "GROUPS",
        "HISTCMD",
        "LINENO",
        "MAPFILE",
        "OLDPWD",
        "OPTARG",
        "OPTIND",
        "PIPESTATUS",
        "PPID",
        "PWD",
        "RANDOM",
        "REPLY",
        "SECONDS",
        "SHELLOPTS",
        "UID",
    ]
)
"""What stands in these is never what was assigned last."""

AT_FIRST: Final[dict[str, Value]] = {
    "HOME": ("~",),
    "IFS": (" \t\n",),
    "SHELL": ("sh",),
    "BASH": ("bash",),
    "@": (),
}


class Variables:
    """Each name with every value it may have here. What was never assigned comes from outside and is unknown."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[Value, ...]] = {}
        self._fixed: set[str] = set()
        self._wild: set[str] = set()

    def copy(self) -> Self:
        copied = type(self)()
        copied._values = dict(self._values)
        copied._fixed = set(self._fixed)
        copied._wild = set(self._wild)
        return copied

    def is_assigned(self, name: str) -> bool:
        return name in self._values or name in AT_FIRST

    def values(self, name: str) -> tuple[Value, ...]:
        if name in SET_BY_THE_SHELL:
            return ((variable(name),),)
        if name in self._wild:
            return ((ANYTHING,),)
        found = self._values.get(name)
        if found is None:
            return (AT_FIRST.get(name, (variable(name),)),)
        return found

    def assign(self, name: str, values: Iterable[Value]) -> None:
        """The name now holds one of the values; or still what it held, if it may not be assigned."""
        self._values[name] = _bounded(name, (*self._values.get(name, ()), *values) if name in self._fixed else values)
        if len(self._values) > MOST_NAMES:
            raise Unreadable(f"the command has more than {MOST_NAMES} variables")

    def join(self, other: Self) -> set[str]:
        """The names may now hold what they hold in the other, too; gives those for which that is more than before."""
        more: set[str] = set()
        for name in self._values.keys() | other._values.keys():
            before, there = self.values(name), other.values(name)
            if before != there and not set(there) <= set(before):
                self._values[name] = _bounded(name, (*before, *there))
                more.add(name)
        self._fixed |= other._fixed
        self._wild |= other._wild
        return more

    def fix(self, name: str) -> None:
        """From now on assignments to the name may fail."""
        self._fixed.add(name)

    def loosen(self, name: str) -> None:
        """From now on what is assigned to the name is not what it then holds."""
        self._wild.add(name)

    def forget(self, name: str) -> None:
        self._values.pop(name, None)

    def may_be_unset(self) -> None:
        """What is assigned may be left behind: another shell is only given what is exported."""
        for name, values in self._values.items():
            self._values[name] = _bounded(name, (*values, AT_FIRST.get(name, (variable(name),))))

    def doubt(self, names: Iterable[str] | None = None) -> None:
        """Something may have assigned anything, to these names or to all."""
        for name in tuple(self._values if names is None else names):
            if name != "@":
                self._values[name] = _bounded(name, (*self._values.get(name, ()), (ANYTHING,)))


def _bounded(name: str, values: Iterable[Value]) -> tuple[Value, ...]:
    kept = tuple(dict.fromkeys(values))
    if len(kept) > MOST_VALUES:
        kept = ((ANYTHING,), *kept[:MOST_VALUES])
    if sum(len(text) for value in kept for text in value) > LONGEST:
        raise Unreadable(f"`{name}` may hold too much")
    return kept
