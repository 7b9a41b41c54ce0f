"""What an agent finds around it, and that nothing of it stays."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from bylaw.agents.command import CommandAgent
from bylaw.plan import Scenario, Trial
from bylaw.process import run_program
from bylaw.sandbox import Copy, Sandbox, SetupFailed, Workspace

SUBJECT = CommandAgent(command="true")


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where sandboxes are made; it must be empty again after each."""
    places = tmp_path / "places"
    places.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(places))
    return places


def trial(*, name: str = "t1", seed: int = 7, **params: str) -> Trial:
    return Trial(id=name, subject=SUBJECT, seed=seed, scenario=Scenario(params=params))


def within(
    workspace: Workspace, look: Callable[[Sandbox], Awaitable[object]] | None = None, *, of: Trial | None = None
) -> Sandbox:
    async def visit() -> Sandbox:
        async with workspace.enter(of or trial()) as sandbox:
            if look is not None:
                await look(sandbox)
        return sandbox

    return asyncio.run(visit())


def listed(place: Path) -> list[str]:
    return sorted(entry.name for entry in place.iterdir())


def texts(root: Path) -> dict[str, str]:
    return {str(file.relative_to(root)): file.read_text() for file in root.rglob("*") if file.is_file()}


def files_of(workspace: Workspace) -> dict[str, str]:
    found: dict[str, str] = {}

    async def look(sandbox: Sandbox) -> None:
        found.update(texts(Path(sandbox.directory)))

    within(workspace, look)
    return found


async def sh(sandbox: Sandbox, command: str) -> str:
    ended = await run_program(
        command, directory=sandbox.directory, environment=sandbox.environment, timeout_s=60, keep=1_000_000
    )
    assert ended.exit_code == 0, ended.stderr
    return ended.stdout.decode()


def test_copies_come_first_then_files_then_commands(tmp_path: Path) -> None:
    source = tmp_path / "repo"
    (source / "src").mkdir(parents=True)
    (source / "src" / "a.txt").write_text("copied")
    (source / "b.txt").write_text("copied")
    workspace = Workspace(
        copies=(Copy(source=str(source)), Copy(source=str(source / "src"), target="again/here")),
        files={"b.txt": "written\r\n", "deep/er/c.txt": "é"},
        commands=("cat src/a.txt b.txt > d.txt", "echo $WORD >> d.txt"),
        variables={"WORD": "said"},
    )

    assert files_of(workspace) == {
        "src/a.txt": "copied",
        "again/here/a.txt": "copied",
        "b.txt": "written\n",
        "deep/er/c.txt": "é",
        "d.txt": "copiedwritten\nsaid\n",
    }
    assert (source / "b.txt").read_text() == "copied"


def test_a_files_text_is_written_byte_for_byte() -> None:
    async def look(sandbox: Sandbox) -> None:
        assert (Path(sandbox.directory) / "a").read_bytes() == "a\r\n\r\té".encode()

    within(Workspace(files={"a": "a\r\n\r\té"}), look)


def test_the_environment_is_the_sandboxes_own(monkeypatch: pytest.MonkeyPatch, places: Path) -> None:
    monkeypatch.setenv("SECRET_OF_THE_CALLER", "s3cret")
    monkeypatch.setenv("PATH", os.environ["PATH"])
    monkeypatch.setenv("LANG", "C.UTF-8")
    workspace = Workspace(variables={"A": "1", "MODEL": "default"}, id_variables=("SANDBOX", "ALSO_SANDBOX"))

    async def look(sandbox: Sandbox) -> None:
        place = Path(sandbox.directory).parent
        assert place.parent == places
        assert place.name.startswith("bylaw-")
        assert sandbox.environment == {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(place / "home"),
            "TMPDIR": str(place / "tmp"),
            "A": "1",
            "MODEL": "small",
            "SANDBOX": sandbox.id,
            "ALSO_SANDBOX": sandbox.id,
        }
        assert "s3cret" not in await sh(sandbox, "env")
        assert (await sh(sandbox, "echo x > $HOME/h && mktemp && ls")).startswith(f"{place}/tmp/")
        assert listed(Path(sandbox.directory)) == []

    within(workspace, look, of=trial(MODEL="small"))


def test_the_id_follows_the_trial_and_its_seed() -> None:
    def name(of: Trial) -> str:
        return within(Workspace(), of=of).id

    assert name(trial()) == name(trial())
    assert len({name(trial()), name(trial(name="t2")), name(trial(seed=8))}) == 3
    assert name(trial()).startswith("sb-")


def test_two_at_once_of_one_trial_share_nothing() -> None:
    async def both() -> None:
        workspace = Workspace(files={"a": "1"})
        async with workspace.enter(trial()) as one, workspace.enter(trial()) as other:
            (Path(one.directory) / "a").write_text("2")
            assert one.directory != other.directory
            assert (Path(other.directory) / "a").read_text() == "1"

    asyncio.run(both())


@pytest.mark.parametrize(
    ("workspace", "words"),
    [
        (Workspace(copies=(Copy(source="/no/such"),)), ["`/no/such`", "no such file or directory"]),
        (Workspace(copies=(Copy(source="/bin/sh"),)), ["`/bin/sh`", "not a directory"]),
        (Workspace(copies=(Copy(source="/var/empty", target="../out"),)), ["`../out`", "leaves the workspace"]),
        (Workspace(files={"../out": "x"}), ["`../out`", "leaves the workspace"]),
        (Workspace(files={"/tmp/out": "x"}), ["`/tmp/out`", "absolute"]),
        (Workspace(files={"a": "x", "a/b": "y"}), ["`a/b`", "exists"]),
        (Workspace(files={"a": "\ud800"}), ["`a`", "surrogates"]),
        (Workspace(commands=("echo so-so; echo worse >&2; exit 3",)), ["exit code 3", ": worse"]),
        (Workspace(commands=("echo only-this; exit 3",)), ["exit code 3", ": only-this"]),
        (
            Workspace(commands=("true", "exec sleep 600"), timeout_s=0.3),
            ["`exec sleep 600`", "0.3 s, its time limit"],
        ),
        (Workspace(commands=("true",), variables={"A": "\0"}), ["`true`", "NUL byte"]),
    ],
)
def test_a_step_that_fails_is_named_and_nothing_stays(workspace: Workspace, words: list[str], places: Path) -> None:
    with pytest.raises(SetupFailed) as caught:
        within(workspace)

    assert [word for word in words if word not in str(caught.value)] == []
    assert listed(places) == []


def test_a_file_is_not_written_through_a_link_that_was_copied(tmp_path: Path) -> None:
    source, outside = tmp_path / "repo", tmp_path / "outside"
    source.mkdir()
    outside.mkdir()
    (source / "link").symlink_to(outside)

    with pytest.raises(SetupFailed, match="leaves the workspace through a symbolic link"):
        within(Workspace(copies=(Copy(source=str(source)),), files={"link/a": "x"}))
    assert listed(outside) == []


def test_a_copy_that_fails_says_why_for_one_file_and_counts_the_others(tmp_path: Path) -> None:
    source = tmp_path / "repo"
    source.mkdir()
    for name in ("a", "b"):
        os.mkfifo(source / name)

    with pytest.raises(SetupFailed, match=r"is a named pipe.*and 1 more"):
        within(Workspace(copies=(Copy(source=str(source)),)))


def test_a_directory_is_not_copied_into_itself(tmp_path: Path) -> None:
    with pytest.raises(SetupFailed, match="sandboxes are made in it"):
        within(Workspace(copies=(Copy(source=str(tmp_path)),)))


def test_a_long_complaint_is_cut() -> None:
    with pytest.raises(SetupFailed) as caught:
        within(Workspace(commands=("yes no | head -n 100000 >&2; echo last >&2; exit 1",)))

    assert str(caught.value).endswith("last")
    assert len(str(caught.value)) < 5000


@pytest.mark.parametrize(
    "mess",
    [
        "mkdir -p a/b/c && touch a/b/c/d && chmod 000 a/b/c && chmod 500 a/b && chmod 100 a",
        "chmod 000 . ..",
        "i=0; while [ $i -lt 20000 ]; do : > f$i; i=$((i+1)); done",
        "ln -s / root; ln -s . loop; ln -s nowhere dangling; mkfifo pipe; mkdir -p 'with\nnewline'",
        "cd .. && rm -rf work && ln -s / work",
        "cd .. && rm -rf work home tmp",
        'rm -rf "$PWD/.."',
        'touch "$HOME/x" "$TMPDIR/x" ../x && mkdir ../y',
    ],
)
def test_whatever_the_agent_leaves_is_removed(mess: str, places: Path) -> None:
    async def look(sandbox: Sandbox) -> None:
        await run_program(mess, directory=sandbox.directory, environment=sandbox.environment, timeout_s=60)
        assert listed(places) != []

    within(Workspace(), look)

    assert listed(places) == []


def test_a_tree_deeper_than_any_path_is_removed(places: Path) -> None:
    dig = "import os\nfor _ in range(5000):\n    os.mkdir('directory')\n    os.chdir('directory')"

    async def look(sandbox: Sandbox) -> None:
        await sh(sandbox, f'python3 -c "{dig}"')

    within(Workspace(), look)

    assert listed(places) == []


def test_what_a_link_leads_to_is_left_alone(tmp_path: Path, places: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o755)
    (outside / "kept").write_text("x")

    async def look(sandbox: Sandbox) -> None:
        await sh(sandbox, f"ln -s {outside} link; ln {outside}/kept same; cd ..; mv work w; ln -s {outside} work")

    within(Workspace(), look)

    assert listed(places) == []
    assert (outside / "kept").read_text() == "x"
    assert outside.stat().st_mode & 0o777 == 0o755


def test_a_link_in_the_place_of_the_sandbox_is_not_followed(tmp_path: Path, places: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")

    async def look(sandbox: Sandbox) -> None:
        place = Path(sandbox.directory).parent
        await sh(sandbox, f"cd / && mv {place} {tmp_path}/taken && ln -s {outside} {place}")

    within(Workspace(), look)

    assert listed(places) == []
    assert (outside / "kept").read_text() == "x"


def test_an_exception_in_the_sandbox_comes_out_and_nothing_stays(places: Path) -> None:
    async def look(sandbox: Sandbox) -> None:
        raise RuntimeError("of the harness")

    with pytest.raises(RuntimeError, match="of the harness"):
        within(Workspace(files={"a": "x"}), look)
    assert listed(places) == []


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("setting_up", ["copying", "running"])
def test_cancellation_leaves_nothing(tmp_path: Path, places: Path, times: int, setting_up: str) -> None:
    source = tmp_path / "many"
    source.mkdir()
    for n in range(500):
        (source / str(n)).write_text("x")
    running = tmp_path / "running"

    async def cancelled() -> None:
        async def visit() -> None:
            workspace = Workspace(copies=(Copy(source=str(source)),), commands=(f"touch {running}; exec sleep 600",))
            async with workspace.enter(trial()):
                raise AssertionError("it never gets here")

        task = asyncio.create_task(visit())
        await asyncio.sleep(0)
        while setting_up == "running" and not running.exists():  # noqa: ASYNC110 (a file has no event)
            await asyncio.sleep(0.01)
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())

    assert running.exists() == (setting_up == "running")
    assert listed(places) == []
