"""Removing what an agent left, whatever it did to make that hard."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4


def remove(root: Path) -> None:
    """Remove the tree, following no link.

    A directory is moved up to the root before it is emptied, so that neither depth nor the length of a path is a
    limit, and made ours to write, as is every directory it is found in.
    """
    if root.is_symlink() or not root.exists():  # it was moved away, or a link was put in its place
        root.unlink(missing_ok=True)
        return
    waiting = [root]
    while waiting:
        directory = waiting.pop()
        directory.chmod(0o700)
        with os.scandir(directory) as found:
            entries = list(found)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                os.chmod(entry.path, 0o700)  # noqa: PTH101 (one syscall of thousands, no object for it)
                waiting.append(Path(entry.path).rename(root / uuid4().hex))
            else:
                os.unlink(entry.path)  # noqa: PTH108 (the same)
        if directory != root:
            directory.rmdir()
    root.rmdir()
