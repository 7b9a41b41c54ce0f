"""`bylaw guard check`: allowed or denied, by whom, and what every branch saw."""

from __future__ import annotations

from pathlib import Path

import pytest

from .command import BUNDLE, FIVE_MISTAKES, Done, bylaw, write

SHELL = r"""
apiVersion: callguard/v1
kind: ContractBundle
metadata: { name: shell }
defaults: { mode: enforce }
contracts:
  - id: no-rm
    type: pre
    tool: bash
    when:
      any:
        - args.command: { matches: '\brm\b' }
        - all:
            - environment: { equals: production }
            - principal.role: { not_in: [sre] }
        - args.command: { contains: mkfs }
    then: { effect: deny, message: "no: {args.command}" }
  - id: watch
    type: pre
    mode: observe
    tool: bash
    when: { args.timeout: { gt: 10 } }
    then: { effect: deny, message: slow }
  - id: key
    type: pre
    tool: login
    when: { args.password: { equals: hunter2 } }
    then: { effect: deny, message: "weak" }
  - id: pii
    type: post
    tool: "*"
    when: { output.text: { contains: "@" } }
    then: { effect: warn, message: mail }
  - id: few
    type: session
    limits: { max_attempts: 5 }
    then: { effect: deny, message: enough }
"""

THEN = "{effect: deny, message: stop}"


def check(tmp_path: Path, *arguments: str) -> Done:
    write(tmp_path, {"shell.yaml": SHELL})
    return bylaw("guard", "check", "shell.yaml", *arguments, cwd=tmp_path)


def test_a_denied_call(tmp_path: Path) -> None:
    done = check(tmp_path, "--tool", "bash", "--args", '{"command": "rm x"}')
    assert (done.code, done.err) == (1, "")
    assert done.out == (
        "denied by `no-rm` (shell.yaml:6:5): no: rm x\n"
        "\n"
        "`no-rm` (shell.yaml:6:5), pre, enforced: fires\n"
        "  says: no: rm x\n"
        "  true        any\n"
        "  true          args.command matches '\\brm\\b'  saw \"rm x\"\n"
        "  not reached   all\n"
        "  not reached     environment equals 'production'\n"
        "  not reached     principal.role not_in ['sre']\n"
        "  not reached   args.command contains 'mkfs'\n"
        "\n"
        "`watch` (shell.yaml:17:5), pre, observed: passes\n"
        "  missing     args.timeout gt 10\n"
        "\n"
        "not asked: limits of a session, which one call is not: `few`\n"
        "not asked: what looks at the answer, which a denied call has not: `pii`\n"
    )


def test_an_allowed_call_shows_why_nothing_fired(tmp_path: Path) -> None:
    done = check(tmp_path, "--tool", "bash", "--args", '{"command": "ls"}', "--principal-role", "sre")
    assert done.code == 0
    assert done.out.startswith("allowed\n")
    assert "  true            environment equals 'production'  saw \"production\"\n" in done.out
    assert "  false           principal.role not_in ['sre']  saw \"sre\"\n" in done.out
    assert "not asked: what looks at the answer, which is not given: `pii`" in done.out


def test_the_principal_and_the_environment_are_asked_about(tmp_path: Path) -> None:
    call = ("--tool", "bash", "--args", '{"command": "ls"}')
    assert check(tmp_path, *call, "--principal", '{"role": "dev"}').code == 1
    assert check(tmp_path, *call, "--principal", '{"claims": {}}', "--principal-role", "sre").code == 0
    assert check(tmp_path, *call, "--principal-role", "dev", "--environment", "staging").code == 0


def test_a_rule_that_breaks_says_on_what(tmp_path: Path) -> None:
    done = check(tmp_path, "--tool", "bash", "--args", '{"command": 5}')
    assert done.code == 1
    assert "mismatch      args.command matches '\\brm\\b'  (`matches` has no meaning for `args.command`" in done.out


def test_what_only_observes_and_what_only_warns_denies_nothing(tmp_path: Path) -> None:
    arguments = ("--args", '{"command": "ls", "timeout": 11}', "--principal-role", "sre", "--output", "a@b.c")
    done = check(tmp_path, "--tool", "bash", *arguments)
    assert done.code == 0
    assert "`watch` only observes; it would deny\n`pii` warns of the answer\n" in done.out


def test_secrets_are_not_shown(tmp_path: Path) -> None:
    done = check(tmp_path, "--tool", "login", "--args", '{"password": "hunter3"}', "--output", "x")
    assert "args.password equals 'hunter2'  saw \"[redacted]\"" in done.out
    assert "hunter3" not in done.out
    assert "hunter3" not in check(tmp_path, "--tool", "login", "--args", '{"password": "hunter3"}', "--json").out


def test_a_tool_without_a_contract(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"bundle.yaml": BUNDLE, "strict.yaml": BUNDLE.replace("mode: enforce", "mode: enforce, unmatched: deny")},
    )
    done = bylaw("guard", "check", "bundle.yaml", "--tool", "other", cwd=tmp_path)
    assert (done.code, done.out) == (0, "allowed\n\nno contract is for this tool\n")
    done = bylaw("guard", "check", "strict.yaml", "--tool", "other", cwd=tmp_path)
    assert done.code == 1
    assert done.out.startswith("denied by `unmatched`: no contract is for `other`")


def test_json_has_the_same_tree(tmp_path: Path) -> None:
    done = check(tmp_path, "--tool", "bash", "--args", '{"command": "rm x"}', "--json")
    assert done.code == 1
    found = done.json
    assert (found["schema"], found["decision"], found["contract"]) == (1, "denied", "no-rm")
    first, *_ = found["contracts"]
    assert (first["id"], first["where"], first["fires"]) == ("no-rm", "shell.yaml:6:5", True)
    assert first["condition"]["parts"][0] == {
        "says": r"args.command matches '\brm\b'",
        "state": "true",
        "saw": "rm x",
    }
    assert [part["state"] for part in first["condition"]["parts"]] == ["true", "not reached", "not reached"]


def test_of_many_contracts_those_that_fire_are_shown(tmp_path: Path) -> None:
    rules = "".join(
        f"  - {{id: r{n}, type: pre, tool: t, when: {{args.x: {{equals: {n}}}}}, then: {THEN}}}\n" for n in range(30)
    )
    write(tmp_path, {"many.yaml": BUNDLE + rules})
    arguments = ("guard", "check", "many.yaml", "--tool", "t", "--args", '{"x": 7}')
    done = bylaw(*arguments, cwd=tmp_path)
    assert done.code == 1
    assert "`r7`" in done.out
    assert "`r8`" not in done.out
    assert "29 contracts for this tool pass (--verbose shows them)" in done.out
    assert "`r8`" in bylaw(*arguments, "-v", cwd=tmp_path).out


def test_several_files_compose(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": BUNDLE, "b.yaml": BUNDLE.replace("gt: 500", "gt: 900")})
    call = ("--tool", "refund", "--args", '{"amount": 600}')
    assert bylaw("guard", "check", "a.yaml", *call, cwd=tmp_path).code == 1
    done = bylaw("guard", "check", "a.yaml", "b.yaml", *call, cwd=tmp_path)
    assert done.code == 0
    replaced = "`cap` of a.yaml:6:5 is replaced by the one of b.yaml:6:5"
    assert done.out.endswith(f"composed: {replaced}\n")
    assert bylaw("guard", "check", "a.yaml", "b.yaml", *call, "--json", cwd=tmp_path).json["composition"] == [
        replaced
    ]


def test_below_a_not_every_text_of_a_view_is_asked_for(tmp_path: Path) -> None:
    when = "{not: {args.command | argv: {matches: '^(ls|echo)'}}}"
    write(tmp_path, {"only.yaml": BUNDLE + f"  - {{id: only, type: pre, tool: sh, when: {when}, then: {THEN}}}\n"})
    done = bylaw("guard", "check", "only.yaml", "--tool", "sh", "--args", '{"command": "ls; rm -r x"}', cwd=tmp_path)
    assert done.code == 1
    assert (
        '  true        not\n  false         every args.command | argv matches \'^(ls|echo)\'  saw ["ls","rm -r x"]\n'
    ) in done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--args", "{"], "`--args` is not a JSON object"),
        (["--args", "[1]"], "`--args` is not a JSON object"),
        (["--args", "[" * 50_000], "`--args` is not a JSON object"),
        (["--args", '{"command": "ls", "command": "rm x"}'], "`--args` has the key `command` twice"),
        (["--args", '{"a": [{"b": 1, "c": 1, "b": 1}]}'], "`--args` has the key `b` twice"),
        (["--principal", '{"role": "a", "role": "b"}'], "`--principal` has the key `role` twice"),
        (["--principal", "5"], "`--principal` is not a JSON object"),
        (["--principal", '{"rol": "sre"}'], "`rol` is not a field of a principal: did you mean `role`?"),
        (["--principal", '{"nope": 1}'], "`nope` is not a field of a principal"),
        (["--principal", '{"user_id": 1}'], "`user_id` is int, not text"),
        (["--principal", '{"role": "a"}', "--principal-role", "b"], "`role` is in `--principal`"),
    ],
)
def test_a_question_that_makes_no_sense(arguments: list[str], said: str, tmp_path: Path) -> None:
    done = check(tmp_path, "--tool", "bash", *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_bundle_that_is_wrong(tmp_path: Path) -> None:
    write(tmp_path, {"bad.yaml": FIVE_MISTAKES})
    done = bylaw("guard", "check", "bad.yaml", "--tool", "t", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "5 errors in 1 file" in done.err


def test_help_names_every_command(tmp_path: Path) -> None:
    done = bylaw("guard", "--help", cwd=tmp_path)
    assert done.code == 0
    for name in ("check", "diff", "impact", "test"):
        assert f"\n  {name} " in done.out
        assert bylaw("guard", name, "--help", cwd=tmp_path).code == 0
    assert bylaw("guard", "nothing", cwd=tmp_path).code == 2
