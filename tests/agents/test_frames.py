from __future__ import annotations

import pytest

from bylaw.agents.frames import LARGEST, Begun, Done, Frame, NotAFrame, TooLarge, Unpacker, Work, pack


def test_frames_may_arrive_in_any_pieces() -> None:
    frames: list[Frame] = [Work(prompt="é" * 100, environment={"A": "b"}), Begun(), Done(output="x", ms=1.5)]
    data = b"".join(map(pack, frames))
    whole, bytewise = Unpacker(), Unpacker()
    assert list(whole.feed(data)) == frames
    assert [frame for byte in data for frame in bytewise.feed(bytes([byte]))] == frames


def test_frames_ahead_of_nonsense_are_read() -> None:
    unpacked = Unpacker().feed(pack(Begun()) + b"\0\0\0\1!")
    assert next(unpacked) == Begun()
    with pytest.raises(NotAFrame):
        next(unpacked)


def test_a_frame_has_a_largest_size() -> None:
    with pytest.raises(TooLarge):
        pack(Done(output="x" * (LARGEST + 1)))
    with pytest.raises(NotAFrame):
        list(Unpacker().feed((LARGEST + 1).to_bytes(4, "big")))
