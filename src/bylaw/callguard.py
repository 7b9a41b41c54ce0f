"""The guard under the names that users of `callguard` know; they change the import and little else.

docs/callguard-differences.md lists what differs.
"""

from bylaw.errors import ConfigError as CallGuardConfigError
from bylaw.guard.audit.events import AuditAction, AuditEvent
from bylaw.guard.audit.file_sink import FileSink as FileAuditSink
from bylaw.guard.audit.redaction import Redaction as RedactionPolicy
from bylaw.guard.audit.sinks import AuditSink
from bylaw.guard.audit.sinks import MemorySink as MemoryAuditSink
from bylaw.guard.audit.sinks import StdoutSink as StdoutAuditSink
from bylaw.guard.decision import Denied as CallGuardDenied
from bylaw.guard.guard import Guard as CallGuard
from bylaw.guard.principal import Principal
from bylaw.guard.python_rules import (
    HookDecision,
    HookRegistration,
    ToolEnvelope,
    Verdict,
    postcondition,
    precondition,
    session_contract,
)
from bylaw.guard.sessions import MemorySessions as MemoryBackend

__all__ = [
    "AuditAction",
    "AuditEvent",
    "AuditSink",
    "CallGuard",
    "CallGuardConfigError",
    "CallGuardDenied",
    "FileAuditSink",
    "HookDecision",
    "HookRegistration",
    "MemoryAuditSink",
    "MemoryBackend",
    "Principal",
    "RedactionPolicy",
    "StdoutAuditSink",
    "ToolEnvelope",
    "Verdict",
    "postcondition",
    "precondition",
    "session_contract",
]
