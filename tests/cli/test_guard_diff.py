"""`bylaw guard diff`: two bundles by contract id."""

from __future__ import annotations

from pathlib import Path

from .command import BUNDLE, FIVE_MISTAKES, bylaw, write

OLD = (
    BUNDLE
    + """
  - id: words
    type: pre
    tool: refund
    when: { args.note: { contains_any: [urgent, now] } }
    then: { effect: deny, message: no hurry }
  - id: gone
    type: pre
    tool: refund
    when: { args.to: { equals: me } }
    then: { effect: deny, message: not to yourself }
"""
)
NEW = (
    OLD.replace("[urgent, now]", "[urgent]")
    .replace("id: gone", "id: fresh")
    .replace("no hurry", "take your time")
    .replace("gt: 500", "gt: 400")
)


def test_what_differs(tmp_path: Path) -> None:
    write(tmp_path, {"old.yaml": OLD, "new.yaml": NEW})
    done = bylaw("guard", "diff", "old.yaml", "new.yaml", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "loosened   `gone` is removed  (old.yaml:18:5)\n"
        "loosened   `words` is changed in message, condition  (new.yaml:13:5)\n"
        "             - no hurry\n"
        "             + take your time\n"
        "             - args.note contains 'now'\n"
        "tightened  `cap` is changed in condition  (new.yaml:6:5)\n"
        "             - args.amount gt 500\n"
        "             + args.amount gt 400\n"
        "tightened  `fresh` is added  (new.yaml:18:5)\n"
        "2 loosened, 2 tightened; 0 contracts the same\n"
    )


def test_a_tool_that_is_no_longer_refused(tmp_path: Path) -> None:
    old = BUNDLE.replace("mode: enforce", "mode: enforce, unmatched: deny")
    mail = (
        "  - {id: mail, type: pre, tool: mail, when: {args.to: {equals: me}}, then: {effect: deny, message: stop}}\n"
    )
    write(tmp_path, {"old.yaml": old, "new.yaml": old + mail})
    done = bylaw("guard", "diff", "old.yaml", "new.yaml", cwd=tmp_path)
    assert "loosened   `mail` is added, tools no longer refused" in done.out
    assert "             + mail\n1 loosened; 1 contract the same\n" in done.out


def test_as_json(tmp_path: Path) -> None:
    write(tmp_path, {"old.yaml": OLD, "new.yaml": NEW})
    found = bylaw("guard", "diff", "old.yaml", "new.yaml", "--json", cwd=tmp_path).json
    assert (found["schema"], found["old"], found["same"], found["moved"]) == (1, "old.yaml", 0, [])
    assert [(change["id"], change["what"], change["direction"]) for change in found["contracts"]] == [
        ("gone", "removed", "loosened"),
        ("cap", "changed", "tightened"),
        ("words", "changed", "loosened"),
        ("fresh", "added", "tightened"),
    ]


def test_no_difference_and_another_order(tmp_path: Path) -> None:
    head, _, rest = OLD.partition("  - id: cap")
    cap, _, rest = rest.partition("  - id: words")
    swapped = f"{head}  - id: words{rest}  - id: cap{cap}"
    write(tmp_path, {"old.yaml": OLD, "same.yaml": f"# the same\n{OLD}", "swapped.yaml": swapped})
    assert bylaw("guard", "diff", "old.yaml", "same.yaml", cwd=tmp_path).out == "no difference in 3 contracts\n"
    done = bylaw("guard", "diff", "old.yaml", "swapped.yaml", cwd=tmp_path)
    assert "`cap` stands at another place" in done.out
    assert "nothing but the order; 3 contracts the same" in done.out


def test_a_file_that_is_wrong_or_not_there(tmp_path: Path) -> None:
    write(tmp_path, {"old.yaml": OLD, "bad.yaml": FIVE_MISTAKES})
    done = bylaw("guard", "diff", "bad.yaml", "none.yaml", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "6 errors in 2 files" in done.err
    assert bylaw("guard", "diff", "old.yaml", cwd=tmp_path).code == 2
