from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from bylaw.evidence import Evidence
from bylaw.plan import Trial

from .python_agents import Write, asked, fault, gone, is_running, run, written


def test_a_thread_that_outlives_its_trial_does_not_end_its_call_in_the_next(write: Write) -> None:
    agent = write(
        """
        import threading, tools
        started, go_on = threading.Event(), threading.Event()
        def hang():
            started.set()
            go_on.wait()
            return "late"
        tools.hang = hang
        def run(prompt):
            if prompt == "first":
                threading.Thread(target=lambda: tools.hang()).start()
                started.wait()
            else:
                go_on.set()
                [thread.join() for thread in threading.enumerate() if thread is not threading.current_thread()]
                tools.search("mine")
        """,
        tools=("tools:search", "agent:tools.hang"),
    )
    first, second = run(agent, "first", "second")
    assert [(call.tool, call.answer) for call in first.calls] == [("hang", None)]
    assert asked(second) == [("search", {"q": "mine"})]


def test_a_crash_keeps_what_was_seen_and_a_new_worker_serves_the_next(write: Write) -> None:
    agent = write(
        """
        import os, sys, tools
        def run(prompt):
            tools.search(prompt)
            if prompt == "crash":
                print("giving up", file=sys.stderr)
                os._exit(3)
            if prompt == "kill":
                os.kill(os.getpid(), 11)
            return "alive"
        """
    )
    evidences = run(agent, "crash", "kill", "go on", faults=(fault("slow", delay_ms=1),))
    assert evidences[0].failure == "the agent's process ended with exit code 3: giving up"
    assert evidences[1].failure == "the agent's process was ended by SIGSEGV"
    assert evidences[2].output == "alive"
    assert [asked(evidence) for evidence in evidences] == [
        [("search", {"q": name})] for name in ("crash", "kill", "go on")
    ]
    assert {evidence.fired for evidence in evidences} == {("f",)}


def test_out_of_time_the_agent_is_ended_and_its_open_call_is_seen(write: Write) -> None:
    agent = write(
        """
        import os, tools
        def run(prompt):
            if prompt == "loop":
                tools.search("first")
                while True: pass
            if prompt == "wait":
                tools.nap(600)
            return "in time"
        """,
        timeout_s=1.5,
    )
    loop, wait, fine = run(agent, "loop", "wait", "fine")
    assert loop.failure == wait.failure == "timed out after 1500 ms"
    assert loop.ms >= 1500
    assert asked(loop) == [("search", {"q": "first"})]
    assert [(call.tool, call.answer) for call in wait.calls] == [("nap", None)]
    assert fine.output == "in time"


def test_a_fault_that_takes_all_the_time_has_fired(write: Write) -> None:
    (evidence,) = run(
        write("import tools\ndef run(prompt): return tools.search(prompt)", timeout_s=1),
        "x",
        faults=(fault("timeout"),),
    )
    assert (evidence.failure, evidence.fired) == ("timed out after 1000 ms", ("f",))
    assert evidence.calls[0].faults == ("f",)


def test_an_agent_that_prints_without_end_is_not_held_up(write: Write) -> None:
    agent = write(
        """
        import os, sys
        def run(prompt):
            for _ in range(50):
                sys.stdout.write("x" * 1_000_000)
                sys.stderr.write("y" * 100_000)
            sys.stderr.write("the last word")
            if prompt == "crash": os._exit(1)
            return "printed"
        """
    )
    printed, crashed = run(agent, "print", "crash")
    assert printed.output == "printed"
    assert str(crashed.failure).endswith("the last word")
    assert len(str(crashed.failure)) < 3000


LEAVES = """
import os, subprocess, sys, time
def daemon():
    inner = "import subprocess as s; print(s.Popen(['sleep', '1000'], start_new_session=True, stdout=-3).pid)"
    return subprocess.check_output([sys.executable, "-c", inner], text=True)
def run(prompt):
    child = subprocess.Popen(["sleep", "1000"])
    away = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    with open("left", "w") as file:
        file.write(f"{child.pid} {away.pid} {daemon()}")
    if prompt == "crash": os._exit(1)
    if prompt == "hang": time.sleep(1000)
    return "left"
"""


@pytest.mark.parametrize("prompt", ["end", "crash", "hang"])
def test_nothing_the_agent_started_is_left(write: Write, tmp_path: Path, prompt: str) -> None:
    run(write(LEAVES, timeout_s=5 if prompt == "hang" else 60), prompt)
    left = [int(pid) for pid in (tmp_path / "left").read_text().split()]
    assert len(left) == 3
    assert not any(is_running(pid) for pid in left)


def test_ending_one_worker_leaves_the_children_of_another_alone(write: Write) -> None:
    agent = write(
        """
        import os, subprocess
        def run(prompt):
            if prompt == "crash": os._exit(1)
            return subprocess.check_output("sleep 1000 > /dev/null 2>&1 & echo $!", shell=True, text=True)
        """
    )

    async def both() -> tuple[int, bool]:
        async with agent.open() as keeping, agent.open() as crashing:
            kept = await keeping.run(Trial(id="keep", subject=agent), None)
            await crashing.run(Trial(id="crash", subject=agent, prompt="crash"), None)
            pid = int(str(kept.output))
            return pid, is_running(pid)

    pid, ran_on = asyncio.run(both())
    assert ran_on
    assert not is_running(pid)


def test_what_is_too_large_to_be_kept_is_an_error(write: Write) -> None:
    agent = write(
        """
        import tools
        def run(prompt):
            if prompt == "answer": return "x" * 70_000_000
            if prompt == "call": tools.search("x" * 70_000_000)
            return "x" * 1_000_000
        """
    )
    answer, call, fine = run(agent, "answer", "call", "fine")
    assert str(answer.error).startswith("the trial is too large to be kept: 700000")
    assert str(call.error).startswith("the trial is too large to be kept: 700000")
    assert len(str(fine.output)) == 1_000_000


def test_a_trial_has_a_largest_size(write: Write) -> None:
    agent = write(
        """
        import tools
        def run(prompt):
            if prompt == "fine": return "fine"
            while True: tools.search("x" * 20_000_000)
        """
    )
    bad, fine = run(agent, "bad", "fine")
    assert "more than the 268435456 bytes that a trial may take" in str(bad.failure)
    assert fine.output == "fine"


def test_a_run_that_is_cancelled_leaves_nothing_behind(write: Write, tmp_path: Path) -> None:
    agent = write(
        "import os, time\ndef run(prompt):\n    open('pid', 'w').write(str(os.getpid()))\n    time.sleep(1000)"
    )

    async def give_up() -> None:
        async with agent.open() as instance:
            running = asyncio.create_task(instance.run(Trial(id="t", subject=agent), None))
            await asyncio.to_thread(written, tmp_path / "pid")
            running.cancel()
            await asyncio.wait([running])

    asyncio.run(give_up())
    assert not is_running(int((tmp_path / "pid").read_text()))


def test_an_import_that_does_not_end_can_be_left(write: Write, tmp_path: Path) -> None:
    agent = write("import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(1000)")

    async def give_up() -> None:
        async with agent.open() as instance:
            running = asyncio.create_task(instance.run(Trial(id="t", subject=agent), None))
            await asyncio.to_thread(written, tmp_path / "pid")
            running.cancel()
            await asyncio.wait([running])

    asyncio.run(give_up())
    assert not is_running(int((tmp_path / "pid").read_text()))


def test_our_own_death_ends_the_agent(write: Write, tmp_path: Path) -> None:
    agent = write("import os\ndef run(prompt):\n    open('pid', 'w').write(str(os.getpid()))\n    while True: pass")
    script = """
        import asyncio, sys
        from bylaw.agents.python import PythonAgent
        from bylaw.plan import Trial
        async def main():
            agent = PythonAgent(endpoint="agent:run", directory=sys.argv[1])
            async with agent.open() as instance:
                await instance.run(Trial(id="t", subject=agent), None)
        asyncio.run(main())
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(script), agent.directory]) as us:
        worker = written(tmp_path / "pid")
        us.kill()
    gone(worker)


def test_a_worker_that_died_between_trials_is_replaced(write: Write) -> None:
    agent = write(
        """
        import os, threading, time
        def run(prompt):
            threading.Timer(0.05, os._exit, (1,)).start()
            return os.getpid()
        """
    )

    async def with_a_pause() -> list[Evidence]:
        async with agent.open() as instance:
            first = await instance.run(Trial(id="1", subject=agent), None)
            await asyncio.to_thread(gone, int(str(first.output)))
            return [first, await instance.run(Trial(id="2", subject=agent), None)]

    first, second = asyncio.run(with_a_pause())
    assert second.error is None
    assert first.output != second.output
