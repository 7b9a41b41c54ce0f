"""An agent that is a program."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from bylaw.agents.command import CommandAgent
from bylaw.evidence import Effect, Evidence
from bylaw.plan import Cost, Scenario, Subject, Surroundings, Trial, World
from bylaw.sandbox import Workspace


def trial(agent: CommandAgent, prompt: str, workspace: Workspace | None = None) -> Trial:
    subject: Subject = agent
    world: World | None = workspace
    return Trial(id="t", subject=subject, prompt=prompt, scenario=Scenario(world=world, params={"MODEL": "small"}))


def run(agent: CommandAgent, *, prompt: str = "", workspace: Workspace | None = None) -> Evidence:
    """As the harness does it."""

    async def one(surroundings: Surroundings | None) -> Evidence:
        async with agent.open() as instance:
            return await instance.run(trial(agent, prompt, workspace), surroundings)

    async def visit() -> Evidence:
        if workspace is None:
            return await one(None)
        async with workspace.enter(trial(agent, prompt, workspace)) as sandbox:
            return await one(sandbox)

    return asyncio.run(visit())


def detail(evidence: Evidence) -> dict[str, object]:
    (event,) = evidence.events
    assert isinstance(event, Effect)
    assert event.kind == "process"
    return dict(event.detail)


def test_the_prompt_goes_in_and_all_of_stdout_is_the_answer() -> None:
    evidence = run(CommandAgent(command="cat; echo; echo aside >&2"), prompt="Grüße\nan alle")

    assert evidence.output == "Grüße\nan alle\n"
    assert (evidence.failure, evidence.error) == (None, None)
    assert evidence.ms > 0
    assert detail(evidence) == {
        "command": "cat; echo; echo aside >&2",
        "exit_code": 0,
        "ms": evidence.ms,
        "stderr": "aside\n",
    }


def test_the_prompt_is_in_the_variables_as_well() -> None:
    agent = CommandAgent(command='echo "$PROMPT|$TASK"', prompt_variables=("PROMPT", "TASK"))

    assert run(agent, prompt="do it").output == "do it|do it\n"


def test_in_a_sandbox_it_has_the_sandboxes_directory_and_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_CALLER", "s3cret")
    workspace = Workspace(files={"a.txt": "here"}, variables={"WORD": "said"}, id_variables=("ID",))
    agent = CommandAgent(command='cat a.txt; echo " $WORD $MODEL ${ID%-*} [$SECRET_OF_THE_CALLER]"', directory="/")

    assert run(agent, workspace=workspace).output == "here said small sb []\n"


def test_without_a_sandbox_it_has_its_directory_and_little_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_CALLER", "s3cret")
    monkeypatch.setenv("PATH", os.environ["PATH"])
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("HOME", "/home/of/the/caller")
    monkeypatch.delenv("TMPDIR", raising=False)

    output = run(
        CommandAgent(command="exec env", directory=str(tmp_path), prompt_variables=("P",)), prompt="x"
    ).output

    assert output is not None
    variables = dict(line.split("=", 1) for line in output.splitlines())
    own_of_the_shell = {"PWD", "OLDPWD", "SHLVL", "_"}
    assert variables.keys() - own_of_the_shell == {"PATH", "LANG", "HOME", "P"}
    assert variables["HOME"] == "/home/of/the/caller"
    assert os.path.realpath(variables["PWD"]) == os.path.realpath(tmp_path)


def test_an_exit_code_is_a_failure_and_the_output_is_still_there() -> None:
    evidence = run(CommandAgent(command="echo half; echo why >&2; exit 4"))

    assert evidence.output == "half\n"
    assert evidence.failure == "the command `echo half; echo why >&2; exit 4` ended with exit code 4: why"
    assert detail(evidence)["exit_code"] == 4


def test_a_kill_is_a_failure() -> None:
    evidence = run(CommandAgent(command="kill -9 $$"))

    assert evidence.failure == "the command `kill -9 $$` was killed by SIGKILL"
    assert detail(evidence)["exit_code"] == 137


def test_being_out_of_time_is_a_failure() -> None:
    evidence = run(CommandAgent(command="echo half; exec sleep 600", timeout_s=1.0))

    assert evidence.output == "half\n"
    assert evidence.failure == (
        "the command `echo half; exec sleep 600` was still running after 1 s, its time limit, and was ended"
    )
    assert detail(evidence)["exit_code"] is None


def test_an_end_that_nobody_saw_is_a_failure() -> None:
    failure = run(CommandAgent(command="echo fine; kill -9 $PPID; sleep 600")).failure

    assert failure is not None
    assert "nobody saw how it ended" in failure


def test_an_output_too_long_to_keep_is_a_failure() -> None:
    evidence = run(CommandAgent(command="head -c 200000000 /dev/zero | tr '\\0' a"))

    missing = 200_000_000 - 10 * 1024 * 1024
    assert evidence.failure == f"its output is too long to be kept: {missing} bytes of it are missing"
    assert evidence.output is not None
    assert f"\n[… {missing} bytes left out …]\n" in evidence.output


def test_a_long_stderr_is_cut_and_its_end_told() -> None:
    evidence = run(CommandAgent(command="yes no | head -n 100000 >&2; echo last >&2; exit 1"))

    assert evidence.failure is not None
    assert evidence.failure.endswith("last")
    assert len(evidence.failure) < 3000
    assert len(str(detail(evidence)["stderr"])) < 21_000


@pytest.mark.parametrize(
    ("agent", "prompt", "why"),
    [
        (
            CommandAgent(command="true", directory="/no/such"),
            "",
            "the directory `/no/such` can't be used: no such file or directory",
        ),
        (
            CommandAgent(command="true", prompt_variables=("P",)),
            "x" * 10_000_000,
            "its arguments and environment are longer than the system takes",
        ),
    ],
)
def test_a_command_that_cannot_start_is_an_error(agent: CommandAgent, prompt: str, why: str) -> None:
    assert run(agent, prompt=prompt) == Evidence(error=f"the command `true` could not be started: {why}")


def test_text_that_is_no_utf8_is_replaced_both_ways() -> None:
    assert run(CommandAgent(command="cat; printf '\\377'"), prompt="a\ud800").output == "a?\N{REPLACEMENT CHARACTER}"


def test_its_cost_is_one_call_and_any_number_may_run() -> None:
    agent = CommandAgent(command="true")

    assert agent.slots is None
    assert agent.cost == Cost(agent_calls=1)
