"""One trial: its world, its questions, its agent. Whatever breaks on the way becomes evidence that says so."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import msgspec

from bylaw.evidence import Evidence
from bylaw.harness.borders import Broke, border
from bylaw.harness.instances import Held
from bylaw.harness.questions import Inquiry
from bylaw.harness.stop import Interruptible
from bylaw.plan import Surroundings, Trial


async def run_trial(trial: Trial, held: Held, inquiry: Inquiry, *, interruptible: Interruptible) -> Evidence:
    """Raises only when the trial was cancelled. Its world is left in any case, and a stop does not cut that short."""
    evidence: Evidence | None = None
    try:
        with border("the world could not be left"):
            async with AsyncExitStack() as world:
                with interruptible.section():
                    attempt = await _attempt(trial, held, inquiry, world)
                evidence = attempt
    except Broke as problem:
        evidence = evidence or Evidence()
        errors = (evidence.error, str(problem))
        evidence = msgspec.structs.replace(evidence, error="; ".join(error for error in errors if error))
    if evidence is None:
        raise asyncio.CancelledError
    return evidence


async def _attempt(trial: Trial, held: Held, inquiry: Inquiry, world: AsyncExitStack) -> Evidence:
    surroundings: Surroundings | None = None
    try:
        with border("the agent could not be started"):
            await held.opened()
        if trial.scenario.world is not None:
            with border("the world could not be prepared"):
                surroundings = await world.enter_async_context(trial.scenario.world.enter(trial))
        await inquiry.before(surroundings)
        with border("the agent could not be run"):
            evidence = await held.run(trial, surroundings)
    except Broke as problem:
        evidence = Evidence(error=str(problem))
    return await inquiry.after(evidence, surroundings)
