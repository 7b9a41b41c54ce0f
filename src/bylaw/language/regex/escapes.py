"""Finds patterns whose backslashes were doubled where YAML doesn't halve them.

In single quotes or none, YAML hands `\\\\d` to the pattern as it stands, where it means a backslash and the letter d.
A pattern for a Windows path means just that, so a doubled backslash alone is no mistake. It looks like one where what
follows makes sense as an escape and hardly as a part of a path.
"""

import re
import warnings
from typing import Final

RUNS: Final = re.compile(r"\\+")
DRIVE: Final = re.compile(r"(?:(?<![A-Za-z])[A-Za-z]|[A-Za-z]\]):\\\\")
MISTAKES: Final = re.compile(
    r"""
      \\\\ [dDwWsS] (?! [A-Za-z0-9_] )        # a class of characters, not the beginning of a name
    | \\\\ [dDwWsS] (?= [^\[\]]* (?<!\\) \] ) # the same inside brackets
    | (?: ^ (?: \(\?[a-z]+\) )? | [(|:] ) \\\\ [bB] # a boundary where a word could begin
    | \\\\ [bB] (?: $ | [)|\s] )              # or end
    | \\\\ \. (?! [*+?{] | $ )                # a dot, but not a path's `\\.*`
    | \\\\ [$] (?! $ )
    | \\\\ \[ (?! \^ ) .* \\\\ \]             # but not a path's `\\[^\\]+`
    | \\\\ \( .* \\\\ \)
    | \\\\ \{ (?! [0-9,] )
    | (?<! \[ ) \\\\ /                        # `[\\/]` is how to say either slash
    """,
    re.VERBOSE | re.DOTALL,
)
PATH: Final = re.compile(r"\w\\\\[bB]\w")
"""A boundary between two word characters never holds: these are names of folders."""


def double_escaped(source: str) -> str | None:
    """The pattern with its backslashes halved, if that is likely what was meant."""
    if any(len(run) != 2 for run in RUNS.findall(source)):
        return None
    if not MISTAKES.search(source) or DRIVE.search(source) or PATH.search(source):
        return None
    meant = source.replace("\\\\", "\\")
    return meant if _compiles(meant) else None


def _compiles(source: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(source)
    except (re.error, OverflowError, RecursionError):
        return False
    return True
