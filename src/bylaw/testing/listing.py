"""The list of models, as each provider gives it."""

from __future__ import annotations

from typing import Any

from bylaw.testing.script import API, Script

DEFAULT_MODEL = "scripted-model"


def models_listed(script: Script, api: API) -> dict[str, Any]:
    names = _names(script)
    listed = [one_model(name, api) for name in names]
    if api == "gemini":
        return {"models": listed}
    if api == "anthropic_messages":
        return {"data": listed, "has_more": False, "first_id": names[0], "last_id": names[-1]}
    return {"object": "list", "data": listed}


def one_model(name: str, api: API) -> dict[str, Any]:
    if api == "gemini":
        return {
            "name": f"models/{name}",
            "displayName": name,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        }
    if api == "anthropic_messages":
        return {"type": "model", "id": name, "display_name": name, "created_at": "1970-01-01T00:00:00Z"}
    return {"id": name, "object": "model", "created": 0, "owned_by": "bylaw"}


def _names(script: Script) -> list[str]:
    """Those the script lists, or else those it names."""
    asked = [answer.when.model for answer in script.answers if answer.when is not None]
    named = [name for name in asked if name is not None and not set(name) & set("*?[")]
    return list(dict.fromkeys(script.models or named)) or [DEFAULT_MODEL]
