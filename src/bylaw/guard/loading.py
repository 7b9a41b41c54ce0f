"""Bundles for the guard: read, composed, and refused whole if anything in them is wrong."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from bylaw.errors import Misuse
from bylaw.formats.bundles import Bundle, compile_bundle, compose, read_bundle
from bylaw.formats.bundles.documents import Mode
from bylaw.guard.documents import document_source
from bylaw.policy import Policy
from bylaw.reader import Problems, Source
from bylaw.reader.source import load, load_text

BundleSource = Path | str | Mapping[str, Any]
"""A file, the text of one, or what one says as data."""

MODES = ("enforce", "observe")
log = logging.getLogger("bylaw.guard")


class Bundles(msgspec.Struct, frozen=True, kw_only=True):
    """What some bundle files come to together. `override` beats the mode of every contract, where there is one."""

    policy: Policy
    sources: tuple[BundleSource, ...]
    mode: Mode
    override: Mode | None = None
    composition: tuple[str, ...] = ()


def load_bundles(sources: Sequence[BundleSource], *, mode: Mode | None) -> Bundles:
    """Raises `InvalidFile` with everything that is wrong, and `Misuse` for a mode there is not."""
    if mode is not None and mode not in MODES:
        raise Misuse(f"`{mode}` is no mode; it is `enforce` or `observe`")
    problems = Problems()
    bundles: list[tuple[Bundle, Source]] = []
    for number, given in enumerate(sources, 1):
        source = _source(given, number, problems)
        bundle = None if source is None else read_bundle(source, problems, advise=False)
        if source is not None and bundle is not None:
            bundles.append((bundle, source))
    problems.raise_errors()
    composed = compose([bundle for bundle, _ in bundles])
    for sentence in composed.said:
        log.info("%s", sentence)
    hashes = [source.sha256 for _, source in bundles]
    version = hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()
    return Bundles(
        policy=compile_bundle(composed, version=version, mode=mode),
        sources=tuple(sources),
        mode=mode or (bundles[-1][0].defaults.mode if bundles else "enforce"),
        override=mode,
        composition=composed.said,
    )


def _source(given: BundleSource, number: int, problems: Problems) -> Source | None:
    if isinstance(given, Path):
        return load(given, problems=problems)
    file = f"<bundle {number}>"
    if isinstance(given, str):
        return load_text(given, file=file, problems=problems)
    return document_source(given, file=file, problems=problems)
