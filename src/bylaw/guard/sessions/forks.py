"""Locks that a forked process can use, whichever thread held them when it was forked."""

from __future__ import annotations

import os
from threading import Lock, RLock
from weakref import WeakSet

_known: WeakSet[RLock] = WeakSet()
_one_fork_at_a_time = Lock()
_held: list[RLock] = []


def fork_safe_lock() -> RLock:
    """A lock that nobody holds at the moment of a fork, so that what it guards is whole in the child.

    Its holder must neither fork nor ask for another such lock. It may ask for the same one again: a finalizer or a
    signal can have a lease settled on a thread that is in the midst of taking another.
    """
    lock = RLock()
    with _one_fork_at_a_time:
        _known.add(lock)
    return lock


def _before_a_fork() -> None:
    _one_fork_at_a_time.acquire()
    _held.extend(_known)
    for lock in _held:
        lock.acquire()


def _after_a_fork() -> None:
    for lock in _held:
        lock.release()
    _held.clear()
    _one_fork_at_a_time.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_a_fork, after_in_parent=_after_a_fork, after_in_child=_after_a_fork)
