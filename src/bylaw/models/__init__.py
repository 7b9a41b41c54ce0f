"""Asking models: providers behind one form, with their time limits, retries and failures."""

from bylaw.models.asking import Answered, Failed, Timing, ask
from bylaw.models.line import Line, Model
from bylaw.models.patience import Patience
from bylaw.models.provider import AttemptFailed, Connection, Provider
from bylaw.models.providers import PROVIDERS, find_provider
from bylaw.models.recording import redacted
from bylaw.models.subject import Capture, ModelSubject

__all__ = [
    "PROVIDERS",
    "Answered",
    "AttemptFailed",
    "Capture",
    "Connection",
    "Failed",
    "Line",
    "Model",
    "ModelSubject",
    "Patience",
    "Provider",
    "Timing",
    "ask",
    "find_provider",
    "redacted",
]
