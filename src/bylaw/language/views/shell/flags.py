"""One way to write the flags of programs that do harm: single letters, sorted, before the operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec


class Flags(msgspec.Struct, frozen=True, kw_only=True):
    """The letters a program knows, those of them with a value, and what its long options are called for short.

    A long option without a letter keeps its name, written out; one that ends in `=` takes a value.
    """

    letters: str
    values: str = ""
    long: Mapping[str, str] = {}
    same: Mapping[str, str] = {}


def _flags(letters: str, long: str = "", *, values: str = "", same: str = "") -> Flags:
    """`long` has words like `force=f`, or `user:u` if it takes a value, and `mirror` or `from:` without a letter."""
    names: dict[str, str] = {}
    for word in long.split():
        name, valued, letter = word.partition(":")
        if not valued:
            name, _, letter = word.partition("=")
        names[name] = f"{letter}=" if valued else letter
    return Flags(
        letters=letters + values, values=values, long=names, same=dict(zip(same[::2], same[1::2], strict=True))
    )


_OWNER: Final = _flags(
    "cfvhRHLP",
    "changes=c silent=f quiet=f verbose=v dereference no-dereference=h recursive=R preserve-root no-preserve-root "
    "from: reference:",
)
_COPY: Final = _flags(
    "abdfHilLnpPrRsuvxZT",
    "archive=a backup=b force=f interactive=i link=l dereference=L no-clobber=n no-dereference=P recursive=r "
    "symbolic-link=s update=u verbose=v one-file-system=x target-directory:t suffix:S no-target-directory=T parents "
    "remove-destination preserve no-preserve: sparse: strip-trailing-slashes",
    values="tS",
    same="Rr",
)

FLAGS: Final[dict[str, Flags]] = {
    "rm": _flags(
        "dfiIrRv",
        "dir=d force=f recursive=r verbose=v interactive one-file-system preserve-root no-preserve-root",
        same="Rr",
    ),
    "rmdir": _flags("pv", "parents=p verbose=v ignore-fail-on-non-empty"),
    "unlink": _flags(""),
    "shred": _flags(
        "fuvxz", "force=f iterations:n size:s remove verbose=v exact=x zero=z random-source:", values="ns"
    ),
    "truncate": _flags("co", "no-create=c io-blocks=o reference:r size:s", values="rs"),
    "chmod": _flags(
        "cfvR", "changes=c silent=f quiet=f verbose=v recursive=R preserve-root no-preserve-root reference:"
    ),
    "chown": _OWNER,
    "chgrp": _OWNER,
    "cp": _COPY,
    "mv": _flags(
        "bfinuvTZ",
        "backup=b force=f interactive=i no-clobber=n update=u verbose=v target-directory:t suffix:S "
        "no-target-directory=T strip-trailing-slashes",
        values="tS",
    ),
    "ln": _flags(
        "bdFfiLnPrsTv",
        "backup=b directory=d force=f interactive=i logical=L no-dereference=n physical=P relative=r symbolic=s "
        "suffix:S target-directory:t no-target-directory=T verbose=v",
        values="tS",
    ),
    "tar": _flags(
        "AcdrtuxzjJZahikmnopPsSvwlOUWBGM",
        "catenate=A concatenate=A create=c diff=d compare=d append=r list=t update=u extract=x get=x delete gzip=z "
        "bzip2=j xz=J compress=Z auto-compress=a dereference=h keep-old-files=k touch=m preserve-permissions=p "
        "absolute-names=P verbose=v to-stdout=O overwrite remove-files unlink-first=U file:f directory:C exclude: "
        "exclude-from:X files-from:T use-compress-program:I to-command: checkpoint-action: checkpoint transform: "
        "strip-components: owner: group: mode: rsh-command: one-file-system",
        values="fCbXTgIKNVLHF",
    ),
    "rsync": _flags(
        "vqcarRbudlLkKHpEAXogDtOJSnWxCzPimyhI046",
        "verbose=v quiet=q checksum=c archive=a recursive=r relative=R backup=b update=u links=l copy-links=L "
        "perms=p owner=o group=g times=t dry-run=n whole-file=W one-file-system=x compress=z partial progress "
        "itemize-changes=i human-readable=h ignore-times=I rsh:e exclude: include: exclude-from: files-from: "
        "delete del delete-before delete-during delete-delay delete-after delete-excluded delete-missing-args "
        "remove-source-files",
        values="efTBM",
    ),
    "curl": _flags(
        "#0123456afgGiIjJkKlLMnNOpqRsSvVZ",
        "data:d data-ascii:d data-binary: data-raw: data-urlencode: form:F form-string: upload-file:T output:o "
        "output-dir: request:X header:H user:u user-agent:A referer:e cookie:b cookie-jar:c proxy:x config:K "
        "max-time:m connect-timeout: write-out:w url: json: cert:E cacert: resolve: connect-to: retry: range:r "
        "append=a fail=f globoff=g get=G include=i head=I insecure=k list-only=l location=L location-trusted "
        "netrc=n no-buffer=N remote-name=O remote-name-all silent=s show-error=S verbose=v version=V compressed "
        "progress-bar=# http1.1 http2 ssl tlsv1.2 fail-with-body",
        values="AbcCdDeEFhHKmoPQrtTuUwxXyYz",
    ),
    "wget": _flags(
        "bcdEFhHkKLmNpqrSvVx46",
        "quiet=q verbose=v no-verbose continue=c background=b debug=d recursive=r mirror=m timestamping=N "
        "output-document:O output-file:o input-file:i directory-prefix:P post-data: post-file: body-data: body-file: "
        "method: header: user: password: user-agent:U tries:t timeout:T wait:w level:l accept:A reject:R "
        "no-check-certificate page-requisites=p convert-links=k execute:e",
        values="aABDeiIlnoOPQRtTUwX",
    ),
}

GIT: Final[dict[str, Flags]] = {
    "push": _flags(
        "adfnquv46",
        "all branches mirror delete=d tags force=f force-with-lease force-if-includes dry-run=n quiet=q verbose=v "
        "set-upstream=u prune no-verify follow-tags atomic porcelain repo: push-option:o receive-pack:",
        values="o",
    ),
    "clean": _flags("dfinqxX", "force=f dry-run=n quiet=q interactive=i exclude:e", values="e"),
    "reset": _flags("Nqp", "hard soft mixed merge keep quiet=q intent-to-add=N patch=p"),
    "checkout": _flags(
        "dflmpqt",
        "force=f detach=d quiet=q patch=p merge=m track=t ours theirs orphan: ignore-skip-worktree-bits overlay "
        "no-overlay pathspec-from-file: conflict: guess no-guess",
        values="bB",
    ),
    "switch": _flags(
        "dfmqt",
        "force=f discard-changes=f detach=d merge=m quiet=q track=t create:c force-create:C orphan: guess no-guess",
        values="cC",
    ),
    "restore": _flags(
        "SWpqm",
        "staged=S worktree=W patch=p quiet=q merge=m source:s ours theirs overlay no-overlay pathspec-from-file:",
        values="s",
    ),
    "branch": _flags(
        "acCdDfilmMqrv",
        "all=a copy=c delete=d force=f ignore-case=i list=l move=m quiet=q remotes=r verbose=v set-upstream-to:u "
        "unset-upstream edit-description show-current contains merged no-merged",
        values="u",
    ),
    "rm": _flags("fnrq", "force=f dry-run=n cached quiet=q ignore-unmatch"),
    "tag": _flags("adfilnsv", "annotate=a delete=d force=f list=l sign=s verify=v", values="mFu"),
    "fetch": _flags("fpatnqvuk46", "force=f prune=p all append=a tags=t no-tags=n quiet=q verbose=v depth:"),
    "gc": _flags("q", "aggressive auto prune no-prune quiet=q force keep-largest-pack detach no-detach"),
    "prune": _flags("nv", "dry-run=n verbose=v progress expire:"),
    "update-ref": _flags("dz", "no-deref stdin create-reflog", values="m"),
    "symbolic-ref": _flags("dq", "delete=d quiet=q short", values="m"),
    "read-tree": _flags("imnquv", "reset dry-run=n quiet=q prefix: index-output: aggressive trivial empty"),
    "checkout-index": _flags("afnqu", "all=a force=f no-create=n quiet=q index=u prefix: stage: stdin temp"),
    "send-pack": _flags("fnv", "force=f all mirror dry-run=n verbose=v atomic thin"),
}


def sorted_flags(flags: Flags, words: Sequence[str]) -> list[str]:
    """The flags of the words first, in one form and order, each with its value; then the operands as they were."""
    found: set[Form] = set()
    operands: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            operands += [f"./{rest}" if rest.startswith("-") else rest for rest in words[at:]]
            break
        if len(word) < 2 or word[0] != "-":
            operands.append(word)
            continue
        read = _long if word.startswith("--") else _short
        forms, used = read(flags, word, words[at : at + 1]) or ([(word,)], 0)
        found.update(forms)
        at += used
    return [*(word for form in sorted(found) for word in form), *operands]


Form = tuple[str, ...]


def _long(flags: Flags, word: str, following: Sequence[str]) -> tuple[list[Form], int] | None:
    """The form of a long option, maybe cut short, and how many further words it used."""
    name, attached, value = word[2:].partition("=")
    fitting = [name] if name in flags.long else [known for known in flags.long if known.startswith(name)]
    if len({flags.long[known] or known for known in fitting}) != 1:
        return None
    short = flags.long[fitting[0]]
    form = f"-{short[0]}" if short.strip("=") else f"--{fitting[0]}"
    if attached:
        return [(form, value) if short.endswith("=") else (f"--{fitting[0]}={value}",)], 0
    if short.endswith("=") and following:
        return [(form, following[0])], 1
    return [(form,)], 0


def _short(flags: Flags, word: str, following: Sequence[str]) -> tuple[list[Form], int] | None:
    forms: list[Form] = []
    for at, letter in enumerate(word[1:], 2):
        if letter not in flags.letters:
            return None
        form = f"-{flags.same.get(letter, letter)}"
        if letter in flags.values:
            value = (word[at:],) if word[at:] else tuple(following)
            return [*forms, (form, *value)], 0 if word[at:] else len(value)
        forms.append((form,))
    return forms, 0
