"""The audit of every governed call: events, redaction, sinks, and proof that a log was not tampered with."""

from bylaw.guard.audit.chain import Head
from bylaw.guard.audit.events import AuditAction, AuditEvent, ContractRecord, HookRecord, iso_timestamp
from bylaw.guard.audit.file_sink import FileSink
from bylaw.guard.audit.heads import heads_to_log, heads_to_telemetry, read_heads
from bylaw.guard.audit.reading import NotAnEvent, read_events
from bylaw.guard.audit.rotation import log_files
from bylaw.guard.audit.sinks import AuditSink, MemorySink, NullSink, SeveralSinks, SinkFailed, StdoutSink
from bylaw.guard.audit.verification import Verification
from bylaw.guard.audit.verify import verify
from bylaw.redaction import Redaction, Redactor

__all__ = [
    "AuditAction",
    "AuditEvent",
    "AuditSink",
    "ContractRecord",
    "FileSink",
    "Head",
    "HookRecord",
    "MemorySink",
    "NotAnEvent",
    "NullSink",
    "Redaction",
    "Redactor",
    "SeveralSinks",
    "SinkFailed",
    "StdoutSink",
    "Verification",
    "heads_to_log",
    "heads_to_telemetry",
    "iso_timestamp",
    "log_files",
    "read_events",
    "read_heads",
    "verify",
]
