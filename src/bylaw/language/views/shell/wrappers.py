"""Programs that run another program, named by their words."""

from __future__ import annotations

from typing import Final

import msgspec

from bylaw.language.views.shell.options import Options, names


class Wrapper(msgspec.Struct, frozen=True, kw_only=True):
    """`operands` words come before the program, then maybe assignments. With `joins` the words are one script.

    One that has `verbs` runs something only after one of these."""

    options: Options = Options()
    verbs: tuple[str, ...] = ()
    operands: int = 0
    assigns: bool = False
    joins: bool = False


def _wrapper(
    flags: str = "",
    values: str = "",
    *,
    long_flags: str = "",
    long_values: str = "",
    attached: str = "",
    verbs: str = "",
    operands: int = 0,
    assigns: bool = False,
    joins: bool = False,
) -> Wrapper:
    options = Options(
        flags=flags,
        values=values,
        attached=attached,
        long_flags=tuple(long_flags.split()),
        long_values=tuple(long_values.split()),
    )
    return Wrapper(options=options, verbs=tuple(verbs.split()), operands=operands, assigns=assigns, joins=joins)


_PLAIN: Final = _wrapper()
_RUN: Final = _wrapper(verbs="run exec")
_CONTAINERS: Final = _wrapper(
    "diPqtT",
    "aceEhlmnpuvw",
    long_flags="rm interactive tty detach init privileged read-only publish-all quiet no-deps",
    long_values="volume mount env env-file workdir user name network entrypoint publish platform pull hostname label "
    "memory cpus gpus cap-add security-opt container namespace context file",
    verbs="run exec",
    operands=1,
)

WRAPPERS: Final[dict[str, Wrapper]] = {
    "sudo": _wrapper(
        "AbBEeHiKklnNPSsVv",
        "acCDghpRrtTuU",
        long_flags="askpass background bell edit set-home login remove-timestamp reset-timestamp list "
        "non-interactive no-update preserve-groups stdin shell version validate preserve-env",
        long_values="auth-type login-class close-from chdir group host prompt chroot role type command-timeout "
        "other-user user",
        assigns=True,
    ),
    "doas": _wrapper("Lns", "aCu"),
    "pkexec": _wrapper(long_flags="disable-internal-agent keep-cwd", long_values="user"),
    "env": _wrapper(
        "i0v",
        "uCS",
        long_flags="ignore-environment null debug list-signal-handling block-signal default-signal ignore-signal",
        long_values="unset chdir split-string",
        assigns=True,
    ),
    "nice": _wrapper("", "n", long_values="adjustment"),
    "ionice": _wrapper("t", "cnpPu", long_flags="ignore", long_values="class classdata pid pgid uid"),
    "chrt": _wrapper("abdfioRrvm", "TPDp", operands=1),
    "taskset": _wrapper("acp", operands=1, long_flags="all-tasks cpu-list pid"),
    "nohup": _PLAIN,
    "time": _wrapper(
        "apqvl", "fo", long_flags="append portability quiet verbose", long_values="format output", assigns=False
    ),
    "timeout": _wrapper(
        "fpv",
        "ks",
        long_flags="foreground preserve-status verbose",
        long_values="kill-after signal",
        operands=1,
    ),
    "stdbuf": _wrapper("", "ioe", long_values="input output error"),
    "setsid": _wrapper("cfw", long_flags="ctty fork wait"),
    "chroot": _wrapper(long_flags="skip-chdir", long_values="userspec groups", operands=1),
    "command": _wrapper("p"),
    "builtin": _PLAIN,
    "exec": _wrapper("cl", "a"),
    **dict.fromkeys(
        names(
            "chronic ifne entr tini dumb-init xvfb-run torsocks torify proxychains proxychains4 rlwrap valgrind "
            "firejail linux32 linux64 i386 x86_64 setpriv numactl cpulimit trickle daemonize daemon "
            "retry multitime nocache pseudo tsocks"
        ),
        _PLAIN,
    ),
    **dict.fromkeys(names("gosu su-exec setuidgid runcon cgexec logsave"), _wrapper("", "g", operands=1)),
    **dict.fromkeys(
        names("poetry pipenv pdm hatch rye uv bundle pyenv rbenv asdf mise npm pnpm yarn doppler op dotenv perf"),
        _RUN,
    ),
    **dict.fromkeys(names("docker podman nerdctl kubectl oc"), _CONTAINERS),
    **dict.fromkeys(names("npx bunx uvx pipx"), _wrapper("yq", "p", long_flags="yes no-install quiet")),
    "direnv": _wrapper(verbs="exec", operands=1),
    "conda": _wrapper("", "np", long_flags="no-capture-output live-stream", verbs="run"),
    "aws-vault": _wrapper(verbs="exec", operands=1),
    "cmake": _wrapper(verbs="-E"),
    "busybox": _PLAIN,
    "toybox": _PLAIN,
    "fakeroot": _wrapper("uh", "lisb"),
    "eatmydata": _PLAIN,
    "catchsegv": _PLAIN,
    "unbuffer": _wrapper("p"),
    "caffeinate": _wrapper("dimsu", "tw"),
    "setarch": _wrapper("vRFZLXBITS3", operands=1),
    "prlimit": _wrapper("", "p", attached="cdefilmnqrstuvxy"),
    "choom": _wrapper("", "np"),
    "runuser": _wrapper("flmpPT", "cCgGsuw", long_flags="login pty", long_values="command group shell user"),
    "flock": _wrapper(
        "eFnosuvxh",
        "wE",
        long_flags="exclusive nonblock nonblocking shared unlock close no-fork verbose",
        long_values="timeout wait conflict-exit-code",
        operands=1,
    ),
    "strace": _wrapper("AcCdDfFhikKnNqrtTvVwxyzZY", "abeEIoOpPsSuUX"),
    "ltrace": _wrapper("bcCfhiLrStTV", "aADelnosux"),
    "unshare": _wrapper(
        "mnipuUCTfrcV",
        "RwSG",
        long_flags="mount uts ipc net pid user cgroup time fork map-root-user map-current-user keep-caps mount-proc",
        long_values="propagation setgroups root wd setuid setgid",
    ),
    "nsenter": _wrapper("amnipuUCTrwFZe", "tSG", long_values="target setuid setgid"),
    "systemd-run": _wrapper(
        "rGqPtTdS",
        "uMHp",
        long_flags="scope user system wait pty pipe quiet collect same-dir shell no-block remain-after-exit",
        long_values="unit property description slice service-type uid gid nice working-directory setenv host machine "
        "on-active on-calendar on-boot",
    ),
    "dbus-run-session": _wrapper(long_values="config-file dbus-daemon"),
    "watch": _wrapper(
        "bcdegptwxrC",
        "nq",
        long_flags="beep color differences errexit chgexit no-title precise no-wrap exec",
        long_values="interval equexit",
        joins=True,
    ),
    "ssh": _wrapper("46AaCfGgKkMNnqsTtVvXxYy", "BbcDEeFIiJLlmOopQRSWw", operands=1, joins=True),
}
