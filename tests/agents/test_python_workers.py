from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bylaw.agents.python import PythonAgent
from bylaw.plan import Trial

from .python_agents import Place, Write, asked, fault, is_running, run


@pytest.mark.parametrize(
    ("fields", "text", "error"),
    [
        ({}, "def other(p): ...", "`agent:run` does not exist: the module `agent` has no `run`"),
        ({}, "run = 3", "`agent:run` can't be called: it is of type `int`"),
        ({}, "class run: ...", "`agent:run` is a class: name a function, or an instance of it"),
        (
            {"endpoint": "missing:run"},
            "",
            "`missing:run` could not be imported: ModuleNotFoundError: No module named 'missing'",
        ),
        ({"endpoint": "agent"}, "", "`agent` does not name anything: write `module:attr`"),
        (
            {"tools": ("tools:nothing",)},
            "def run(p): ...",
            "`tools:nothing` does not exist: the module `tools` has no `nothing`",
        ),
        (
            {"reset": "agent:nothing"},
            "def run(p): ...",
            "`agent:nothing` does not exist: the module `agent` has no `nothing`",
        ),
    ],
)
def test_an_agent_that_can_not_be_loaded_is_an_error(
    write: Write, fields: dict[str, Any], text: str, error: str
) -> None:
    first, second = run(write(text, **fields), "x", "y", faults=(fault("error"),))
    assert first.error == second.error == error
    assert first.failure is None


def test_an_import_that_fails_is_told_with_its_place(write: Write, tmp_path: Path) -> None:
    (evidence,) = run(write("\nimport json\njson.loads('{')\ndef run(p): ..."), "x")
    assert str(evidence.error).startswith(
        "`agent:run` could not be imported: JSONDecodeError: Expecting property name"
    )
    (evidence,) = run(write("import sys\nsys.exit('not configured')"), "x")
    assert (
        evidence.error
        == f"`agent:run` could not be imported: SystemExit: not configured ({tmp_path}/agent.py, line 2)"
    )


def test_a_process_that_ends_in_the_import_is_told(write: Write) -> None:
    (evidence,) = run(write("import os, sys\nprint('no key', file=sys.stderr, flush=True)\nos._exit(3)"), "x")
    assert evidence.error == "`agent:run` could not be imported: the agent's process ended with exit code 3: no key"


def test_a_directory_that_is_not_there_is_told(tmp_path: Path) -> None:
    (evidence,) = run(PythonAgent(endpoint="agent:run", directory=str(tmp_path / "gone")), "x")
    assert evidence.error == f"the directory `{tmp_path}/gone` can't be used: no such file or directory"


def framed(body: str) -> str:
    return f"len({body}).to_bytes(4, 'big') + {body}"


JUNK = {
    "garbage": "os.urandom(4096)",
    "a huge length": "b'\\xff' * 4",
    "no frame of ours": framed("""b'{"type":"evil"}'"""),
    "a frame for a worker": framed("""b'{"type":"work","prompt":""}'"""),
    "deep nesting": framed("(b'[' * 200_000)"),
    "a pickle": framed("pickle.dumps(print)"),
}


@pytest.mark.parametrize("junk", JUNK)
def test_an_agent_that_writes_nonsense_to_us_fails_and_we_go_on(write: Write, junk: str) -> None:
    agent = write(
        f"""
        import os, pickle, stat, time, tools
        def run(prompt):
            if prompt == "fine": return "fine"
            tools.search("before")
            for fd in map(int, os.listdir("/proc/self/fd")):
                try:
                    if stat.S_ISSOCK(os.fstat(fd).st_mode): os.write(fd, {JUNK[junk]})
                except OSError: pass
            time.sleep(1000)
        """
    )
    bad, fine = run(agent, "bad", "fine")
    assert str(bad.failure).startswith("the agent's process sent what no worker sends: ")
    assert asked(bad) == [("search", {"q": "before"})]
    assert fine.output == "fine"


def test_an_agent_that_closes_all_files_it_finds_fails(write: Write) -> None:
    agent = write(
        """
        import os
        def run(prompt):
            if prompt == "close": os.closerange(3, 100)
            return "fine"
        """
    )
    closed, fine = run(agent, "close", "fine")
    assert str(closed.failure).startswith("the agent's process ended with exit code 1: ")
    assert fine.output == "fine"


def test_an_agent_that_kills_whoever_watches_over_it_is_ended_all_the_same(write: Write, tmp_path: Path) -> None:
    agent = write(
        """
        import os, signal, time
        def run(prompt):
            if prompt == "fine": return "fine"
            open("pid", "w").write(str(os.getpid()))
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(1000)
        """
    )
    bad, fine = run(agent, "bad", "fine")
    assert bad.failure == ("the agent's process was lost, because the one that watches over it was ended by SIGKILL")
    assert fine.output == "fine"
    assert not is_running(int((tmp_path / "pid").read_text()))


def test_a_process_that_the_agent_forks_is_nobody_s_worker(write: Write) -> None:
    agent = write(
        """
        import os, tools
        from multiprocessing import get_context
        def ask(q): return tools.search(q)
        def run(prompt):
            if prompt == "fork":
                if os.fork() == 0: return "from the child"
                os.wait()
                return "from the parent"
            with get_context("fork").Pool(2) as pool:
                return pool.map(ask, ["a", "b"])
        """
    )
    forked, pooled, again = run(agent, "fork", "pool", "fork")
    assert forked.output == again.output == "from the parent"
    assert pooled.output == '["found a","found b"]'
    assert pooled.calls == ()


@pytest.mark.parametrize(
    "leaves",
    [
        "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,), daemon=True).start()",
        "log = open('log', 'w')",
        "import subprocess\nhelper = subprocess.Popen(['cat'], stdin=subprocess.PIPE)",
    ],
)
def test_an_agent_whose_import_leaves_something_behind_is_imported_by_each_worker(
    write: Write, tmp_path: Path, leaves: str
) -> None:
    agent = write(
        f"{leaves}\n"
        "import os, tools\n"
        "imported_by = os.getpid()\n"
        "def run(prompt): return tools.search(imported_by == os.getpid())\n"
    )
    (evidence,) = run(agent, "x", faults=(fault("slow", delay_ms=0),))
    assert (evidence.output, evidence.fired) == ("found True", ("f",))


def test_otherwise_it_is_imported_once_for_all(write: Write, tmp_path: Path) -> None:
    agent = write("import os\nopen('imports', 'a').write('x')\ndef run(prompt): return os.getpid()")

    async def three() -> set[str | None]:
        async with agent.open() as one, agent.open() as two, agent.open() as three:
            found = [await each.run(Trial(id="t", subject=agent), None) for each in (one, two, three)]
            return {evidence.output for evidence in found}

    assert len(asyncio.run(three())) == 3
    assert (tmp_path / "imports").read_text() == "x"


def test_a_directory_may_be_relative(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = write("def run(prompt):\n    import lazy\n    return lazy.WORD")
    (tmp_path / "lazy.py").write_text("WORD = 'late'")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    here = msgspec.structs.replace(agent, directory=".")
    (evidence,) = run(here, "x", place=Place(directory=str(tmp_path / "elsewhere")))
    assert evidence.output == "late"
