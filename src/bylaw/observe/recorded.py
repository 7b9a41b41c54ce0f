"""Observations from the golden files and recordings of a pack that is there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from bylaw.formats.packs.json_files import Unusable, read_json_object, read_raw
from bylaw.formats.packs.roots import PackRoot
from bylaw.observe.gathered import Gathered
from bylaw.observe.observation import Observation, observed
from bylaw.wire import NotARequest, NotAResponse, parsed

_GOLDEN = ".json"
_RECORDING = ".recording.json"


class NoObservation(Exception):
    """A case from which nothing can be learned; the message says why, and is the same for every such case."""


def from_pack(root: Path) -> Gathered:
    """A case `NAME.success.json` is an observation of `NAME`. Cases that must fail are passed over."""
    pack = PackRoot(root=root)
    found: list[Observation] = []
    skipped: Counter[str] = Counter()
    for ref in _refs(root):
        try:
            found.append(recorded_observation(pack, ref, name=name_of(ref)))
        except NoObservation as error:
            skipped[str(error)] += 1
    return Gathered(observations=tuple(found), used=len(found), skipped=dict(skipped))


def _refs(root: Path) -> list[str]:
    """The cases there are, with a golden file or with a recording alone."""
    golden = {path.relative_to(root / "golden").as_posix() for path in (root / "golden").rglob(f"*{_GOLDEN}")}
    recordings = {
        path.relative_to(root / "recordings").as_posix().removesuffix(_RECORDING) + _GOLDEN
        for path in (root / "recordings").rglob(f"*{_RECORDING}")
    }
    return sorted(ref for ref in golden | recordings if not ref.startswith("negative/"))


def name_of(ref: str) -> str:
    """`orders/refund.success.json` is a case of `orders/refund`."""
    folder, _, file = ref.rpartition("/")
    return f"{folder}/{file.split('.')[0]}".lstrip("/")


def recorded_observation(pack: PackRoot, ref: str, *, name: str) -> Observation:
    golden, recording = pack.golden(ref), pack.recording(ref)
    try:
        case = read_json_object(golden) if golden.is_file() else {}
        answer: Any = parsed(read_raw(recording)) if recording.is_file() else case.get("response")
        if answer is None:
            raise NoObservation("there is no recorded answer")
        request = case.get("request")
        return observed(name=name, request=request if isinstance(request, dict) else {}, answer=answer)
    except (Unusable, NotAResponse) as error:
        raise NoObservation("the answer can't be read") from error
    except NotARequest as error:
        raise NoObservation("the request can't be read") from error
