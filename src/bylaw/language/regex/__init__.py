"""Regular expressions as Python's `re` reads them, searched in bounded time."""

from bylaw.language.regex.errors import PatternError, RegexLimit
from bylaw.language.regex.escapes import double_escaped
from bylaw.language.regex.pattern import Engine, Pattern, compile_pattern

__all__ = ["Engine", "Pattern", "PatternError", "RegexLimit", "compile_pattern", "double_escaped"]
