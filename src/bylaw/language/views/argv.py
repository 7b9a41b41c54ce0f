"""Shell command lines, as the commands they would run."""

from __future__ import annotations

import re
from typing import Final

from bylaw.language.views.shell.walk import Walk
from bylaw.language.views.unreadable import Unreadable

LONGEST: Final = 65_536
_MEANINGLESS = re.compile("[\x00\ufdd0-\ufdef]")


def argv(value: str) -> tuple[str, ...]:
    """One text for each command that the line may run, in a normal form that does not depend on how it was written.

    Words are shown without their quotes, joined by single blanks; the program by its bare name; the flags of
    programs that do harm as single letters, sorted, before the operands. A word with blanks or quotes of its own is
    shown in quotes, a flag's value after the flag. What wrappers, shells and substitutions run is there, too.

    - `> file` and `>> file` are redirections, `NAME=value` is an assignment. `< file` is one, too, or any word that
      may name a file which a command reads.
    - `<unknown>` is a program that the text alone does not tell. In an argument, `$NAME` is a variable from outside,
      `$(...)` is what some command prints. Where such a part may be empty, the command without it is there, too.
    - `sh <stdin>` is a shell that runs what it reads, `python <stdin>` another interpreter that does.
    - `python <code> …` is code for another interpreter.
    """
    if len(value) > LONGEST:
        raise Unreadable(f"the command is longer than {LONGEST} characters")
    if _MEANINGLESS.search(value):
        raise Unreadable("the command has a character that no shell can read")
    walk = Walk()
    try:
        walk.whole(value)
    except RecursionError:
        raise Unreadable("the command is nested too deeply") from None
    return tuple(walk.found)
