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
    """Asked once for all forms. It answers None where RE2 gave up, which must never look like "found nothing"."""

    def __init__(self, forms: Sequence[str], *, memory: int = _MEMORY) -> None:
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        options.never_capture = True
        options.log_errors = False
        options.max_mem = memory
        together = re2.Set.SearchSet(options)
        for form in (*forms, _EVERYWHERE):
            if together.Add(form) < 0:
                raise re2.error(f"RE2 does not take {form}")
        together.Compile()
        self._sentinel = len(forms)
        # The wrapper around RE2's own set looks whether it is given text; here that is always bytes.
        self._match: Callable[[bytes], list[int] | None] = getattr(together, "_set", together).Match

    def found(self, text: bytes) -> Sequence[int] | None:
        """The numbers of the forms that are in the text, in no order."""
        found = self._match(text)
        if not found:
            return None
        if len(found) == 1:
            return ()
        found.remove(self._sentinel)
        return found
