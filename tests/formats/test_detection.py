"""A file says by its content which format it is, however wrong it is; what says nothing is nobody's."""

from __future__ import annotations

from pathlib import Path

import pytest

from bylaw.formats import formats, load_paths
from bylaw.plan import Group
from bylaw.reader import MapNode, Problems, parse

CLAIMED = [
    ("callguard", "apiVersion: callguard/v1"),
    ("callguard", "apiVersion: callguard/v7\nkind: Bundle"),
    ("callguard", "defaults: { mode: enforce }\ncontracts: []"),
    ("callguard", "apiVersion: v1\ncontracts: []"),
    ("flakestorm", 'version: "2.0"\ncontract: { name: c }'),
    ("flakestorm", "agent: {}\ngolden_prompts: []"),
    ("flakestorm", "agent: {}\nchaos_matrix: []\ninvariants: []"),
    ("flakestorm", "version: 1\nagent: {}\ncontract: {}\ninvariants: {}\nscoring: {}"),
    ("keystone", "task: {}\ninvariants: {}"),
    ("keystone", "id: x\nversion: 1\nagent: {}\nscoring: {}\ninvariants: []"),
    ("replayci", "tool: x\ngolden_cases: []"),
    ("replayci", "tool: x\nexpect_tools: x"),
    ("replayci", "tool: 5\nexpected_tool_calls: []"),
    ("replayci", "tool: x\nassertions: {}"),
]
NOBODYS = [
    "tool: hammer",
    "golden_cases: []",
    "contracts: []",
    "name: my-pack\nversion: 1.0.0\ncontracts: [contracts/a.yaml]",
    "invariants: {}",
    "task: {}\nscoring: {}",
    "agent: {}\nversion: 1",
    "contract: { name: c }",
    'version: "3"\nservices: {}',
    "apiVersion: apps/v1\nkind: Deployment\nspec: {}",
    "openapi: 3.1.0\npaths: {}",
    "{}",
]


@pytest.mark.parametrize(("name", "text"), CLAIMED)
def test_one_format_claims_a_file(name: str, text: str) -> None:
    root = parse(text, file="x.yaml", problems=Problems())
    assert isinstance(root, MapNode)
    assert [known.name for known in formats().values() if known.claims(root, Path("x.yaml"))] == [name]


@pytest.mark.parametrize("text", [*NOBODYS, "- tool: x", "callguard/v1", "5"])
def test_a_foreign_file_is_passed_over_in_a_directory(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(text)
    loaded = load_paths([tmp_path])
    assert (loaded.files, loaded.diagnostics) == ((), ())
    assert loaded.passed_over == (str(tmp_path / "x.yaml"),)
    assert loaded.valid


@pytest.mark.parametrize("text", [*NOBODYS, "- tool: x"])
def test_a_foreign_file_is_an_error_where_it_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(text)
    loaded = load_paths([tmp_path / "x.yaml"])
    assert [found.code for found in loaded.diagnostics] == ["unknown-format"]
    assert not loaded.valid


def test_what_is_wrong_with_a_foreign_file_is_not_ours_to_say(tmp_path: Path) -> None:
    (tmp_path / "ci.yaml").write_text("on: [push]\non: [pull]\nx: !secret y\n---\nsecond: document\n")
    (tmp_path / "empty.yml").write_text("# nothing\n")
    loaded = load_paths([tmp_path])
    assert loaded.diagnostics == ()
    assert len(loaded.passed_over) == 2


def test_what_is_wrong_with_a_file_that_was_named_is_said_with_it(tmp_path: Path) -> None:
    (tmp_path / "ci.yaml").write_text("on: [push]\n")
    loaded = load_paths([tmp_path / "ci.yaml"])
    assert [found.code for found in loaded.diagnostics] == ["ambiguous-scalar", "unknown-format"]


def test_a_file_that_is_no_yaml_might_be_a_contract_and_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "template.yaml").write_text("{{ .Values.name }}: [\n")
    loaded = load_paths([tmp_path])
    assert "yaml-syntax" in [found.code for found in loaded.diagnostics]


def test_every_file_below_a_directory_is_found_once_and_in_order(tmp_path: Path) -> None:
    text = "tool: x\ngolden_cases: [{ id: a, input_ref: a.json }]\n"
    for name in ("b.yaml", "a/z.yml", "a/.git/x.yaml", ".env.yaml", "node_modules/m.yaml", "c.json", "c.yaml.bak"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "link.yaml").symlink_to("b.yaml")
    (tmp_path / "circle").symlink_to(tmp_path)
    loaded = load_paths([tmp_path / "b.yaml", tmp_path, tmp_path / "a"])
    assert loaded.files == (str(tmp_path / "b.yaml"), str(tmp_path / "a" / "z.yml"))


def test_a_link_to_itself_and_a_name_that_is_too_long_are_unreadable(tmp_path: Path) -> None:
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    loaded = load_paths([tmp_path / "loop.yaml", tmp_path / ("x" * 300)])
    assert [found.code for found in loaded.diagnostics] == ["unreadable", "unreadable"]


def test_a_path_through_a_link_is_followed_as_it_is_written(tmp_path: Path) -> None:
    """`link/..` is the parent of what the link points to, not the directory the link is in."""
    text = "tool: {}\ngolden_cases: [{{ id: a, input_ref: a.json }}]\n"
    for name in ("right", "wrong"):
        (tmp_path / name / "inner").mkdir(parents=True)
        (tmp_path / name / "c.yaml").write_text(text.format(name))
    (tmp_path / "wrong" / "link").symlink_to(tmp_path / "right" / "inner")
    loaded = load_paths([tmp_path / "wrong" / "link" / ".." / "c.yaml"])
    assert [group.title for group in loaded.plan.root.members if isinstance(group, Group)] == ["right"]
