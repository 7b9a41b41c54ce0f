"""How a silenced warning must read: which one, and why, in the same comment."""

from __future__ import annotations

import re

_CODES = r"(?P<codes>[A-Za-z][\w-]*(?:\s*,\s*[A-Za-z][\w-]*)*)"
_KINDS = (
    re.compile(rf"#\s*(?:ruff:\s*)?noqa\b(?::\s*{_CODES})?(?P<rest>.*)", re.IGNORECASE),
    re.compile(rf"#\s*type:\s*ignore\b(?:\[{_CODES}\])?(?P<rest>.*)"),
)
_WORD = re.compile(r"[^\W\d_]{2,}")


def suppressions(comment: str) -> list[tuple[tuple[str, ...], str]]:
    """The codes and the reason of each; none of either where it does not say."""
    found = []
    for kind in _KINDS:
        if said := kind.search(comment):
            codes = tuple(code.strip() for code in (said["codes"] or "").split(",") if code.strip())
            reason = re.split(r"#\s*(?:noqa|type:\s*ignore)", said["rest"])[0].strip(" #-:()")
            found.append((codes, reason if _WORD.search(reason) else ""))
    return found


def reason_for(code: str, comment: str) -> str:
    return next((reason for codes, reason in suppressions(comment) if code in codes), "")
