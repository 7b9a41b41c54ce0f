"""Files of a size that can be read at one go."""

from __future__ import annotations

from statistics import median, quantiles

from .tree import modules


def test_modules_are_small() -> None:
    sizes = {module.file: len(module.lines) for module in modules("src")}
    assert len(sizes) >= 60
    longest = max(sizes, key=sizes.__getitem__)
    assert sizes[longest] <= 600, longest
    assert median(sizes.values()) <= 150
    assert quantiles(sizes.values(), n=10)[-1] <= 350
