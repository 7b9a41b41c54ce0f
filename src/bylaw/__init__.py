"""Contracts for AI agents: written once, enforced on every tool call, checked before release."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bylaw.callguard import CallGuard, CallGuardConfigError, CallGuardDenied, Principal

__all__ = ["CallGuard", "CallGuardConfigError", "CallGuardDenied", "Principal"]


def __getattr__(name: str) -> Any:
    """The guard's names, imported when somebody asks for one: `import bylaw` alone costs nothing."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import bylaw.callguard

    return getattr(bylaw.callguard, name)
