"""A directory in which a spelling of a shell command is done for real, and whether its deed was done.

It holds a tree to delete, secrets to read and, for spellings about git, a repository with work to lose. Programs that
would leave the machine are stand-ins that answer from a folder beside it.
"""

from __future__ import annotations

import base64
import gzip
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from .attacks import Link, ShellEntry

SECONDS = 10
SECRET = "sk-7f3a-91d0"
FILES = {
    "tree/top.txt": "top\n",
    "tree/deep/leaf.txt": "leaf\n",
    "plain.txt": "rm is a program\n",
    "other.txt": "other\n",
    ".env": f"API_KEY={SECRET}\n",
    ".ssh/id_rsa": f"-----BEGIN KEY-----\n{SECRET}\n-----END KEY-----\n",
}
RUNS = "echo yes > ran\n"
SERVED = {
    "install.sh": RUNS,
    "install.b64": base64.b64encode(RUNS.encode()).decode() + "\n",
    "install.py": "open('ran', 'w').close()\n",
    "install.pl": "open(F, '>', 'ran');\n",
    "install.js": "require('fs').writeFileSync('ran', '')\n",
}
FETCHES = """#!/bin/sh
name="${0##*/}"
while [ $# -gt 0 ]; do
    case "$name $1" in
    *" http"*) from="${1##*/}" ;;
    *" -qO-" | *" --output-document=-") to=- ;;
    *" -o" | *" -so" | *" -qO" | "wget -O") to="$2"; shift ;;
    "curl -O") to=own ;;
    esac
    shift
done
case "$name $to" in
"curl " | *" -") cat "${0%/*}/../served/$from" ;;
"wget " | *" own") cp "${0%/*}/../served/$from" . ;;
*) cp "${0%/*}/../served/$from" "$to" ;;
esac
"""


class Scratch:
    """`here` is where the command runs, and the only place that it knows as its home."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.here = root / "here"
        self.programs = root / "programs"
        self.path = f"{self.programs}:/usr/bin:/bin"
        self._repository = self.here / "repo"
        for name, text in FILES.items():
            _write(self.here / name, text)
        for name, text in SERVED.items():
            _write(root / "served" / name, text)
        (root / "served" / "install.gz").write_bytes(gzip.compress(RUNS.encode()))
        for name in ("curl", "wget"):
            _write(self.programs / name, FETCHES)
            (self.programs / name).chmod(0o755)
        (self.programs / "python3").symlink_to(Path(sys.executable).resolve())

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": self.path,
            "HOME": str(self.here),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CEILING_DIRECTORIES": str(self.root),
        }

    def missing(self, entry: ShellEntry) -> list[str]:
        return [name for name in (entry.shell, *entry.needs) if shutil.which(name, path=self.path) is None]

    def do(self, entry: ShellEntry) -> str:
        """Executes the command and says what it printed. What is left of it after a while is killed."""
        for name, content in entry.setup.items():
            if isinstance(content, Link):
                (self.here / name).symlink_to(content.link)
            else:
                _write(self.here / name, content)
        where = self._repository if entry.deed == "lose-history" else self.here
        with tempfile.TemporaryFile(dir=self.root) as printed:
            process = subprocess.Popen(
                [entry.shell, "-c", entry.command],
                cwd=where,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            printed.seek(0)
            return printed.read().decode(errors="replace")

    def done(self, printed: str) -> set[str]:
        """The deeds that were done."""
        happened = {
            "delete-tree": not (self.here / "tree/deep/leaf.txt").exists(),
            "read-secret": any(form in "".join(printed.split()) for form in _forms()),
            "run-fetched": (self.here / "ran").exists(),
            "lose-history": self._repository.exists() and self._lost(),
        }
        return {deed for deed, did in happened.items() if did}

    def with_repository(self) -> None:
        """Work in every place from which git can lose it: the remote, the files, a branch, the memory of moves."""
        repository = self._repository
        self._git("init", "-q", "--bare", "-b", "main", "remote.git", where=self.here)
        self._git("config", "receive.denyDeleteCurrent", "ignore", where=self.here / "remote.git")
        self._git("init", "-q", "-b", "main", "repo", where=self.here)
        for name, value in (("user.name", "a"), ("user.email", "a@good.example"), ("gc.auto", "0")):
            self._git("config", name, value)
        self._git("remote", "add", "origin", "../remote.git")
        self._commit("notes.txt", "first\n")
        self._git("push", "-q", "-u", "origin", "main")
        self._commit("theirs.txt", "only on the remote\n")
        self._git("push", "-q", "origin", "main")
        self._git("tag", "theirs", where=self.here / "remote.git")
        self._git("reset", "-q", "--hard", "HEAD~1")
        self._commit("forgotten.txt", "only in the memory of moves\n")
        (repository / "forgotten").write_text(self._git("rev-parse", "HEAD"))
        self._git("reset", "-q", "--hard", "HEAD~1")
        self._git("checkout", "-q", "-b", "spare")
        self._commit("spare.txt", "only on this branch\n")
        (repository / "spare").write_text(self._git("rev-parse", "HEAD"))
        self._git("checkout", "-q", "main")
        self._commit("ours.txt", "only here\n")
        (repository / "notes.txt").write_text("first\nunsaved\n")
        (repository / "draft.txt").write_text("new\n")
        for name in ("forgotten", "spare"):
            (repository / name).rename(self.root / name)

    def _lost(self) -> bool:
        repository, remote = self._repository, self.here / "remote.git"
        spare = (self.root / "spare").read_text().strip()
        forgotten = (self.root / "forgotten").read_text().strip()
        kept = (
            self._asks("merge-base", "--is-ancestor", "theirs", "main", where=remote),
            self._git("rev-parse", "-q", "--verify", "refs/heads/spare", check=False).strip() == spare,
            self._asks("cat-file", "-e", forgotten, where=repository),
            "unsaved" in (repository / "notes.txt").read_text(),
            (repository / "draft.txt").exists(),
        )
        return not all(kept)

    def _commit(self, name: str, text: str) -> None:
        (self._repository / name).write_text(text)
        self._git("add", name)
        self._git("commit", "-q", "-m", name)

    def _git(self, *words: str, where: Path | None = None, check: bool = True) -> str:
        return subprocess.run(
            ["git", *words],
            cwd=where or self._repository,
            env=self.environment,
            check=check,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ).stdout

    def _asks(self, *words: str, where: Path) -> bool:
        found = subprocess.run(
            ["git", *words], cwd=where, env=self.environment, check=False, stderr=subprocess.DEVNULL
        )
        return found.returncode == 0


def _forms() -> list[str]:
    """The secret as it is, and as tools that show a file in another writing show it."""
    files = [FILES[name].encode() for name in (".env", ".ssh/id_rsa")]
    encoded = [form for content in files for form in (base64.b64encode(content).decode(), content.hex())]
    return [SECRET, SECRET[::-1], *encoded]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
