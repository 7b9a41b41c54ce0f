"""Values without their secrets: by the names of keys, and by the shapes that secrets have anywhere in a text."""

from bylaw.redaction.redactor import MARK, Redaction, Redactor

__all__ = ["MARK", "Redaction", "Redactor"]
