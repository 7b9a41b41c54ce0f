"""Stand-ins for tests: a model server that answers by a script."""

from bylaw.testing.loading import script_from_file, script_from_text, script_from_values
from bylaw.testing.model import ScriptedModel, ScriptNotFollowed
from bylaw.testing.received import Received, Refused, Unused
from bylaw.testing.script import Script

__all__ = [
    "Received",
    "Refused",
    "Script",
    "ScriptNotFollowed",
    "ScriptedModel",
    "Unused",
    "script_from_file",
    "script_from_text",
    "script_from_values",
]
