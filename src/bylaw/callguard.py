"""The guard under the names that users of `callguard` know; they change the import and little else.

docs/callguard-differences.md lists what differs.
"""

from typing import TYPE_CHECKING, Any

from bylaw.errors import ConfigError as CallGuardConfigError
from bylaw.guard.audit.events import AuditAction, AuditEvent
from bylaw.guard.audit.file_sink import FileSink as FileAuditSink
from bylaw.guard.audit.heads import heads_to_log, heads_to_telemetry
from bylaw.guard.audit.sinks import AuditSink
from bylaw.guard.audit.sinks import MemorySink as MemoryAuditSink
from bylaw.guard.audit.sinks import NullSink as NullAuditSink
from bylaw.guard.audit.sinks import SeveralSinks as SeveralAuditSinks
from bylaw.guard.audit.sinks import StdoutSink as StdoutAuditSink
from bylaw.guard.decision import Decision, Outcome
from bylaw.guard.decision import Denied as CallGuardDenied
from bylaw.guard.guard import Guard
from bylaw.guard.principal import Principal
from bylaw.guard.python_rules import (
    HookDecision,
    HookRegistration,
    SessionCounts,
    ToolEnvelope,
    Verdict,
    postcondition,
    precondition,
    session_contract,
)
from bylaw.guard.sessions import MemorySessions as MemoryBackend
from bylaw.guard.telemetry import Telemetry
from bylaw.redaction import Redaction as RedactionPolicy

if TYPE_CHECKING:
    from bylaw.guard.sessions.redis import RedisSessions as RedisBackend

__all__ = [
    "AuditAction",
    "AuditEvent",
    "AuditSink",
    "CallGuard",
    "CallGuardConfigError",
    "CallGuardDenied",
    "Decision",
    "FileAuditSink",
    "HookDecision",
    "HookRegistration",
    "MemoryAuditSink",
    "MemoryBackend",
    "NullAuditSink",
    "Outcome",
    "Principal",
    "RedactionPolicy",
    "RedisBackend",
    "SessionCounts",
    "SeveralAuditSinks",
    "StdoutAuditSink",
    "Telemetry",
    "ToolEnvelope",
    "Verdict",
    "heads_to_log",
    "heads_to_telemetry",
    "postcondition",
    "precondition",
    "session_contract",
]


# One class under the name by which its users know it: tracebacks show that, and whoever catches either catches both.
for _known, _name in ((CallGuardDenied, "CallGuardDenied"), (CallGuardConfigError, "CallGuardConfigError")):
    _known.__module__, _known.__name__, _known.__qualname__ = __name__, _name, _name


class CallGuard(Guard):
    """The guard, with the names in telemetry that the format's users look for."""

    telemetry_prefix = "callguard"


def __getattr__(name: str) -> Any:
    """What needs an extra is imported when somebody asks for it."""
    if name != "RedisBackend":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from bylaw.guard.sessions.redis import RedisSessions

    return RedisSessions
