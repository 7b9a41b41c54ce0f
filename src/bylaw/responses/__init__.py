"""Contracts on model answers inside an application: judge one, record them, or gate them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bylaw.errors import Misuse
from bylaw.formats.packs.contracts import Applies
from bylaw.responses.contracts import Contracts, check_applies
from bylaw.responses.gating import Gate, OnFailure
from bylaw.responses.recording import Keep, Recorder, Recording
from bylaw.responses.validation import ContractFailed, Judged, Validation
from bylaw.responses.watching import Client, watched

__all__ = ["ContractFailed", "Contracts", "Judged", "Recorder", "Validation", "gate", "record", "validate"]

Paths = str | Path | Sequence[str | Path]


def validate(
    response: Any,
    contracts: Contracts | Paths,
    *,
    request: Mapping[str, Any] | None = None,
    tool: str | None = None,
    applies: Applies = "always",
) -> Validation:
    """Judges one answer by contracts.

    `response` is what a provider's client returned, the same as a dict or as JSON text, or the list of a stream's
    chunks; one that can't be read fails, and nothing is raised for it. `contracts` are files or packs, read at every
    call, or `Contracts.load(...)`, read once. `request` is what was asked, as the client's keywords; contracts with
    `input_invariants` can't be judged without.

    Every contract is judged unless `tool` names the one that matters here, or `applies` says `called` (those whose
    tools the answer calls) or `offered` (also those whose tools the request offers).

    Raises `InvalidFile` for contracts that can't be used, and `Misuse` for a `tool` that none of them speaks of.
    """
    return _chosen(contracts, tool).validate(response, request=request, applies=applies)


def gate(
    client: Client,
    contracts: Contracts | Paths,
    *,
    on_failure: OnFailure = "raise",
    tool: str | None = None,
    applies: Applies = "always",
) -> Client:
    """The client of `openai` or `anthropic`, with every answer judged before the application has it.

    An answer that fails raises `ContractFailed` in its place; with `warn` it is logged and passed on, and with a
    function that gets the `Validation`. Of a stream the pieces pass as they come; from the first that completes a
    call, and at the latest from the one that says why it ended, they are held back until the whole is judged. What
    could only pass unseen is refused with `Misuse`.
    """
    if not callable(on_failure) and on_failure not in ("raise", "warn"):
        raise Misuse(f"`on_failure` is `raise`, `warn` or a function, not {on_failure!r}")
    check_applies(applies)
    return watched(client, Gate(contracts=_chosen(contracts, tool), on_failure=on_failure, applies=applies))


def record(client: Client, to: Recorder | str | Path | Keep) -> Client:
    """The client of `openai` or `anthropic`, with every answer kept: below a directory, or by a function.

    What is kept has its secrets taken out. A directory is a pack's: each answer is a golden file, with the answer as
    it came beside it as a recording. A function gets an `Observation`, in the recorder's thread. What can't be kept
    is logged once and changes nothing for the call.
    """
    return watched(client, Recording(recorder=to if isinstance(to, Recorder) else Recorder(to)))


def _chosen(contracts: Contracts | Paths, tool: str | None) -> Contracts:
    if not isinstance(contracts, Contracts):
        contracts = Contracts.load(*([contracts] if isinstance(contracts, str | Path) else contracts))
    return contracts if tool is None else contracts.about(tool)
