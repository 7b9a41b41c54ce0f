from __future__ import annotations

import subprocess
import sys
import tracemalloc
import uuid

import pytest

from bylaw.guard.sessions import MemorySessions, SessionsFull


def test_a_new_session_is_refused_when_there_is_no_room() -> None:
    sessions = MemorySessions(capacity=2)
    sessions.take("first", [("a", 5)])
    sessions.take("second", [("a", 5)])
    for use in (sessions.take, sessions.reserve):
        with pytest.raises(SessionsFull, match="no room for session `third`: all 2 are taken; forget the sessions"):
            use("third", [("a", 5)])
    assert sessions.take("first", [("a", 5)]).counts == (2,)
    assert sessions.counts("third") == {}


def test_a_forgotten_session_makes_room() -> None:
    sessions = MemorySessions(capacity=1)
    sessions.take("first", [("a", 5)])
    sessions.forget("first")
    sessions.forget("never heard of")
    assert sessions.take("second", [("a", 5)]).counts == (1,)
    assert len(sessions) == 1


def test_a_place_in_a_forgotten_session_is_no_place_in_its_successor() -> None:
    sessions = MemorySessions()
    old = sessions.reserve("s", [("a", 1)])
    sessions.forget("s")
    sessions.reserve("s", [("a", 1)])
    assert old.lease is not None
    old.lease.give_back()
    assert sessions.counts("s") == {"a": 1}


def test_what_counts_gives_is_a_copy() -> None:
    sessions = MemorySessions()
    sessions.take("s", [("a", 1)])
    before = sessions.counts("s")
    sessions.take("s", [("b", 1)])
    assert before == {"a": 1}


def test_room_for_nobody_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="`capacity` must be at least 1, not 0"):
        MemorySessions(capacity=0)


def test_a_session_needs_less_than_a_kilobyte() -> None:
    """With ten tools, counts too large to be shared, and names that are made anew for every call."""
    sessions, many = MemorySessions(), 300
    tracemalloc.start()
    try:
        for _ in range(many):
            session_id = str(uuid.uuid4())
            for _ in range(260):
                sessions.take(session_id, [("attempts", None)])
            for tool in range(10):
                lease = sessions.reserve(session_id, [("calls", None), (f"calls:a_tool_{tool}", 50)]).lease
                assert lease is not None
                lease.keep()
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(sessions) == many
    assert used / many < 1024


FORKING = """
import os, threading
from bylaw.guard.sessions import MemorySessions

sessions = MemorySessions()
over = threading.Event()

def hammer():
    while not over.is_set():
        sessions.reserve("s", [("a", None), ("b", None)]).lease.give_back()

threads = [threading.Thread(target=hammer) for _ in range(3)]
for thread in threads:
    thread.start()
for _ in range(40):
    child = os.fork()
    if not child:
        counts = sessions.counts("s")
        sessions.take("s", [("a", None)])
        os._exit(0 if counts.get("a") == counts.get("b") else 1)
    assert os.waitpid(child, 0)[1] == 0
over.set()
for thread in threads:
    thread.join()
print(sessions.counts("s"))
"""


def test_a_fork_in_the_midst_of_it_leaves_whole_counters_and_no_lock() -> None:
    ended = subprocess.run([sys.executable, "-c", FORKING], capture_output=True, text=True, check=False, timeout=300)
    assert (ended.returncode, ended.stdout) == (0, "{'a': 0, 'b': 0}\n"), ended.stderr
