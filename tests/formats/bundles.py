"""Bundles in few words, and what is said of them."""

from __future__ import annotations

from bylaw.errors import Diagnostic
from bylaw.formats.bundles import Bundle, compile_bundle, compose, read_bundle
from bylaw.policy import Policy
from bylaw.reader import Problems
from bylaw.reader.source import load_text

HEAD = "apiVersion: callguard/v1\nkind: ContractBundle\nmetadata: {name: b}\n"


def text_of(*contracts: str, mode: str = "enforce", top: str = "") -> str:
    """A bundle with a contract on each line from the sixth on, or after what else stands at the top."""
    lines = "".join(f"  - {contract}\n" for contract in contracts)
    return f"{HEAD}{top}defaults: {{mode: {mode}}}\ncontracts:\n{lines}"


def pre(name: str, when: str, *, tool: str = "tool: t", more: str = "", message: str = "m") -> str:
    then = f"{{effect: deny, message: '{message}'}}"
    return f"{{id: {name}, type: pre, {tool}, when: {when}, then: {then}{', ' if more else ''}{more}}}"


def post(name: str, when: str, *, tool: str = "tool: t", more: str = "") -> str:
    return pre(name, when, tool=tool, more=more).replace("type: pre", "type: post").replace("deny", "warn")


def session(name: str, limits: str, *, more: str = "") -> str:
    then = "{effect: deny, message: m}"
    return f"{{id: {name}, type: session, limits: {{{limits}}}, then: {then}{', ' if more else ''}{more}}}"


def read_text(text: str) -> tuple[Bundle | None, tuple[Diagnostic, ...]]:
    problems = Problems()
    source = load_text(text, file="b.yaml", problems=problems)
    bundle = None if source is None else read_bundle(source, problems)
    return bundle, problems.all


def said(*contracts: str, mode: str = "enforce", top: str = "") -> list[Diagnostic]:
    return list(read_text(text_of(*contracts, mode=mode, top=top))[1])


def codes(*contracts: str, mode: str = "enforce", top: str = "") -> list[str]:
    return [found.code for found in said(*contracts, mode=mode, top=top)]


def policy_of(*contracts: str, mode: str = "enforce", top: str = "") -> Policy:
    bundle, found = read_text(text_of(*contracts, mode=mode, top=top))
    assert bundle is not None, found
    return compile_bundle(compose([bundle]), version="v")
