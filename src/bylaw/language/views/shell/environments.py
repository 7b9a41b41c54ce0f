"""Programs that print lines for a shell to set itself up with: variables, hooks, completions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bylaw.language.views.shell.options import names

_ALWAYS: Final = names(
    "dircolors ssh-agent gpg-agent keychain resize tset lesspipe lesspipe.sh register-python-argcomplete "
    "dbus-launch gnome-keyring-daemon thefuck"
)
_AFTER: Final = {
    **dict.fromkeys(names("pyenv rbenv nodenv goenv jenv plenv phpenv tfenv"), "init virtualenv-init"),
    **dict.fromkeys(names("starship zoxide atuin scmpuff"), "init"),
    **dict.fromkeys(names("mise rtx"), "activate env hook-env"),
    "brew": "shellenv",
    "direnv": "hook export",
    "fnm": "env",
    "opam": "env",
    "luarocks": "path",
    "fzf": "--bash --zsh",
    "conda": "shell.bash shell.zsh shell.posix",
    "mamba": "shell",
    "micromamba": "shell",
    "minikube": "docker-env podman-env",
    "docker-machine": "env",
    "hub": "alias",
    "pipenv": "--completion",
    "tmux": "show-environment",
    "uv": "generate-shell-completion",
}
_COMPLETED: Final = names(
    "kubectl helm gh glab npm pnpm docker podman oc pip pip3 poetry pdm hatch rustup deno bun minikube k3d kind flux "
    "argocd op chezmoi hugo task just cargo ng vault terraform-docs golangci-lint goreleaser cosign yq"
)
_COMPLETIONS: Final = frozenset(("completion", "completions"))


def sets_up_a_shell(words: Sequence[str]) -> bool:
    """Whether the command is one of those whose output shells are meant to run, and which print nothing else."""
    name, rest = words[0], words[1:]
    if name in _ALWAYS or (name in _COMPLETED and rest[:1] and rest[0] in _COMPLETIONS):
        return True
    return not set(_AFTER.get(name, "").split()).isdisjoint(rest)
