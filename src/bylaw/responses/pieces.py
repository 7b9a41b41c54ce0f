"""The pieces of one stream on their way to the application."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bylaw.responses.answers import Asked
from bylaw.responses.telling import Calls, adds, ends
from bylaw.wire import as_data

if TYPE_CHECKING:
    from bylaw.responses.watching import Watch

_RETOLD = frozenset({"text", "input_json", "thinking", "signature", "citation", "content_block_stop", "message_stop"})
"""Events of Anthropic's client that repeat what others said, some of them all of it."""

_WENT_ON = "the stream goes on after it has said why it ended"


class Pieces:
    """What came so far, as data: a client goes on to change the objects it has handed out.

    A watch that wants to be early has pieces held back from the first that completes a call until the answer is
    judged. After that nothing may be added to the answer.
    """

    def __init__(self, watch: Watch, asked: Asked) -> None:
        self._watch = watch
        self._asked = asked
        self._events: list[Any] = []
        self._calls = Calls()
        self._held: deque[Any] = deque()
        self._holding = False
        self._ended = False
        self._told = False
        self._refused: BaseException | None = None
        self.ready: deque[Any] = deque()

    @property
    def open(self) -> bool:
        """Whether nothing has to be kept from the application (any more)."""
        return not self._watch.early or (self._told and self._refused is None)

    def make_sure(self) -> None:
        """Who has been refused an answer is not given the rest of it for asking again."""
        if self._refused is not None:
            raise self._refused

    def past(self, road: str) -> None:
        """Somebody is about to have the answer in another way than piece by piece."""
        self.make_sure()
        if not self.open:
            self._watch.unseen(road)

    def add(self, piece: Any) -> None:
        """Afterwards `ready` has what may be handed out."""
        try:
            event = as_data(piece)
        except Exception:  # noqa: BLE001 - a client's object may raise anything; what it said is then unknown
            event = {}
        if not isinstance(event, dict) or event.get("type") not in _RETOLD:
            self._events.append(event)
        self._held.append(piece)
        if self._watch.early:
            self._look(event)
        elif ends(event):
            self._ended = True
        if self.open or not self._holding:
            self._release()

    def _look(self, event: Any) -> None:
        if self._told:
            if adds(event):
                self._ask(lambda: self._watch.spoiled(self._asked, _WENT_ON))
            return
        self._holding = self._calls.complete(event) or self._holding
        if ends(event):
            self._ended = True
            self._tell()

    def finish(self) -> None:
        """There is no more: whether it is a whole answer or not, this is what came."""
        self._tell()
        self._release()

    def leave(self) -> None:
        """Nobody reads on. An answer that was whole by then counts; half of one is nothing to act on."""
        if self._ended:
            self._tell()

    def _release(self) -> None:
        self.ready.extend(self._held)
        self._held.clear()

    def _tell(self) -> None:
        if not self._told:
            self._told = True
            self._ask(lambda: self._watch.answered(self._asked, self._events))

    def _ask(self, judge: Callable[[], None]) -> None:
        try:
            judge()
        except BaseException as error:
            self._refused = error
            self.ready.clear()
            raise
