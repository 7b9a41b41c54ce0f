"""Something that stands for another object and is taken for it."""

from __future__ import annotations

from typing import Any, NoReturn


class Proxy:
    """Every attribute that is not this one's own is the inner object's, to be read and to be set."""

    __slots__ = ("_inner", "_own")

    _inner: Any
    _own: dict[str, Any]

    def __init__(self, inner: Any, **own: Any) -> None:
        object.__setattr__(self, "_inner", inner)
        object.__setattr__(self, "_own", own)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._inner, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._inner, name)

    @property  # type: ignore[misc]  # nobody sets a class here
    def __class__(self) -> Any:
        """Frameworks ask `isinstance(client, OpenAI)`."""
        return self._inner.__class__

    def __reduce_ex__(self, _: object) -> NoReturn:
        """A copy would be one of the inner object, with nobody looking on."""
        name = self._inner.__class__.__name__
        raise TypeError(f"a `{name}` that is gated or recorded can't be pickled or copied: wrap the copy instead")

    def __dir__(self) -> list[str]:
        return dir(self._inner)

    def __repr__(self) -> str:
        return repr(self._inner)
