"""What a bundle of contracts on tool calls may say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from bylaw.formats.bundles.contracts import Condition, Contract, Example, Limits, Mode, Post, Pre, Session
from bylaw.formats.bundles.kinds import ContractShape
from bylaw.reader import Document, Items, Text

__all__ = [
    "Bundle",
    "Condition",
    "Contract",
    "Defaults",
    "Example",
    "Limits",
    "Metadata",
    "Mode",
    "Post",
    "Pre",
    "Session",
    "Tool",
]


class Metadata(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`metadata`"

    name: Annotated[str, Text(min=1, pattern="[a-z0-9][a-z0-9._-]*", form="a name"), "the bundle's name"]
    description: str | None = None


class Defaults(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`defaults`"

    mode: Annotated[Mode, "holds for every contract that does not say its own"]
    unmatched: Annotated[Literal["allow", "deny"], "what happens to tools that no contract names"] = "allow"


class Tool(Document, frozen=True, kw_only=True):
    """A tool that exists, so that a rule for another one, or on an argument it has not, is a mistake that is told."""

    called: ClassVar[str] = "a tool"

    description: str | None = None
    parameters: Annotated[Mapping[str, Any], "the JSON Schema of its arguments, as models are given it"] = {}


class Bundle(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a bundle"

    api_version: Annotated[Literal["callguard/v1"], "the version of the format"] = msgspec.field(name="apiVersion")
    kind: Literal["ContractBundle"]
    metadata: Metadata
    defaults: Defaults
    tools: Annotated[Mapping[str, Tool] | None, "the tools there are; a contract on any other is then an error"] = (
        None
    )
    contracts: Annotated[tuple[Annotated[Pre | Post | Session, ContractShape()], ...], Items(min=1, unique="id")]
