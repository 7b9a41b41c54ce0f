"""Traces that people already have, as evidence: OpenTelemetry's spans of generative AI, and runs of LangSmith.

    read = read_traces([path])
    read.traces[0].evidence       the model calls, the tool calls in their order, what came of it
    read.answers                  every answer of a model, to be judged on its own
    read.skipped                  what could not be used, and why

Nothing is guessed. A model call whose content was not captured is none that anything could be said of.
"""

from bylaw.observe.traces.gathering import from_traces
from bylaw.observe.traces.reading import Traces, read_traces
from bylaw.observe.traces.trace import ModelStep, ToolStep, Trace

__all__ = ["ModelStep", "ToolStep", "Trace", "Traces", "from_traces", "read_traces"]
