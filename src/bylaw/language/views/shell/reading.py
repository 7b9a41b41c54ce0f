"""The words of a command that may name a file which it reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

from bylaw.language.views.shell.consequences import Words
from bylaw.language.views.shell.foreign import interpreter
from bylaw.language.views.shell.normal import git_command
from bylaw.language.views.shell.options import names
from bylaw.language.views.shell.wrappers import WRAPPERS

LONGEST: Final = 1024
"""No path is longer."""

_NAMING: Final = names(
    "ls dir vdir tree exa eza stat du touch mkdir rmdir rm unlink shred trash chmod chown chgrp chattr truncate tee "
    "test [ [[ : true false echo printf export declare typeset local readonly unset alias type which command hash "
    "trap eval basename dirname realpath readlink pwd set ssh ssh-add ssh-copy-id su script kill"
)
"""Programs that do nothing with what is in the files they are given, or for which others do."""

_NAMING_GIT: Final = names(
    "add rm mv status commit check-ignore ls-files checkout restore stash branch switch tag push fetch pull"
)
_PATCHES: Final = frozenset(("-p", "-u", "--patch"))
_LISTING: Final[Mapping[str, frozenset[str]]] = {
    "find": frozenset(("-exec", "-execdir", "-ok", "-okdir")),
    "fd": frozenset(("-x", "-X", "--exec", "--exec-batch")),
    "xargs": frozenset(("-a", "--arg-file")),
    "parallel": frozenset(("-a", "--arg-file")),
    "ssh-keygen": frozenset(("-y", "-e", "-p")),
}
"""Programs that only name files, unless one of these options is there."""

_COPYING: Final = names("cp mv ln install rsync scp")
_CODE_FIRST: Final = names("grep egrep fgrep zgrep rg ag ack sed gsed awk gawk mawk nawk jq yq tr expr rename")
"""Programs whose first operand is code or a pattern, unless an option gave it before."""

_CODE_AFTER = re.compile(r"-[A-Za-z0-9]*[eEcr]|--(?:expression|regexp|eval|command|execute)")
_RUNNING_WORDS: Final = names("ed ex vi vim nvim sqlite3 psql mysql")
_NOT_READ: Final[Mapping[str, frozenset[str]]] = {
    "curl": frozenset(("-o", "--output")),
    "wget": frozenset(("-O", "--output-document")),
    "sort": frozenset(("-o", "--output")),
    "openssl": frozenset(("-out", "-keyout", "-newkey")),
    "scp": frozenset(("-i",)),
    "sftp": frozenset(("-i",)),
    "kubectl": frozenset(("--kubeconfig",)),
    "helm": frozenset(("--kubeconfig",)),
    "ansible-playbook": frozenset(("--private-key", "--key-file")),
    "gh": frozenset(("-t", "--title", "-b", "--body")),
}
"""Options whose value is written to, or used without being shown."""

_LEFT_OUT = re.compile(r"--(?:exclude|ignore|hide)\S*|-(?:not-)?i?(?:name|path)")
_SIGNS = re.compile(r"[=@:]|^-[A-Za-z](?=[^=]*[./~])")
_READ_BY_SED = re.compile(r"(?:^|[;{}\s/\d$])[rR]\s*([^\s;}]{1,1024})")
_LITERALS = re.compile(r"\"([^\"\n]{1,1024})\"|'([^'\n]{1,1024})'")
_WORDS = re.compile(r"[^\s'\"();,<>|&{}]{1,1024}")


def files_read(words: Words) -> Iterator[str]:
    """What may be a file that the command reads: more than there are, but all that are written out."""
    name = words[0]
    if name in _NAMING or (name in WRAPPERS and not WRAPPERS[name].verbs):
        return
    if name in _LISTING and not _LISTING[name].intersection(words):
        return
    if name == "git" and _only_names(words):
        return
    for word in _given(name, words):
        if re.search(r"\s", word):
            if name in _RUNNING_WORDS:
                yield from _WORDS.findall(word)
        elif len(word) <= LONGEST and not word.startswith("of="):
            yield from _parts(word)
    if name in ("sed", "gsed"):
        yield from (path for word in words[1:] for path in _READ_BY_SED.findall(word))
    elif name.endswith("awk"):
        yield from (path for word in words[1:] for path in files_in_code(word))


def _only_names(words: Words) -> bool:
    verb = "".join(git_command(list(words[1:]))[:1])
    return verb in _NAMING_GIT or (verb == "log" and _PATCHES.isdisjoint(words))


def files_in_code(code: str) -> Iterator[str]:
    """The texts in code that may be paths."""
    for found in _LITERALS.finditer(code):
        text = (found[1] or found[2]).lstrip("<+ ")
        if text and not re.search(r"\s", text):
            yield text


def _given(name: str, words: Words) -> list[str]:
    """The words after which nothing else is meant than a file, as far as that is known."""
    left_out = _NOT_READ.get(name, frozenset())
    has_code = name in _CODE_FIRST or bool(interpreter(name))
    given = False
    kept: list[str] = []
    for before, word in pairwise(words):
        coded = has_code and _CODE_AFTER.fullmatch(before)
        given = given or bool(coded)
        if coded or before in left_out or (name not in _LISTING and _LEFT_OUT.fullmatch(before)):
            continue
        option, attached, _ = word.partition("=")
        if not (attached and (option in left_out or _LEFT_OUT.fullmatch(option))):
            kept.append(word)
    operands = [word for word in kept if not word.startswith("-")]
    if name in _COPYING and "-t" not in words and operands:
        kept.remove(operands[-1])
    if name in _CODE_FIRST and not given and operands:
        kept.remove(operands[0])
    if name == "git" and "grep" in operands[:-1]:
        kept.remove(operands[operands.index("grep") + 1])
    return kept


def _parts(word: str) -> Iterator[str]:
    """The word, and what follows the signs in it: `if=file`, `name=@file`, `HEAD:file`, `-ffile`."""
    if "://" in word and "file:" not in word:
        return
    if not word.startswith("-"):
        yield word
    yield from (word[sign.end() :] for sign in _SIGNS.finditer(word) if word[sign.end() :])
