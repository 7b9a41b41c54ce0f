"""Files to plans and policies. Each format is one module here with a `FORMAT`; nothing else knows its name."""

from bylaw.formats.format import Context, Format
from bylaw.formats.loading import Loaded, formats, load_paths

__all__ = ["Context", "Format", "Loaded", "formats", "load_paths"]
