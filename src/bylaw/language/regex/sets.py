"""Many forms looked for in one text at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import re2

from bylaw.language.regex.linear import byte_class

_MEMORY = 64 * 1024 * 1024
_EVERYWHERE = ""
"""A form that every text has: where even it is not found, RE2 ran out of memory and said nothing."""


def literal(text: str) -> str:
    """The form that is found exactly where the text is, over its UTF-8 bytes."""
    return "".join(byte_class(1 << byte) for byte in text.encode("utf-8", "surrogatepass"))


class FormSet:
    """Forms, each with the number of whom it belongs to, asked for all at once.

    It answers None where RE2 gave up, which must never look like "found nothing".
    """

    def __init__(self, forms: Sequence[tuple[str, int]], *, memory: int = _MEMORY) -> None:
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        options.never_capture = True
        options.log_errors = False
        options.max_mem = memory
        together = re2.Set.SearchSet(options)
        for form in (*[form for form, _ in forms], _EVERYWHERE):
            if together.Add(form) < 0:
                raise re2.error(f"RE2 does not take {form}")
        together.Compile()
        self.owners = [owner for _, owner in forms]
        # The wrapper around RE2's own set looks whether it is given text; here that is always bytes.
        self._match: Callable[[bytes], list[int] | None] = getattr(together, "_set", together).Match

    def found(self, text: bytes) -> Sequence[int] | None:
        """Whose forms are in the text, in no order."""
        found = self._match(text)
        if not found:
            return None
        if len(found) == 1:
            return ()
        owners = self.owners
        everywhere = len(owners)
        if len(found) == 2:
            return (owners[found[0] if found[1] == everywhere else found[1]],)
        return [owners[number] for number in found if number != everywhere]
