"""Counters of many sessions: places are taken before a tool runs, and settled when it has run."""

from bylaw.guard.sessions.ledger import SessionLedger
from bylaw.guard.sessions.memory import MemorySessions
from bylaw.guard.sessions.places import BackendGone, Lease, NotCounted, Reserved, Sessions, SessionsFull

__all__ = [
    "BackendGone",
    "Lease",
    "MemorySessions",
    "NotCounted",
    "Reserved",
    "SessionLedger",
    "Sessions",
    "SessionsFull",
]
